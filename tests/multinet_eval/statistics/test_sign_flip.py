"""The sign-flip test: exact for few mazes, sampled for many, and McNemar's for single successes."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypothesis_profiles import bounded
from multinet_eval.statistics.paired_tests import EXACT_CLUSTERS, SAMPLES, TestKind, sign_flip_test

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
        (0, 0, 1.0),
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
