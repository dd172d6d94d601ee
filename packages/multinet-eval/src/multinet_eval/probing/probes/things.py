"""Probes about single objects: ``cell``, ``front`` and ``find``.

The first two have lettered options in random order.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import Position
from gridworld.world.topology import NO_CELL
from multinet_eval.probing.board import Board, Name, board_of, contents_of, read_names
from multinet_eval.probing.probe import Grade, Item, Probe, ProbeQuestion, Scene, Unreadable, verdict
from multinet_eval.probing.probes.answer_parts import labels_of, read_cell_or_none, read_word

BARE = "floor with nothing on it"
"""Name of an empty cell."""
COLOR = "COLOUR"
"""Placeholder for the colour of an object."""
ANYWHERE = (f"{COLOR} key", f"{COLOR} block", f"locked {COLOR} door", f"switched-off {COLOR} switch")
OPTIONS = 6


def absent_things(scene: Scene, dice: random.Random) -> list[str]:
    """Return plausible objects that are not on the board in any state, in random order.

    Objects that differ only by colour from one on the board come first.
    """
    names = sorted({thing.name for thing in board_of(scene).things})
    there = {(name.kind, name.color) for name in names}
    shown = [str(name).replace(name.color, COLOR) for name in names if name.color]
    alike, others = (
        [words.replace(COLOR, each) for words in form for each in COLOR_NAMES] for form in (shown, ANYWHERE)
    )
    dice.shuffle(alike)
    dice.shuffle(others)
    found = {words: read_names(words)[0] for words in (*alike, *others)}
    return [words for words, name in found.items() if (name.kind, name.color) not in there]


def options_question(
    text: str, truth: str, others: Sequence[str], facts: Mapping[str, Any], dice: random.Random
) -> ProbeQuestion:
    """Make a question with the right option among others.

    Args:
        text: the question.
        truth: the right option.
        others: wrong options; the first ones are used.
        facts: facts about the object.
        dice: random generator for the order.
    """
    listed = [truth, *dict.fromkeys(each for each in others if each != truth)][:OPTIONS]
    dice.shuffle(listed)
    options = dict(zip(string.ascii_uppercase, listed, strict=False))
    letter = next(letter for letter, words in options.items() if words == truth)
    lines = "\n".join(f"{letter}: {words}" for letter, words in options.items())
    form = 'Answer with a JSON object: {"answer": the letter of what is there}.'
    return ProbeQuestion(f"{text}\n{lines}\n{form}", {"answer": letter}, {**facts, "options": options})


class OptionsProbe(Probe):
    """Base class of probes with lettered options."""

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> str:
        """Parse a letter as its option."""
        letter = read_word(said, "answer").upper()
        if letter not in question.facts["options"]:
            raise Unreadable(f"answer: '{letter}' is not one of the letters")
        return str(question.facts["options"][letter])

    def grade(self, question: ProbeQuestion, truth: str, answer: str) -> Grade:
        """Grade the letter by its meaning in this question."""
        said = str(question.facts["options"].get(answer, answer))
        labels = dict(question.facts["labels"])
        return Grade({"right": verdict(said == truth)}, (Item(labels, read_names(said)[-1].kind, said == truth),))

    def constants(self, question: ProbeQuestion, truth: str) -> Iterable[str]:
        """Yield the truth, and each letter."""
        yield truth
        yield from question.facts["options"]


class CellProbe(OptionsProbe):
    """Asks about a cell with an object, an inner wall and an empty cell, if there are such cells."""

    name = "cell"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Ask one question about each of the three; never about the agent's cell or an unseen cell."""
        shown = dict(_shown_cells(scene))
        things = sorted({words for words in shown.values() if words not in ("wall", BARE)})
        absent = absent_things(scene, dice)
        for wanted in (things, ["wall"], [BARE]):
            cells = sorted(cell for cell, words in shown.items() if words in wanted)
            if not cells:
                continue
            cell = dice.choice(cells)
            others = [*dice.sample(things, min(2, len(things))), *absent[:1], "wall", BARE, *absent[1:]]
            text = f"What is on the cell [{cell.x}, {cell.y}]?"
            labels = labels_of(read_names(shown[cell])[-1], cell, scene.agent)
            question = options_question(text, shown[cell], others, {"labels": labels}, dice)
            yield attrs.evolve(question, cells=((cell.x, cell.y),))


def _shown_cells(scene: Scene) -> Iterable[tuple[Position, str]]:
    topology = scene.topology
    for y in range(1, topology.height - 1):
        for x in range(1, topology.width - 1):
            cell = Position(x, y)
            look = scene.look(topology.anchor(cell))
            if look is not None and cell != scene.agent:
                yield cell, " and ".join(contents_of(look, scene)) or BARE


class FrontProbe(OptionsProbe):
    """Asks what the agent is facing; a sealed seam or a corner counts as a wall."""

    name = "front"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Ask one question, unless the cell in front is unseen."""
        state = scene.state
        ahead = scene.world.exits[state.cell * scene.world.headings + state.heading]
        look = None if ahead == NO_CELL else scene.look(ahead)
        if ahead != NO_CELL and look is None:
            return
        truth = "wall" if ahead == NO_CELL else " and ".join(contents_of(look, scene)) or BARE
        there = sorted({str(thing.name) for thing in board_of(scene).things})
        others = ["wall", BARE, *absent_things(scene, dice)[:1], *dice.sample(there, min(2, len(there)))]
        text = "What is on the cell right in front of the agent, which it would step onto?"
        labels = {"thing": read_names(truth)[-1].kind}
        yield options_question(text, truth, others, {"labels": labels}, dice)


class FindProbe(Probe):
    """Asks for the cells of an object that occurs once and of one that is absent, in random order."""

    name = "find"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Ask two questions, or only the second if no object occurs once."""
        board = board_of(scene)
        single = _single(board)
        asked = [(name, cell) for name, cell in [dice.choice(single)]] if single else []
        wanted: list[tuple[str, Position | None]] = [(str(name), cell) for name, cell in asked]
        wanted += [(words, None) for words in absent_things(scene, dice)[:1]]
        dice.shuffle(wanted)
        for words, cell in wanted:
            name = read_names(words)[0]
            labels = {"thing": name.kind, "color": name.color, "distance": "absent"}
            labels = labels if cell is None else labels_of(name, cell, scene.agent)
            text = (
                f"Where is the {words}? Answer with a JSON object: "
                f'{{"cell": [column, row]}}, or {{"cell": null}} if no {words} is shown.'
            )
            yield ProbeQuestion(text, {"cell": None if cell is None else list(cell)}, {"labels": labels})

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> Position | None:
        """Read the cell, or None for an absent object."""
        return read_cell_or_none(said, "cell")

    def grade(self, question: ProbeQuestion, truth: Position | None, answer: Position | None) -> Grade:
        """Grade three measures: all, present objects, and absent objects."""
        right = answer == truth
        kind = "absent" if truth is None else "present"
        said = "absent" if answer is None else question.facts["labels"]["thing"] if right else "another cell"
        return Grade({"right": verdict(right), kind: verdict(right)}, (Item(question.facts["labels"], said, right),))


def _single(board: Board) -> list[tuple[Name, Position]]:
    """Return the objects that occur exactly once, regardless of state."""
    kinds = [(thing.name.kind, thing.name.color) for thing in board.things]
    return sorted(
        (thing.name, thing.cell) for thing in board.things if kinds.count((thing.name.kind, thing.name.color)) == 1
    )
