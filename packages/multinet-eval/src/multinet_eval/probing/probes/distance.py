"""``distance``: how many actions the goal is away."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from gridworld.solver import solve
from multinet_eval.probing.grading import Grade, Item, Unreadable, verdict
from multinet_eval.probing.probe import Probe, ProbeQuestion
from multinet_eval.probing.probes.answers import read_integer
from multinet_eval.probing.scene import Scene

__all__ = ["DistanceProbe"]

MOST_STATES = 200_000
"""Where the solver gives up; the scene is then not asked about."""
NEAR = 0.2
"""An answer is near if it is off by no more than this share of the truth."""


class DistanceProbe(Probe):
    """Asks for the length of a shortest plan from here."""

    name = "distance"
    needs_everything = True

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """One question, where there is a plan."""
        length = solve(scene.world, MOST_STATES, scene.state).length
        if length is None:
            return
        text = (
            f"The mission is: {scene.input.text_prompt}\n"
            "What is the least number of actions that accomplishes it from here, turns counted? Answer with a JSON "
            'object: {"actions": number}.'
        )
        yield ProbeQuestion(text, {"actions": length})

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> int:
        """The number."""
        number = read_integer(said, "actions")
        if number < 0:
            raise Unreadable(f"actions: expected at least 0, got {number}")
        return number

    def grade(self, question: ProbeQuestion, truth: int, answer: int) -> Grade:
        """The shares of answers that are right, and of those within `NEAR` of it."""
        scores = {"right": verdict(answer == truth), "near": verdict(abs(answer - truth) <= NEAR * truth)}
        return Grade(scores, (Item({"distance": _band(truth)}, _band(answer), answer == truth),))


def _band(length: int) -> str:
    return "1-4" if length < 5 else "5-9" if length < 10 else "10-19" if length < 20 else "20+"
