"""Actions of the multi-tiling backend: nine native ones, and the translation of the seven external ones."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from operator import index
from typing import SupportsIndex

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.actions import Action as ExternalAction
from gridworld.errors import InvalidAction
from gridworld.support.checks import check_choice
from gridworld.world import State, World, acts, rules
from gridworld.world.acts import Act, Outcome

__all__ = ["ACTION_SETS", "TRANSLATION", "Action", "ActionSet", "action_set"]


class Action(IntEnum):
    """A native action."""

    FORWARD = 0
    """Step into the cell in front, pushing a block there."""
    BACKWARD = 1
    """Step into the cell behind without turning; never pushes."""
    TURN_LEFT = 2
    TURN_RIGHT = 3
    PICKUP = 4
    DROP = 5
    TOGGLE = 6
    PUSH = 7
    """Push the block in front and follow it; does nothing without a block."""
    WAIT = 8


TRANSLATION: dict[ExternalAction, Action] = {
    ExternalAction.TURN_LEFT: Action.TURN_LEFT,
    ExternalAction.TURN_RIGHT: Action.TURN_RIGHT,
    ExternalAction.MOVE_FORWARD: Action.FORWARD,
    ExternalAction.PICKUP: Action.PICKUP,
    ExternalAction.DROP: Action.DROP,
    ExternalAction.TOGGLE: Action.TOGGLE,
    ExternalAction.DONE: Action.WAIT,
}
"""Native action for each external one; `BACKWARD` and `PUSH` have no external counterpart."""

ACTS: dict[int, Act] = {
    Action.FORWARD: acts.move_forward,
    Action.BACKWARD: acts.move_backward,
    Action.TURN_LEFT: acts.turn_left,
    Action.TURN_RIGHT: acts.turn_right,
    Action.PICKUP: acts.pickup,
    Action.DROP: acts.drop,
    Action.TOGGLE: acts.toggle,
    Action.PUSH: acts.push,
    Action.WAIT: acts.wait,
}


@attrs.frozen
class ActionSet:
    """A set of actions, numbered from 0."""

    names: Mapping[int, str]
    """Action id to name."""

    acts: Mapping[int, Act]
    """Action id to the kernel's act, in the same order."""

    def act(self, action: SupportsIndex) -> Act:
        """Return the kernel's act for an action, given as any kind of integer.

        For an action outside the set, returns an act that raises `InvalidAction` when performed, after the kernel has
        rejected actions in an episode that is over or has not begun.
        """
        try:
            return self.acts[index(action)]
        except (KeyError, TypeError):
            return _refusal(f"action {action!r} is not in the action space {self.names}")


ACTION_SETS: dict[str, ActionSet] = {
    "external": ActionSet(ACTION_SPACE, rules.ACTS),
    "native": ActionSet({action.value: action.name.lower() for action in Action}, ACTS),
}
"""Action sets by name: the seven external actions, common to all backends, and the nine native ones."""


def action_set(name: str) -> ActionSet:
    """Return the action set with a name; raises `ValueError` if there is none."""
    check_choice("actions", name, list(ACTION_SETS))
    return ACTION_SETS[name]


def _refusal(message: str) -> Act:
    def refuse(world: World, state: State) -> Outcome:
        raise InvalidAction(message)

    return refuse
