"""Probes about the whole board: ``listing`` and ``board``."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from gridworld.task_spec import Position
from multinet_eval.probing.board import MAP_FORM, Board, SeenThing, board_of, draw_board, read_board, read_names
from multinet_eval.probing.probe import Counts, Grade, Item, Probe, ProbeQuestion, Scene, Unreadable, overlap, verdict
from multinet_eval.probing.probes.answer_parts import labels_of, read_cell, read_word

Things = frozenset[SeenThing]
MISSED = "nothing"
"""Stated item for an object on whose cell nothing was listed."""


def grade_things(truth: Things, answer: Things, agent: Position) -> Grade:
    """Compute the micro-F1 over (cell, kind, colour, state), the best under a common shift, and exactness.

    Kinds without coloured objects are compared without colours.
    """
    answer = _as_colored_as(truth, answer)
    scores = {
        "things": overlap(truth, answer),
        "shifted": _best_shift(truth, answer),
        "exact": verdict(truth == answer),
    }
    return Grade(scores, tuple(_items(truth, answer, agent)))


def _as_colored_as(truth: Things, answer: Things) -> Things:
    colored = {thing.name.kind for thing in truth if thing.name.color}
    plain = {thing.name.kind for thing in truth} - colored
    return frozenset(
        attrs.evolve(thing, name=attrs.evolve(thing.name, color="")) if thing.name.kind in plain else thing
        for thing in answer
    )


def _best_shift(truth: Things, answer: Things) -> Counts:
    """Return the best overlap after shifting all stated objects by the same offset."""
    shifts = Counter(
        (one.cell.x - other.cell.x, one.cell.y - other.cell.y)
        for one in truth
        for other in answer
        if one.name == other.name
    )
    hits = max(shifts.values(), default=0)
    return Counts(hits, len(answer), len(truth))


def _items(truth: Things, answer: Things, agent: Position) -> Iterator[Item]:
    said: dict[Position, list[SeenThing]] = {}
    for thing in sorted(answer):
        said.setdefault(thing.cell, []).append(thing)
    for thing in sorted(truth):
        right = thing in answer
        there = said.get(thing.cell, [])
        instead = next((each.name.kind for each in there), MISSED)
        yield Item(labels_of(thing.name, thing.cell, agent), thing.name.kind if right else instead, right)


class ListingProbe(Probe):
    """Asks for a list of everything except walls, floor and the agent."""

    name = "listing"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Ask one question."""
        things = sorted(board_of(scene).things)
        text = (
            "List all things on the board, and the goal or targets that are marked on it, but neither walls nor floor "
            'nor the agent. Answer with a JSON object: {"things": [{"thing": state, colour and kind, such as '
            '"red key", "locked red door", "switched-on yellow switch", "closed gate", "goal" or "lava", '
            '"cell": [column, row]}, ...]}.'
        )
        listed = [{"thing": str(thing.name), "cell": list(thing.cell)} for thing in things]
        yield ProbeQuestion(text, {"things": listed}, {"agent": list(scene.agent)})

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> frozenset[SeenThing]:
        """Parse the listed objects."""
        listed = said.get("things")
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            raise Unreadable("things: expected a list of objects")
        return frozenset(
            SeenThing(read_cell(each, "cell"), name) for each in listed for name in read_names(read_word(each, "thing"))
        )

    def grade(self, question: ProbeQuestion, truth: frozenset[SeenThing], answer: frozenset[SeenThing]) -> Grade:
        """Compute the micro-F1 over (cell, kind, colour, state), the best under a common shift, and exactness."""
        return grade_things(truth, answer, Position(*question.facts["agent"]))


class TranscriptionProbe(Probe):
    """Asks for a map of the board in the form of `MAP_FORM`, from which a task could be read."""

    name = "board"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Ask one question."""
        yield ProbeQuestion(f"Transcribe the board. Answer with a JSON object with {MAP_FORM}", draw_board(scene))

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> Board:
        """Read the board."""
        return read_board(said)

    def grade(self, question: ProbeQuestion, truth: Board, answer: Board) -> Grade:
        """Compute the micro-F1 over objects and over walls, and grade the agent's cell, the size, and exactness."""
        (agent,) = truth.agents
        things = grade_things(truth.things, answer.things, agent)
        return attrs.evolve(
            things,
            scores={
                "things": things.scores["things"],
                "shifted": things.scores["shifted"],
                "walls": overlap(truth.walls, answer.walls),
                "agent": verdict(answer.agents == truth.agents),
                "size": verdict((answer.width, answer.height) == (truth.width, truth.height)),
                "exact": verdict(answer == truth),
            },
        )
