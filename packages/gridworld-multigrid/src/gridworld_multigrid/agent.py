"""What the agent of the multi-tiling backend can do: its nine native actions, and how the seven external ones map."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from operator import index
from typing import SupportsIndex

from gridworld.actions import ACTION_SPACE
from gridworld.actions import Action as ExternalAction
from gridworld.errors import InvalidAction
from gridworld.world import State, World, acts
from gridworld.world.acts import Act, Outcome

__all__ = ["NATIVE_ACTION_SPACE", "TRANSLATION", "Action", "external_act", "native_act"]


class Action(IntEnum):
    """What the agent can do in one step."""

    FORWARD = 0
    """Step into the cell in front, pushing a block that is there."""
    BACKWARD = 1
    """Step into the cell behind without turning round; never pushes."""
    TURN_LEFT = 2
    TURN_RIGHT = 3
    PICKUP = 4
    DROP = 5
    TOGGLE = 6
    PUSH = 7
    """Push the block in front and follow it; without one nothing happens."""
    WAIT = 8


NATIVE_ACTION_SPACE: dict[int, str] = {action.value: action.name.lower() for action in Action}
"""Native action id to name."""

TRANSLATION: dict[ExternalAction, Action] = {
    ExternalAction.TURN_LEFT: Action.TURN_LEFT,
    ExternalAction.TURN_RIGHT: Action.TURN_RIGHT,
    ExternalAction.MOVE_FORWARD: Action.FORWARD,
    ExternalAction.PICKUP: Action.PICKUP,
    ExternalAction.DROP: Action.DROP,
    ExternalAction.TOGGLE: Action.TOGGLE,
    ExternalAction.DONE: Action.WAIT,
}
"""External action to the native one; nothing external maps to `BACKWARD` and `PUSH`."""

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
EXTERNAL_ACTS: dict[int, Act] = {external: ACTS[native] for external, native in TRANSLATION.items()}


def native_act(action: SupportsIndex) -> Act:
    """The kernel's act of a native action, given as any kind of integer.

    For what is none of the nine it is an act that raises `InvalidAction` when it is performed.
    """
    return _act_of(action, ACTS, NATIVE_ACTION_SPACE)


def external_act(action: SupportsIndex) -> Act:
    """The kernel's act of the native action that an external one translates to, given as any kind of integer.

    For what is none of the seven it is an act that raises `InvalidAction` when it is performed.
    """
    return _act_of(action, EXTERNAL_ACTS, ACTION_SPACE)


def _act_of(action: SupportsIndex, known: Mapping[int, Act], space: Mapping[int, str]) -> Act:
    # Refused only when performed: that the episode is over, or has not begun, is the kernel's to say first.
    try:
        return known[index(action)]
    except (KeyError, TypeError):
        return _refusal(f"action {action!r} is not in the action space {space}")


def _refusal(message: str) -> Act:
    def refuse(world: World, state: State) -> Outcome:
        raise InvalidAction(message)

    return refuse
