"""``find``: where a thing is that is there, and one that is not."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from gridworld.task_spec import Position
from multinet_eval.probing.board import Board, board_of
from multinet_eval.probing.grading import Grade, Item, verdict
from multinet_eval.probing.names import Name, read_names
from multinet_eval.probing.probe import Probe, ProbeQuestion
from multinet_eval.probing.probes.answers import read_cell_or_none
from multinet_eval.probing.probes.labels import labels_of
from multinet_eval.probing.probes.options import absent_things
from multinet_eval.probing.scene import Scene

__all__ = ["FindProbe"]


class FindProbe(Probe):
    """Asks for the cell of a thing of which there is one, and of a thing of which there is none, in either order."""

    name = "find"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Two questions, or the second one alone where nothing is there once."""
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
        """The cell, or None for a thing that is not there."""
        return read_cell_or_none(said, "cell")

    def grade(self, question: ProbeQuestion, truth: Position | None, answer: Position | None) -> Grade:
        """The share of right answers, also of those about absent and about present things alone."""
        right = answer == truth
        kind = "absent" if truth is None else "present"
        said = "absent" if answer is None else question.facts["labels"]["thing"] if right else "another cell"
        return Grade({"right": verdict(right), kind: verdict(right)}, (Item(question.facts["labels"], said, right),))


def _single(board: Board) -> list[tuple[Name, Position]]:
    """The things of which there is one, whatever the state."""
    kinds = [(thing.name.kind, thing.name.color) for thing in board.things]
    return sorted(
        (thing.name, thing.cell) for thing in board.things if kinds.count((thing.name.kind, thing.name.color)) == 1
    )
