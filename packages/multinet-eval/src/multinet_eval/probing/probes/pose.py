"""``pose``: where the agent is, and which way it faces."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from gridworld.observations.agent import describe_heading
from gridworld.task_spec import Position
from multinet_eval.probing.grading import Grade, Item, Unreadable, verdict
from multinet_eval.probing.probe import Probe, ProbeQuestion
from multinet_eval.probing.probes.answers import read_cell, read_word
from multinet_eval.probing.scene import Scene

__all__ = ["PoseProbe"]


class PoseProbe(Probe):
    """Asks for the agent's cell and direction; the directions are listed in the order that the dice give."""

    name = "pose"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """One question."""
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
        """The cell and the direction."""
        cell, facing = read_cell(said, "cell"), read_word(said, "facing")
        if facing not in question.facts["directions"]:
            raise Unreadable(f"facing: '{facing}' is none of the directions")
        return cell, facing

    def grade(self, question: ProbeQuestion, truth: tuple[Position, str], answer: tuple[Position, str]) -> Grade:
        """The share of right answers: both, the cell, the direction."""
        at, faces = answer[0] == truth[0], answer[1] == truth[1]
        scores = {"both": verdict(at and faces), "cell": verdict(at), "facing": verdict(faces)}
        return Grade(scores, (Item({"thing": f"facing {truth[1]}"}, f"facing {answer[1]}", faces),))
