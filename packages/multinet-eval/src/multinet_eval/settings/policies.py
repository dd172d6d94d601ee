"""Policies for steps to which a model has no usable answer, one for each kind of fault."""

from __future__ import annotations

import re
from enum import StrEnum

import attrs

from gridworld.model_interface import AnswerOutcome

FORM = re.compile(r"(?:retry:(?P<retries>\d{1,6})(?:,(?P<then>skip|fail))?|(?P<at_once>skip|fail))", re.ASCII)


class LastResort(StrEnum):
    """Fate of a step without a usable answer."""

    SKIP = "skip"
    """The step is lost: nothing happens in the world, and the budget has one step less."""
    FAIL = "fail"
    """The episode ends, unsuccessful."""


@attrs.frozen
class FaultPolicy:
    """Number of retries of a step, and its fate after them."""

    retries: int = 0
    """At least 0."""
    then: LastResort = LastResort.SKIP

    @classmethod
    def parse(cls, text: str, then: LastResort = LastResort.SKIP) -> FaultPolicy:
        """Read ``skip``, ``fail``, ``retry:N``, ``retry:N,skip`` or ``retry:N,fail``.

        Args:
            text: the policy; blanks are ignored.
            then: the fate after the retries where the text states none.

        Raises:
            ValueError: the text has another form.
        """
        found = FORM.fullmatch("".join(text.split()).casefold())
        if found is None:
            raise ValueError(f"expected skip, fail, retry:N, retry:N,skip or retry:N,fail, got '{text}'")
        last = found["at_once"] or found["then"] or then
        return cls(int(found["retries"] or 0), LastResort(last))

    def __str__(self) -> str:
        """The text that `parse` reads."""
        return f"retry:{self.retries},{self.then}" if self.retries else str(self.then)


def _policy(value: FaultPolicy | str) -> FaultPolicy:
    return FaultPolicy.parse(value) if isinstance(value, str) else value


def _unforgiving_policy(value: FaultPolicy | str) -> FaultPolicy:
    """Policy for faults that no model is to blame for: no step may be lost to them."""
    policy = FaultPolicy.parse(value, LastResort.FAIL) if isinstance(value, str) else value
    if policy.then is LastResort.SKIP:
        raise ValueError(
            f"expected retry:N or fail, got '{value}': a model loses no step to a fault that is not its own"
        )
    return policy


@attrs.frozen
class AnswerPolicies:
    """Policies of a run, each given as a `FaultPolicy` or its text.

    Raises:
        ValueError: a text is no policy, or skips steps on infrastructure faults.
    """

    on_unparsable: FaultPolicy = attrs.field(default=FaultPolicy(2), converter=_policy)
    """For answers that are unparsable, empty or truncated."""
    on_refused: FaultPolicy = attrs.field(default=FaultPolicy(), converter=_policy)
    on_illegal: FaultPolicy = attrs.field(default=FaultPolicy(), converter=_policy)
    on_infrastructure: FaultPolicy = attrs.field(default=FaultPolicy(5, LastResort.FAIL), converter=_unforgiving_policy)
    """For faults on the way to the model and back; an episode that one ends is not scored."""

    def of(self, outcome: AnswerOutcome) -> FaultPolicy:
        """Policy for a kind of fault."""
        policies = {
            AnswerOutcome.UNPARSABLE: self.on_unparsable,
            AnswerOutcome.REFUSED: self.on_refused,
            AnswerOutcome.ILLEGAL: self.on_illegal,
            AnswerOutcome.INFRASTRUCTURE: self.on_infrastructure,
        }
        return policies[fault_kind(outcome)]


def fault_kind(outcome: AnswerOutcome) -> AnswerOutcome:
    """Kind that stands for all faults that share a policy and a count of retries."""
    unreadable = (AnswerOutcome.EMPTY, AnswerOutcome.TRUNCATED)
    return AnswerOutcome.UNPARSABLE if outcome in unreadable else outcome
