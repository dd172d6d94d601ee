"""The sign-flip test: exact for few mazes, sampled for many, McNemar's for single successes; and its intervals."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics import paired_tests
from multinet_eval.statistics.paired_tests import (
    EXACT_CLUSTERS,
    EXACT_SUBSETS,
    LEVEL,
    SAMPLES,
    SignFlip,
    TestKind,
    sign_flip_interval,
    sign_flip_test,
)
from support.thoroughness import bounded

FIFTHS = st.integers(-5, 5).map(lambda number: number / 5)


def by_definition(differences: list[float]) -> float:
    """The share of all ways to give signs that come out as far from 0."""
    least = abs(sum(differences)) - 1e-9
    sums = [sum(signs) for signs in product(*((each, -each) for each in differences))]
    return sum(abs(each) >= least for each in sums) / len(sums)


@bounded(30)
@given(st.lists(FIFTHS, max_size=9))
def test_it_is_the_share_of_all_signs_that_come_out_as_far_from_0(differences: list[float]) -> None:
    assert sign_flip_test(differences, 0).p_value == pytest.approx(by_definition(differences))


@given(st.lists(FIFTHS, max_size=18))
def test_neither_the_order_of_runs_nor_that_of_mazes_nor_mazes_without_a_difference_change_it(
    differences: list[float],
) -> None:
    found = sign_flip_test(differences, 0)
    assert 0 < found.p_value <= 1
    for other in ([-each for each in differences], differences[::-1], [*differences, 0.0, 0.0]):
        assert sign_flip_test(other, 0) == found


@pytest.mark.parametrize(
    ("won", "lost", "p_value"),
    [
        (1, 0, 1.0),
        (5, 0, 0.0625),
        (6, 0, 0.03125),
        (10, 2, 0.03857421875),
        (3, 3, 1.0),
        (15, 5, 0.04138947),
    ],
)
def test_single_successes_are_compared_by_the_exact_test_of_mcnemar(won: int, lost: int, p_value: float) -> None:
    """Tables of the binomial distribution with p = ½."""
    found = sign_flip_test([1.0] * won + [-1.0] * lost + [0.0] * 7, 0)
    assert found.kind is TestKind.MCNEMAR
    assert found.p_value == pytest.approx(p_value)


def test_nothing_is_tested_where_no_maze_differs() -> None:
    assert sign_flip_test([0.0] * 7, 0) == sign_flip_test([], 0) == SignFlip(1.0, TestKind.NONE)


def test_it_is_exact_up_to_a_number_of_mazes_and_sampled_beyond() -> None:
    few, many = [0.5] * EXACT_CLUSTERS, [0.5] * (EXACT_CLUSTERS + 1)
    assert sign_flip_test(few, 0).kind is TestKind.EXACT
    assert sign_flip_test(few, 0).p_value == 2 / 2**EXACT_CLUSTERS
    assert sign_flip_test([*few, 0.0], 0).kind is TestKind.EXACT
    assert sign_flip_test(many, 0).kind is TestKind.SAMPLED


def test_what_is_sampled_is_close_to_what_is_exact_and_never_0() -> None:
    """Halves are all alike, so that the exact test of as many single successes says the same."""
    for won, lost in ((20, 10), (18, 14), (60, 40)):
        exact = sign_flip_test([1.0] * won + [-1.0] * lost, 0).p_value
        sampled = sign_flip_test([0.5] * won + [-0.5] * lost, 0).p_value
        assert sampled == pytest.approx(exact, abs=4 * (exact * (1 - exact) / SAMPLES) ** 0.5)
    assert sign_flip_test([0.5] * 60, 0).p_value == 1 / (1 + SAMPLES)


def test_a_seed_gives_the_same_in_every_order() -> None:
    differences = [0.2] * 20 + [-0.6] * 3 + [0.4] * 5
    assert sign_flip_test(differences, 1) == sign_flip_test(differences[::-1], 1)
    assert sign_flip_test(differences, 1) != sign_flip_test(differences, 2)


def interval(differences: list[float]) -> tuple[float, float]:
    return sign_flip_interval(differences, sign_flip_test(differences, 0).p_value, 0)


def refuted(differences: list[float], mean: float) -> bool:
    """Whether the test, of the differences with 1 and -1 among them, refutes a mean."""
    return by_definition([each - mean for each in (*differences, 1.0, -1.0)]) <= LEVEL


@pytest.mark.parametrize(
    "differences",
    [[0.8] * 10, [1.0, 1.0, 0.6, 0.2, 1.0, -0.2, 0.4, 0.8, 0.4], [0.05, 0.0, -0.1, 0.2, 0.0, 0.1]],
    ids=["alike", "scattered", "small"],
)
def test_an_interval_ends_where_the_test_begins_to_refute(differences: list[float]) -> None:
    low, high = interval(differences)
    assert refuted(differences, low - 1e-6)
    assert refuted(differences, high + 1e-6)
    assert not refuted(differences, low + 1e-6)
    assert not refuted(differences, high - 1e-6)


def test_an_interval_reaches_0_where_the_test_shows_nothing_and_ends_short_of_it_where_it_does() -> None:
    """Of five mazes no p-value is below 0.0625, and of six that differ alike it is 0.03125, however little they do."""
    assert interval([1.0] * 5)[0] == 0
    assert 0 < interval([0.02] * 6)[0] < 1e-6


@pytest.mark.parametrize("differences", [[], [1.0], [1.0] * 3], ids=str)
def test_three_mazes_show_nothing(differences: list[float]) -> None:
    assert interval(differences) == (-1, 1)


def test_mazes_without_a_difference_bound_the_share_of_mazes_that_differ() -> None:
    """Of 30 mazes none differs with a probability of 0.025 if 11.6 % of all mazes do."""
    assert interval([0.0] * 30) == pytest.approx((-0.1157, 0.1157), abs=5e-5)
    assert interval([0.0]) == pytest.approx((-0.975, 0.975))


@given(st.lists(FIFTHS, max_size=20))
def test_the_order_of_runs_turns_the_interval_around(differences: list[float]) -> None:
    low, high = interval(differences)
    assert interval([-each for each in differences]) == pytest.approx((-high, -low))
    assert interval(differences[::-1]) == pytest.approx((low, high))


def random_tables(number: int) -> list[list[float]]:
    """Differences of 1 to 24 mazes of few and of many values, near 0 and far from it."""
    rng, found = np.random.default_rng(11), []
    for _ in range(number):
        plays, size = rng.integers(1, 13), rng.integers(1, 25)
        first, second = rng.binomial(plays, rng.random(2)[:, None], (2, size))
        found.append(list((first - second) / plays * rng.choice([1, 0.3])))
    return found


@pytest.mark.parametrize("number", [200, pytest.param(2000, marks=pytest.mark.thorough)])
def test_interval_and_test_never_contradict_each_other(number: int) -> None:
    for differences in random_tables(number):
        low, high = interval(differences)
        assert (low <= 0 <= high) == (sign_flip_test(differences, 0).p_value > LEVEL), differences
        assert -1 <= low <= np.mean(differences) <= high <= 1, differences


def test_intervals_of_random_subsets_are_close_to_those_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [0.1, 0.4, -0.2, 0.3, 0.0, 0.2, 0.5, 0.2] * 2
    drawn = interval(many)
    monkeypatch.setattr(paired_tests, "EXACT_SUBSETS", len(many) + 2)
    assert len(many) + 2 > EXACT_SUBSETS
    assert drawn == pytest.approx(interval(many), abs=0.01)
