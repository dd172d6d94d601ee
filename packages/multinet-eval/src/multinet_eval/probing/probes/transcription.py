"""``board``: the whole board, transcribed as a map of characters with a legend."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from multinet_eval.probing.board import MAP_FORM, Board, draw_board, read_board
from multinet_eval.probing.grading import Grade, overlap, verdict
from multinet_eval.probing.probe import Probe, ProbeQuestion
from multinet_eval.probing.probes.overlaps import grade_things
from multinet_eval.probing.scene import Scene

__all__ = ["TranscriptionProbe"]


class TranscriptionProbe(Probe):
    """Asks for a map of the board in the form of `MAP_FORM`, from which a task could be read."""

    name = "board"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """One question."""
        yield ProbeQuestion(f"Transcribe the board. Answer with a JSON object with {MAP_FORM}", draw_board(scene))

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> Board:
        """The board."""
        return read_board(said)

    def grade(self, question: ProbeQuestion, truth: Board, answer: Board) -> Grade:
        """Micro-F1 of the things, without walls and floor; that of the walls; the agent's cell; the size; all of it."""
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
