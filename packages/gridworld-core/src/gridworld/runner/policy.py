"""What a policy is: a function from what is known before a step to an action."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from gridworld.backends.grid_state import GridState
from gridworld.runner.record import Decision

__all__ = ["PolicyAnswer", "PolicyFunction", "Stop", "read_answer"]


class Stop(Enum):
    """What a policy answers instead of an action when it has none: the episode is left as it is."""

    STOP = "stop"


PolicyAnswer = int | Stop | tuple[int, dict[str, Any]]
"""An action, an action with a dictionary to keep in the trajectory, or `Stop.STOP`."""

PolicyFunction = Callable[[Any, GridState, str], PolicyAnswer]
"""``policy_fn(observation, state, mission)``; `state` holds only what the agent has been shown."""


def read_answer(answer: PolicyAnswer) -> tuple[Decision, dict[str, Any]]:
    """The decision, and the dictionary that came with it or an empty one."""
    action, policy_info = answer if isinstance(answer, tuple) else (answer, {})
    return Decision.stop() if isinstance(action, Stop) else Decision.act(action), policy_info
