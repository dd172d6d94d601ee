"""Limits of requests, on a clock that only moves when it is set."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import AnswerOutcome, Trouble, Usage
from gridworld.runner.record import Request
from multinet_eval.play.limits import Backoff, Budget, Failures, Limits, Stopped, StopReason
from multinet_eval.settings.spending import BudgetLimits

ANSWER = Request(AnswerOutcome.OK, action=2)
OVERLOADED = Request(AnswerOutcome.INFRASTRUCTURE, "busy", trouble=Trouble.OVERLOADED)
UNREACHABLE = Request(AnswerOutcome.INFRASTRUCTURE, "away", trouble=Trouble.UNREACHABLE)


class Clock:
    """Tells the time that it is set to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def make(clock: Clock, most: int = 8, patience: float = 60.0, budget: BudgetLimits | None = None) -> Limits:
    return Limits(most, Budget(budget or BudgetLimits(), clock=clock), patience, clock=clock)


def test_simultaneous_overloads_lower_the_concurrency_once() -> None:
    clock = Clock()
    limits = make(clock)
    assert limits.grant(20, clock.now) == 8
    generation = limits.generation
    for _ in range(8):
        limits.settle(OVERLOADED, clock.now, generation)
    assert limits.in_flight == 0
    assert limits.grant(20, clock.now) == 6


def test_answers_raise_the_concurrency_again_up_to_the_most() -> None:
    clock = Clock()
    limits = make(clock)
    limits.grant(1, clock.now)
    limits.settle(OVERLOADED, clock.now, limits.generation)
    for _ in range(200):
        assert limits.grant(1, clock.now) == 1
        limits.settle(ANSWER, clock.now, limits.generation)
    assert limits.grant(20, clock.now) == 8


def test_no_request_is_granted_before_retry_after() -> None:
    clock = Clock()
    limits = make(clock)
    limits.grant(1, clock.now)
    busy = Request(AnswerOutcome.INFRASTRUCTURE, "busy", trouble=Trouble.OVERLOADED, retry_after=30)
    limits.settle(busy, clock.now, limits.generation)
    assert (limits.grant(1, clock.now), limits.opens_at) == (0, 130.0)
    assert limits.grant(1, 130.0) == 1


def test_retry_after_is_bounded() -> None:
    clock = Clock()
    limits = make(clock, patience=5.0)
    limits.grant(1, clock.now)
    busy = Request(AnswerOutcome.INFRASTRUCTURE, "busy", trouble=Trouble.OVERLOADED, retry_after=1e9)
    limits.settle(busy, clock.now, limits.generation)
    assert limits.opens_at == 100.0 + Backoff().longest


def test_without_patience_every_fault_counts() -> None:
    clock = Clock()
    limits = make(clock, patience=0.0)
    limits.grant(1, clock.now)
    limits.settle(UNREACHABLE, clock.now, limits.generation)
    assert limits.handle_fault(UNREACHABLE, Failures()) is None


def test_an_outage_is_waited_for_up_to_the_patience() -> None:
    clock = Clock()
    limits = make(clock, patience=10.0)
    failures = Failures()
    limits.grant(1, clock.now)
    limits.settle(UNREACHABLE, clock.now, limits.generation)
    wait = limits.handle_fault(UNREACHABLE, failures)
    assert isinstance(wait, float)
    assert 0.0 <= wait <= 10.0
    clock.now += 10.0
    limits.grant(1, clock.now)
    limits.settle(UNREACHABLE, clock.now, limits.generation)
    stopped = limits.handle_fault(UNREACHABLE, failures)
    assert isinstance(stopped, Stopped)
    assert (stopped.reason, stopped.message) == (
        StopReason.OUTAGE,
        "the server has answered nothing for 10 seconds: away",
    )


def test_an_answer_ends_an_outage() -> None:
    clock = Clock()
    limits = make(clock, patience=10.0)
    for request in (UNREACHABLE, ANSWER):
        limits.grant(1, clock.now)
        limits.settle(request, clock.now, limits.generation)
    clock.now += 20.0
    limits.grant(1, clock.now)
    limits.settle(UNREACHABLE, clock.now, limits.generation)
    assert isinstance(limits.handle_fault(UNREACHABLE, Failures()), float)


def test_failures_beside_answered_requests_count() -> None:
    clock = Clock()
    limits = make(clock)
    failures = Failures()
    limits.settle(UNREACHABLE, clock.now, limits.generation)
    assert isinstance(limits.handle_fault(UNREACHABLE, failures), float)
    clock.now += 5.0
    limits.settle(ANSWER, clock.now, limits.generation)
    limits.settle(UNREACHABLE, clock.now, limits.generation)
    assert limits.handle_fault(UNREACHABLE, failures) is None


def test_a_request_that_has_failed_for_longer_than_the_patience_counts() -> None:
    """However many others are answered meanwhile."""
    clock = Clock()
    limits = make(clock, patience=10.0)
    failures = Failures()
    for wait, repeated in ((6.0, True), (6.0, True), (0.0, False)):
        limits.settle(ANSWER, clock.now, limits.generation)
        limits.settle(OVERLOADED, clock.now, limits.generation)
        assert isinstance(limits.handle_fault(OVERLOADED, failures), float) == repeated
        clock.now += wait


def test_the_first_request_of_a_token_budget_is_made_alone() -> None:
    clock = Clock()
    limits = make(clock, budget=BudgetLimits(tokens=100))
    assert limits.grant(4, clock.now) == 1
    usage = Usage(prompt_tokens=15, completion_tokens=5)
    limits.settle(Request(AnswerOutcome.OK, action=2, usage=usage), clock.now, limits.generation)
    assert limits.grant(8, clock.now) == 4, "four more of 20 tokens fit beside the 20 that are spent"


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (BudgetLimits(requests=1), "the limit of 1 requests is reached"),
        (BudgetLimits(tokens=20), "the limit of 20 tokens is reached"),
    ],
)
def test_a_budget_that_is_spent_is_named(budget: BudgetLimits, message: str) -> None:
    clock = Clock()
    limits = make(clock, budget=budget)
    assert limits.budget.reached() is None
    limits.grant(1, clock.now)
    usage = Usage(prompt_tokens=15, completion_tokens=5)
    limits.settle(Request(AnswerOutcome.OK, action=2, usage=usage), clock.now, limits.generation)
    reached = limits.budget.reached()
    assert reached is not None
    assert reached.message == message


def test_cached_answers_are_no_requests() -> None:
    clock = Clock()
    limits = make(clock)
    limits.settle(Request(AnswerOutcome.OK, action=2, cached=True), clock.now, limits.generation)
    assert (limits.in_flight, limits.budget.spent.requests, limits.budget.spent.cached) == (0, 0, 1)


class Unlucky(random.Random):
    """Always the largest number."""

    def random(self) -> float:
        return 1.0


def test_the_longest_wait_grows_exponentially_to_a_limit() -> None:
    backoff = Backoff(first=0.5, factor=3, longest=10, rng=Unlucky())
    assert [backoff.delay(retry) for retry in range(5)] == [0.5, 1.5, 4.5, 10, 10]


@given(retry=st.integers(0, 5000), seed=st.integers(), retry_after=st.none() | st.floats())
def test_waits_lie_between_0_and_the_longest(retry: int, seed: int, retry_after: float | None) -> None:
    assert 0 <= Backoff(rng=random.Random(seed)).delay(retry, retry_after) <= Backoff().longest


def test_waits_are_uniform() -> None:
    backoff = Backoff(first=1, rng=random.Random(3))
    delays = sorted(backoff.delay(0) for _ in range(1000))
    assert delays[0] < 0.01
    assert delays[500] == pytest.approx(0.5, abs=0.1)
    assert delays[-1] > 0.99


def test_retry_after_is_respected() -> None:
    assert Backoff(rng=random.Random(0)).delay(0, retry_after=7.5) == 7.5
    assert Backoff(rng=Unlucky()).delay(2, retry_after=0.1) == 4.0


def test_retry_after_is_limited() -> None:
    assert Backoff(longest=20).delay(0, retry_after=3600) == 20
