"""Runs beside each other, as functions of their scores."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.clusters import Observation
from multinet_eval.statistics.intervals import mean_interval
from multinet_eval.statistics.paired_differences import (
    Difference,
    compare_pairs,
    estimate_score,
)
from multinet_eval.statistics.paired_tests import TestKind, sign_flip_interval

Scores = Sequence[float | None]
SCORES = st.lists(st.none() | st.sampled_from([0.0, 1.0]), min_size=6, max_size=6)


def run_of(scores: Scores) -> list[Observation]:
    """One episode of each maze."""
    return [Observation(f"maze {number}", None, score) for number, score in enumerate(scores)]


def difference(first: Scores, second: Scores) -> Difference:
    (found,) = compare_pairs([run_of(first), run_of(second)], seed=0)
    return found


def test_a_rate_is_that_of_what_is_not_missing_between_what_it_might_have_been() -> None:
    found = estimate_score(run_of([1, 1, 0, None, None]))
    assert (found.clusters, found.episodes, found.missing) == (3, 5, 2)
    assert found.score == pytest.approx(2 / 3)
    assert found.interval == mean_interval([1, 1, 0])
    assert found.bounds == (0.4, 0.8)


def test_a_mean_score_has_an_interval_within_its_range() -> None:
    found = estimate_score(run_of([0.5, 1, 0.75, 0]))
    assert found.score == 0.5625
    assert 0 <= found.interval[0] < 0.5625 < found.interval[1] <= 1


@pytest.mark.parametrize("scores", [[], [None, None]], ids=["nothing", "all faults"])
def test_of_a_run_without_a_score_nothing_is_known(scores: Scores) -> None:
    found = estimate_score(run_of(scores))
    assert found.score is None
    assert (found.interval, found.bounds) == ((0, 1), (0, 1))


def test_a_worked_example_of_single_successes() -> None:
    """Of 18 mazes the first run wins seven that the second loses, and the second one that the first loses."""
    found = difference([1] * 8 + [0] * 10, [1] + [0] * 16 + [1])
    assert (found.clusters, found.better, found.worse) == (18, 7, 1)
    assert found.difference == pytest.approx(1 / 3)
    assert found.test is not None
    assert (found.test.kind, found.test.p_value) == (TestKind.MCNEMAR, 18 / 256)
    assert found.adjusted_p_value == found.test.p_value
    assert found.interval == sign_flip_interval([1.0] * 7 + [0.0] * 10 + [-1.0], 18 / 256, 0)
    assert found.interval[0] <= 0 < 1 / 3 < found.interval[1]
    assert not found.majority_disagrees
    assert found.bounds == (found.difference, found.difference)


def test_a_run_that_loses_most_mazes_slightly_and_one_by_far_has_the_majority_against_it() -> None:
    found = difference([0.4] * 9 + [1.0], [0.5] * 9 + [0.0])
    assert found.difference == pytest.approx(0.01)
    assert (found.better, found.worse, found.majority_disagrees) == (1, 9, True)
    assert not difference([0.4] * 5 + [1.0] * 5, [0.5] * 5 + [0.0] * 5).majority_disagrees


def test_what_is_missing_in_one_run_is_not_compared_and_bounds_what_there_might_have_been() -> None:
    found = difference([1, 1, None, 0], [0, None, 1, 0])
    assert (found.clusters, found.difference) == (2, 0.5)
    assert found.bounds == ((1 + 0 - 1 + 0) / 4, (1 + 1 + 0 + 0) / 4)


@pytest.mark.parametrize(("first", "second"), [([None, 1], [1, None]), ([], []), ([None] * 3, [1, 0, 1])])
def test_without_a_maze_that_is_scored_in_both_there_is_neither_difference_nor_test(
    first: Scores, second: Scores
) -> None:
    found = difference(first, second)
    assert (found.clusters, found.difference, found.test, found.adjusted_p_value) == (0, None, None, None)
    assert found.interval == (-1, 1)


@pytest.mark.parametrize("scores", [[0.0] * 5, [1.0] * 5, [1.0], [0.0]], ids=str)
def test_runs_that_are_the_same_do_not_differ(scores: Scores) -> None:
    found = difference(scores, scores)
    assert (found.difference, found.better, found.worse) == (0, 0, 0)
    assert found.test is not None
    assert (found.test.p_value, found.test.kind) == (1, TestKind.NONE)
    assert found.interval[0] == -found.interval[1]


def test_the_p_values_of_all_pairs_are_adjusted_together_but_for_those_that_there_are_not() -> None:
    runs = [run_of([1.0] * 8), run_of([0.0] * 8), run_of([None] * 8), run_of([0.0] * 7 + [1.0])]
    found = {(each.first, each.second): each for each in compare_pairs(runs, seed=0)}
    assert list(found) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert found[0, 1].adjusted_p_value == pytest.approx(3 * 2 / 256)
    assert found[0, 3].adjusted_p_value == pytest.approx(2 * 2 / 128)
    assert found[1, 3].adjusted_p_value == 1
    assert found[0, 2].adjusted_p_value is None


def test_the_p_values_of_given_pairs_are_adjusted_together() -> None:
    runs = [run_of([1.0] * 8), run_of([0.0] * 8), run_of([0.0] * 7 + [1.0])]
    found = compare_pairs(runs, seed=0, pairs=[(0, 1), (0, 2)])
    assert [(each.first, each.second) for each in found] == [(0, 1), (0, 2)]
    assert found[0].adjusted_p_value == pytest.approx(2 * 2 / 256)


@given(SCORES, SCORES)
def test_the_order_of_two_runs_changes_signs_and_nothing_else(first: Scores, second: Scores) -> None:
    ours, theirs = difference(first, second), difference(second, first)
    assert (ours.better, ours.worse, ours.test) == (theirs.worse, theirs.better, theirs.test)
    assert ours.interval == pytest.approx((-theirs.interval[1], -theirs.interval[0]))
    assert ours.bounds == pytest.approx((-theirs.bounds[1], -theirs.bounds[0]))


@given(SCORES, SCORES)
def test_a_difference_is_within_its_bounds_where_both_runs_have_all_mazes_in_common(
    first: Scores, second: Scores
) -> None:
    """Whatever the missing episodes came to, the difference over all mazes is between them."""
    bounds = difference(first, second).bounds
    for ours in (0.0, 0.5, 1.0):
        filled = difference(*([ours if each is None else each for each in run] for run in (first, second)))
        assert filled.difference is not None
        assert bounds[0] - 1e-12 <= filled.difference <= bounds[1] + 1e-12
