"""Protocols, which define how many actions a reply holds, and policies for unusable answers."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from enum import StrEnum

import attrs

from gridworld.actions import Action
from gridworld.errors import Owner, PluginFault, describe_value
from gridworld.model_interface import AnswerOutcome, ReplyForm
from gridworld.model_interface.base import ONE_ACTION
from gridworld.runner.record import Step
from gridworld.support.faults import calling
from gridworld.world.events import Teleported


class Protocol(ABC):
    """A way of asking a model for actions; stateless, since one protocol serves many episodes at once."""

    @property
    @abstractmethod
    def reply(self) -> ReplyForm:
        """The expected form of a reply."""

    @abstractmethod
    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        """Whether to play the next action of the same reply instead of asking again.

        Args:
            after: the last step.
            came_into_view: whether the last step brought something new into view.
        """

    @property
    def max_replies(self) -> int | None:
        """Maximum number of replies with actions in an episode; None for no limit."""
        return None


class StepByStep(Protocol):
    """One action per reply."""

    @property
    def reply(self) -> ReplyForm:
        """Form of a reply with a single action."""
        return ONE_ACTION

    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        """Return False: every action needs its own reply."""
        return False


class Chunk(Protocol):
    """Several actions per reply, played until something unforeseen happens.

    Args:
        size: maximum number of actions per reply, at least 1.

    Raises:
        ValueError: `size` is less than 1.
    """

    def __init__(self, size: int) -> None:
        self._reply = ReplyForm(max_actions=size)

    @property
    def reply(self) -> ReplyForm:
        """Form of a reply with up to `size` actions."""
        return self._reply

    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        """Whether the action, unless ``done``, had an effect, nothing new came into view, and no teleport happened."""
        if came_into_view or (after.action != Action.DONE and after.is_ineffective):
            return False
        return not any(isinstance(event, Teleported) for event in after.events)


class Subgoal(Chunk):
    """A subgoal in words with the actions towards it, played until something unforeseen happens.

    Args:
        size: maximum number of actions per reply, at least 1.

    Raises:
        ValueError: `size` is less than 1.
    """

    def __init__(self, size: int = 20) -> None:
        self._reply = ReplyForm(max_actions=size, subgoal=True)


class Plan(Protocol):
    """All actions in one reply, played to the end.

    Args:
        replies: maximum number of plans in an episode, at least 1.

    Raises:
        ValueError: `replies` is less than 1.
    """

    def __init__(self, replies: int = 1) -> None:
        if replies < 1:
            raise ValueError(f"replies must be at least 1, got {replies}")
        self._replies = replies

    @property
    def reply(self) -> ReplyForm:
        """Form of a reply with any number of actions."""
        return ReplyForm(max_actions=None)

    def goes_on(self, after: Step, came_into_view: bool) -> bool:
        """Return True: a plan is played to its end."""
        return True

    @property
    def max_replies(self) -> int | None:
        """Maximum number of plans in an episode."""
        return self._replies


def check_protocol(protocol: Protocol, owner: Owner) -> None:
    """Check that a protocol declares its reply form and number of replies; raises PluginFault otherwise."""
    with calling(owner, "reply"):
        form: object = protocol.reply
        if not isinstance(form, ReplyForm):
            raise PluginFault(f"returned {describe_value(form)}, expected a ReplyForm")
    with calling(owner, "max_replies"):
        most: object = protocol.max_replies
        if most is not None and not isinstance(most, int):
            raise PluginFault(f"returned {describe_value(most)}, expected a whole number, or None")


FORM = re.compile(r"(?:retry:(?P<retries>\d{1,6})(?:,(?P<then>skip|fail))?|(?P<at_once>skip|fail))", re.ASCII)


class LastResort(StrEnum):
    """Handling of a step without a usable answer after all retries."""

    SKIP = "skip"
    """The step is lost: nothing happens in the world, but it counts against the budget."""
    FAIL = "fail"
    """The episode ends without success."""


@attrs.frozen
class FaultPolicy:
    """Number of retries of a step, and the action after the last one."""

    retries: int = 0
    """Number of retries, at least 0."""
    then: LastResort = LastResort.SKIP

    @classmethod
    def parse(cls, text: str, then: LastResort = LastResort.SKIP) -> FaultPolicy:
        """Parse ``skip``, ``fail``, ``retry:N``, ``retry:N,skip`` or ``retry:N,fail``.

        Args:
            text: the policy; whitespace is ignored.
            then: what happens after the retries if the text does not say.

        Raises:
            ValueError: the text has another form.
        """
        found = FORM.fullmatch("".join(text.split()).casefold())
        if found is None:
            raise ValueError(f"expected skip, fail, retry:N, retry:N,skip or retry:N,fail, got '{text}'")
        last = found["at_once"] or found["then"] or then
        return cls(int(found["retries"] or 0), LastResort(last))

    def __str__(self) -> str:
        """Format the policy as `parse` reads it."""
        return f"retry:{self.retries},{self.then}" if self.retries else str(self.then)


def _policy(value: FaultPolicy | str) -> FaultPolicy:
    return FaultPolicy.parse(value) if isinstance(value, str) else value


def _unforgiving_policy(value: FaultPolicy | str) -> FaultPolicy:
    """Convert a policy for faults that are not the model's and therefore must not cost it steps."""
    policy = FaultPolicy.parse(value, LastResort.FAIL) if isinstance(value, str) else value
    if policy.then is LastResort.SKIP:
        raise ValueError(
            f"expected retry:N or fail, got '{value}': a model loses no step to a fault that is not its own"
        )
    return policy


@attrs.frozen
class AnswerPolicies:
    """Policies of a run for unusable answers, each a `FaultPolicy` or its text.

    Raises:
        ValueError: a text is not a policy, or skips steps on infrastructure faults.
    """

    on_unparsable: FaultPolicy = attrs.field(default=FaultPolicy(2), converter=_policy)
    """Policy for answers that are unparsable or empty."""
    on_refused: FaultPolicy = attrs.field(default=FaultPolicy(), converter=_policy)
    on_illegal: FaultPolicy = attrs.field(default=FaultPolicy(), converter=_policy)
    on_infrastructure: FaultPolicy = attrs.field(default=FaultPolicy(5, LastResort.FAIL), converter=_unforgiving_policy)
    """Policy for faults of server and network; an episode that ends by one is not scored."""
    on_truncated: FaultPolicy = attrs.field(default=FaultPolicy(1), converter=_policy)
    """Policy for answers cut off at their maximum length."""

    def of(self, outcome: AnswerOutcome) -> FaultPolicy:
        """Return the policy for a kind of fault."""
        policies = {
            AnswerOutcome.UNPARSABLE: self.on_unparsable,
            AnswerOutcome.TRUNCATED: self.on_truncated,
            AnswerOutcome.REFUSED: self.on_refused,
            AnswerOutcome.ILLEGAL: self.on_illegal,
            AnswerOutcome.INFRASTRUCTURE: self.on_infrastructure,
        }
        return policies[self.kind_of(outcome)]

    def kind_of(self, outcome: AnswerOutcome) -> AnswerOutcome:
        """Return the kind that stands for all faults with the same policy and count of retries."""
        return AnswerOutcome.UNPARSABLE if outcome is AnswerOutcome.EMPTY else outcome
