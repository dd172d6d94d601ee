"""``front``: what is on the cell in front of the agent."""

from __future__ import annotations

import random
from collections.abc import Iterable

from gridworld.world.topology import NO_CELL
from multinet_eval.probing.board import board_of, contents_of
from multinet_eval.probing.names import read_names
from multinet_eval.probing.probe import ProbeQuestion
from multinet_eval.probing.probes.options import BARE, OptionsProbe, absent_things, options_question
from multinet_eval.probing.scene import Scene

__all__ = ["FrontProbe"]


class FrontProbe(OptionsProbe):
    """Asks what the agent faces; what a sealed seam or a corner bars is a wall."""

    name = "front"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """One question, unless the cell in front is not shown."""
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
