"""What happens when a model has no usable answer to a step: a policy for each kind of fault."""

from __future__ import annotations

import re
from enum import StrEnum

import attrs

from gridworld.model_interface import AnswerOutcome

FORM = re.compile(r"(?:retry:(?P<retries>\d{1,6})(?:,(?P<then>skip|fail))?|(?P<at_once>skip|fail))", re.ASCII)


class LastResort(StrEnum):
    """What becomes of a step to which there is no usable answer."""

    SKIP = "skip"
    """The step is lost: nothing happens in the world, and the budget has one step less."""
    FAIL = "fail"
    """The episode ends, unsuccessful."""


@attrs.frozen
class FaultPolicy:
    """How often to ask again, and what follows when that has not helped."""

    retries: int = 0
    """How many times one step is asked for again, at least 0."""
    then: LastResort = LastResort.SKIP
    """What follows when it is not to be asked for once more."""

    @classmethod
    def parse(cls, text: str, then: LastResort = LastResort.SKIP) -> FaultPolicy:
        """Read ``skip``, ``fail``, ``retry:N``, ``retry:N,skip`` or ``retry:N,fail``.

        Args:
            text: what to read; blanks in it do not matter.
            then: what follows the retries where the text does not say.

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
    """The policy for faults that no model is to blame for: a step must not be lost to them."""
    policy = FaultPolicy.parse(value, LastResort.FAIL) if isinstance(value, str) else value
    if policy.then is LastResort.SKIP:
        raise ValueError(
            f"expected retry:N or fail, got '{value}': a model loses no step to a fault that is not its own"
        )
    return policy


@attrs.frozen
class AnswerPolicies:
    """The policies of a run; each may be given as a `FaultPolicy` or as the text of one.

    Raises:
        ValueError: a text that is no policy, or one that lets a step be lost to an infrastructure fault.
    """

    on_unparsable: FaultPolicy = attrs.field(default=FaultPolicy(2), converter=_policy)
    """For answers that are unparsable, empty or truncated."""
    on_refused: FaultPolicy = attrs.field(default=FaultPolicy(), converter=_policy)
    on_illegal: FaultPolicy = attrs.field(default=FaultPolicy(), converter=_policy)
    on_infrastructure: FaultPolicy = attrs.field(default=FaultPolicy(5, LastResort.FAIL), converter=_unforgiving_policy)
    """For faults on the way to the model and back; an episode that ends by one is not scored."""

    def of(self, outcome: AnswerOutcome) -> FaultPolicy:
        """The policy for one kind of fault."""
        policies = {
            AnswerOutcome.UNPARSABLE: self.on_unparsable,
            AnswerOutcome.REFUSED: self.on_refused,
            AnswerOutcome.ILLEGAL: self.on_illegal,
            AnswerOutcome.INFRASTRUCTURE: self.on_infrastructure,
        }
        return policies[fault_kind(outcome)]


def fault_kind(outcome: AnswerOutcome) -> AnswerOutcome:
    """The kind that stands for all faults that have one policy, and one count of retries, together."""
    unreadable = (AnswerOutcome.EMPTY, AnswerOutcome.TRUNCATED)
    return AnswerOutcome.UNPARSABLE if outcome in unreadable else outcome
