"""`Retries`: whether a request without a usable answer is made once more, as the policies have it."""

from __future__ import annotations

from collections import Counter

import attrs

from gridworld.model_interface import AnswerOutcome
from gridworld.runner.record import Request
from multinet_eval.settings.policies import AnswerPolicies, fault_kind

__all__ = ["Retries", "Retry"]


@attrs.frozen
class Retry:
    """Why a request is repeated after an infrastructure fault, before which one waits."""

    number: int
    """The number of the retry, from 1."""
    retries: int
    """How many retries the policy allows."""
    reason: str
    """What came of the request last."""
    retry_after: float | None
    """The seconds after which the server asks to be called again, if it does."""


class Retries:
    """Counts the requests for one answer, each kind of fault apart.

    Args:
        policies: how often to ask again after which fault.
    """

    def __init__(self, policies: AnswerPolicies) -> None:
        self._policies = policies
        self._made = Counter[AnswerOutcome]()

    def after(self, fault: Request) -> Retry | None:
        """The next request after one that has no usable answer; None if there is to be none."""
        kind, allowed = fault_kind(fault.outcome), self._policies.of(fault.outcome).retries
        if fault.permanent or self._made[kind] == allowed:
            return None
        self._made[kind] += 1
        return Retry(self._made[kind], allowed, fault.message, fault.retry_after)
