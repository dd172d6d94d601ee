"""Probes about the whole board and the agent on it: ``board`` and ``pose``."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from gridworld.observations.shown_cells import describe_heading
from gridworld.task_spec import Position
from multinet_eval.probing.board import MAP_FORM, Board, SeenThing, draw_board, read_board
from multinet_eval.probing.probe import Counts, Grade, Item, Probe, ProbeQuestion, Scene, Unreadable, overlap, verdict
from multinet_eval.probing.probes.answers import labels_of, read_cell, read_word

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


class PoseProbe(Probe):
    """Asks for the agent's cell and direction, with the directions in random order."""

    name = "pose"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Ask one question."""
        topology, state = scene.topology, scene.state
        directions = [describe_heading(topology, heading) for heading in range(topology.heading_count)]
        facing = directions[state.heading]
        dice.shuffle(directions)
        text = (
            "Where is the agent, and which way does it face? Answer with a JSON object: "
            f'{{"cell": [column, row], "facing": one of {", ".join(directions)}}}.'
        )
        yield ProbeQuestion(text, {"cell": list(scene.agent), "facing": facing}, {"directions": directions})

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> tuple[Position, str]:
        """Read the cell and the direction."""
        cell, facing = read_cell(said, "cell"), read_word(said, "facing")
        if facing not in question.facts["directions"]:
            raise Unreadable(f"facing: '{facing}' is not a direction")
        return cell, facing

    def grade(self, question: ProbeQuestion, truth: tuple[Position, str], answer: tuple[Position, str]) -> Grade:
        """Grade three measures: both, the cell, and the direction."""
        at, faces = answer[0] == truth[0], answer[1] == truth[1]
        scores = {"both": verdict(at and faces), "cell": verdict(at), "facing": verdict(faces)}
        return Grade(scores, (Item({"thing": f"facing {truth[1]}"}, f"facing {answer[1]}", faces),))
