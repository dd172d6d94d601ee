"""How many requests are let through at once, and when none is."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.play.gate import Gate


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gate(clock: Clock) -> Gate:
    """For eight at once."""
    return Gate(8, threading.Event(), clock)


def entered(gate: Gate) -> int:
    ticket = gate.enter_now()
    assert ticket is not None
    return ticket


def test_nobody_is_let_through_for_as_long_as_a_server_asks(gate: Gate, clock: Clock) -> None:
    gate.leave(entered(gate), overloaded=True, answered=False, retry_after=30.0)
    clock.now += 29.9
    assert gate.enter_now() is None
    clock.now += 0.2
    assert gate.enter_now() is not None


@given(st.lists(st.tuples(st.floats(0, 60), st.floats(0, 10)), min_size=1, max_size=8))
def test_the_longest_of_many_waits_holds(waits: list[tuple[float, float]]) -> None:
    clock = Clock()
    gate = Gate(8, threading.Event(), clock)
    tickets = [entered(gate) for _ in waits]
    opens = 0.0
    for ticket, (asked, passed) in zip(tickets, waits, strict=True):
        gate.leave(ticket, overloaded=True, answered=False, retry_after=asked)
        opens = max(opens, clock.now + asked)
        clock.now += passed
    assert (gate.enter_now() is None) == (clock.now < opens)


def test_those_who_wait_are_let_through_when_the_wait_is_over(gate: Gate, clock: Clock) -> None:
    other = entered(gate)
    gate.leave(entered(gate), overloaded=True, answered=False, retry_after=30.0)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(gate.enter)
        clock.now += 31
        gate.leave(other, overloaded=False, answered=True)
        assert waiting.result(timeout=30) is not None


def test_requests_in_flight_together_are_one_sign_of_too_many(gate: Gate) -> None:
    tickets = [entered(gate) for _ in range(8)]
    assert gate.enter_now() is None
    for ticket in tickets:
        gate.leave(ticket, overloaded=True, answered=False)
    assert (gate.limit, gate.in_flight) == (6, 0)


def test_answers_let_more_through_but_never_more_than_the_most(gate: Gate) -> None:
    gate.leave(entered(gate), overloaded=True, answered=False)
    for _ in range(100):
        gate.leave(entered(gate), overloaded=False, answered=True)
    assert gate.limit == 8


def test_one_is_always_let_through(gate: Gate) -> None:
    for _ in range(50):
        gate.leave(entered(gate), overloaded=True, answered=False)
    assert gate.limit == 1


def test_nobody_is_let_through_once_the_run_is_to_stop() -> None:
    stopped = threading.Event()
    gate = Gate(8, stopped)
    stopped.set()
    assert gate.enter() is None
    assert gate.enter_now() is None
