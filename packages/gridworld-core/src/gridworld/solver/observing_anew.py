"""How an oracle that goes on with an episode comes to know again what it has observed of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gridworld.model_interface import OracleInterface
from gridworld.world.rules import transition
from gridworld.world.world import World

if TYPE_CHECKING:
    from gridworld.runner.record import Step

__all__ = ["observe_anew"]


def observe_anew(oracle: OracleInterface, world: World, steps: Sequence[Step]) -> None:
    """Let an oracle observe the state before each step of an episode.

    Args:
        oracle: has looked into the world.
        world: the task.
        steps: what was done from its start on.
    """
    state = world.start
    for step in steps:
        oracle.observe(state)
        if step.action is not None:
            state, _ = transition(world, state, step.action)
