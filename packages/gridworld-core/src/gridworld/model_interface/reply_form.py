"""`ReplyForm`: what a reply to one question holds."""

from __future__ import annotations

from typing import Any

import attrs

__all__ = ["ONE_ACTION", "ReplyForm"]


def _at_least_one(form: ReplyForm, attribute: Any, value: int | None) -> None:
    if value is not None and value < 1:
        raise ValueError(f"{attribute.name} must be at least 1, got {value}")


@attrs.frozen
class ReplyForm:
    """What a reply holds, beside the reasons for it.

    Raises:
        ValueError: `max_actions` is less than 1.
    """

    max_actions: int | None = attrs.field(default=1, validator=_at_least_one)
    """The most actions that it may hold; None for as many as it takes."""
    subgoal: bool = False
    """Whether it names a subgoal, in words."""
    note_length: int = 0
    """The most characters of the note that the model may leave itself; 0 for no note."""

    @property
    def holds_one_action(self) -> bool:
        """Whether it is asked for as a single action, and not as a list."""
        return self.max_actions == 1 and not self.subgoal


ONE_ACTION = ReplyForm()
"""A single action and nothing else, which every model can reply."""
