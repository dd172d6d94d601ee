"""Actions as people and programs write them down: by id or by name."""

from __future__ import annotations

from collections.abc import Mapping

from gridworld.errors import describe_value
from gridworld.model_interface.answers import AnswerFault, AnswerOutcome
from gridworld.support.suggestions import nearest_hint

__all__ = ["read_action"]


def read_action(value: object, action_space: Mapping[int, str]) -> int:
    """The id of an action.

    Args:
        value: its id, as an integer, or its name.
        action_space: action id to name.

    Raises:
        AnswerFault: `ILLEGAL` for an integer or a string that is not an action, with the nearest name;
            `UNPARSABLE` for anything else.
    """
    known = ", ".join(f"{number} {name}" for number, name in sorted(action_space.items()))
    if isinstance(value, str):
        ids = {name: number for number, name in action_space.items()}
        if value in ids:
            return ids[value]
        hint = nearest_hint(value, ids)
        raise AnswerFault(AnswerOutcome.ILLEGAL, f"'{value}' is not an action{hint}; there are {known}")
    if not isinstance(value, int) or isinstance(value, bool):
        message = f"expected the id or the name of an action ({known}), got {describe_value(value)}"
        raise AnswerFault(AnswerOutcome.UNPARSABLE, message)
    if value not in action_space:
        raise AnswerFault(AnswerOutcome.ILLEGAL, f"{value} is not an action; there are {known}")
    return value
