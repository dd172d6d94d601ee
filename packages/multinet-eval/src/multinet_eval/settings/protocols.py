"""Protocols: the number of actions in a reply, and how many of them are played before the model is asked again."""

from __future__ import annotations

from abc import ABC, abstractmethod

from gridworld.actions import Action
from gridworld.errors import PluginFault, describe_value
from gridworld.model_interface import ReplyForm
from gridworld.model_interface.base import ONE_ACTION
from gridworld.plugins.faults import blaming
from gridworld.runner.record import Step
from gridworld.world.events import Teleported


class Protocol(ABC):
    """Way of asking a model for actions. One protocol serves many episodes at once, and keeps nothing of them."""

    @property
    @abstractmethod
    def reply(self) -> ReplyForm:
        """Form of a reply."""

    @abstractmethod
    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        """Whether the next action of the same reply is played, instead of asking again.

        Args:
            after: the step that was taken last.
            came_into_view: whether it brought a thing into view that had not been seen before.
        """

    @property
    def max_replies(self) -> int | None:
        """Number of replies with actions after which an episode ends; None for no limit."""
        return None


class StepByStep(Protocol):
    """One action a reply."""

    @property
    def reply(self) -> ReplyForm:
        """A single action."""
        return ONE_ACTION

    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        """Never."""
        return False


class Chunk(Protocol):
    """Some actions a reply, played until something unforeseen happens.

    Args:
        size: the most actions of a reply, at least 1.

    Raises:
        ValueError: `size` is less than 1.
    """

    def __init__(self, size: int) -> None:
        self._reply = ReplyForm(max_actions=size)

    @property
    def reply(self) -> ReplyForm:
        """Up to `size` actions."""
        return self._reply

    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        """Until an action other than ``done`` has no effect, something new comes into view, or one is teleported."""
        if came_into_view or (after.action != Action.DONE and after.is_ineffective):
            return False
        return not any(isinstance(event, Teleported) for event in after.events)


class Subgoal(Chunk):
    """A subgoal in words and the actions toward it, played until something unforeseen happens.

    Args:
        size: the most actions of a reply, at least 1.

    Raises:
        ValueError: `size` is less than 1.
    """

    def __init__(self, size: int = 20) -> None:
        self._reply = ReplyForm(max_actions=size, subgoal=True)


class Plan(Protocol):
    """All actions at once; they are played to the end, whatever happens.

    Args:
        replies: the number of plans after which an episode ends, at least 1.

    Raises:
        ValueError: `replies` is less than 1.
    """

    def __init__(self, replies: int = 1) -> None:
        if replies < 1:
            raise ValueError(f"replies must be at least 1, got {replies}")
        self._replies = replies

    @property
    def reply(self) -> ReplyForm:
        """Any number of actions."""
        return ReplyForm(max_actions=None)

    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        """Always."""
        return True

    @property
    def max_replies(self) -> int | None:
        """Number of plans that an episode may have."""
        return self._replies


def check_protocol(protocol: Protocol, owner: str) -> None:
    """Check that a protocol states its reply and its number of replies; raises PluginFault if it does not."""
    with blaming(owner, "when it was asked what a reply holds"):
        form: object = protocol.reply
    if not isinstance(form, ReplyForm):
        raise PluginFault(f"{owner}: its reply is {describe_value(form)}, expected a ReplyForm")
    with blaming(owner, "when it was asked for its max_replies"):
        most: object = protocol.max_replies
    if most is not None and not isinstance(most, int):
        raise PluginFault(f"{owner}: its max_replies is {describe_value(most)}, expected a whole number, or None")
