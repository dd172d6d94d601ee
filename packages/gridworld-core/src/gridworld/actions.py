"""The seven actions of the external action space, numbered as in MiniGrid."""

from enum import IntEnum

__all__ = ["ACTION_SPACE", "Action"]


class Action(IntEnum):
    """An action that an agent can take in one step."""

    TURN_LEFT = 0
    TURN_RIGHT = 1
    MOVE_FORWARD = 2
    PICKUP = 3
    DROP = 4
    TOGGLE = 5
    DONE = 6


ACTION_SPACE: dict[int, str] = {action.value: action.name.lower() for action in Action}
"""Action names by id, as passed to models in `ModelInput.action_space`."""
