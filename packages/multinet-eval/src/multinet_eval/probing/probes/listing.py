"""``listing``: all things, each with its colour, kind, state and place."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from gridworld.task_spec import Position
from multinet_eval.probing.board import SeenThing, board_of
from multinet_eval.probing.grading import Grade, Unreadable
from multinet_eval.probing.names import read_names
from multinet_eval.probing.probe import Probe, ProbeQuestion
from multinet_eval.probing.probes.answers import read_cell, read_word
from multinet_eval.probing.probes.overlaps import grade_things
from multinet_eval.probing.scene import Scene

__all__ = ["ListingProbe"]


class ListingProbe(Probe):
    """Asks for a list of everything but walls, floor and the agent."""

    name = "listing"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """One question."""
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
        """The things."""
        listed = said.get("things")
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            raise Unreadable("things: expected a list of objects")
        return frozenset(
            SeenThing(read_cell(each, "cell"), name) for each in listed for name in read_names(read_word(each, "thing"))
        )

    def grade(self, question: ProbeQuestion, truth: frozenset[SeenThing], answer: frozenset[SeenThing]) -> Grade:
        """Micro-F1 over (cell, kind, colour, state); the best under a shift of all; and whether all of it is right."""
        return grade_things(truth, answer, Position(*question.facts["agent"]))
