"""`Protocol`: how many actions a reply of a model holds, and how far they are played before it is asked again."""

from __future__ import annotations

from abc import ABC, abstractmethod

from gridworld.model_interface import ReplyForm
from gridworld.runner.record import Step

__all__ = ["Protocol"]


class Protocol(ABC):
    """How a model is asked for actions. One protocol serves many episodes at once, and keeps nothing of them."""

    @property
    @abstractmethod
    def reply(self) -> ReplyForm:
        """What a reply holds."""

    @abstractmethod
    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        """Whether the next action of the same reply is played, instead of asking again.

        Args:
            after: the step that was taken last.
            came_into_view: whether it brought a thing into view that had not been seen before.
        """

    @property
    def max_replies(self) -> int | None:
        """How many replies with actions an episode may have, after which it ends; None for any number."""
        return None
