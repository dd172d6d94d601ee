"""How long is waited before a server is asked again."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.play.limits import Backoff


class Unlucky(random.Random):
    """Always the largest number."""

    def random(self) -> float:
        return 1.0


def test_the_longest_possible_wait_grows_by_a_factor_up_to_a_limit() -> None:
    backoff = Backoff(first=0.5, factor=3, longest=10, rng=Unlucky())
    assert [backoff.delay(retry) for retry in range(5)] == [0.5, 1.5, 4.5, 10, 10]


@given(retry=st.integers(0, 5000), seed=st.integers(), retry_after=st.none() | st.floats())
def test_every_wait_lies_between_nothing_and_the_longest(retry: int, seed: int, retry_after: float | None) -> None:
    assert 0 <= Backoff(rng=random.Random(seed)).delay(retry, retry_after) <= Backoff().longest


def test_any_wait_up_to_the_longest_possible_one_may_come() -> None:
    backoff = Backoff(first=1, rng=random.Random(3))
    delays = sorted(backoff.delay(0) for _ in range(1000))
    assert delays[0] < 0.01
    assert delays[500] == pytest.approx(0.5, abs=0.1)
    assert delays[-1] > 0.99


def test_a_server_is_not_called_before_the_time_that_it_asks_for() -> None:
    assert Backoff(rng=random.Random(0)).delay(0, retry_after=7.5) == 7.5
    assert Backoff(rng=Unlucky()).delay(2, retry_after=0.1) == 4.0


def test_what_a_server_asks_for_is_limited_too() -> None:
    assert Backoff(longest=20).delay(0, retry_after=3600) == 20


def test_the_global_generator_is_left_alone() -> None:
    before = random.getstate()
    Backoff().delay(3)
    assert random.getstate() == before
