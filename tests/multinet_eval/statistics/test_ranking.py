"""Ranks of several runs, by which of them are significantly better than which."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.clusters import Observation
from multinet_eval.statistics.paired_differences import estimate_score
from multinet_eval.statistics.paired_tests import Rank, paired_tests, rank_intervals
from support.scores import solved_by_each

SUITES = 300
Scores = Sequence[float | None]


def run_of(scores: Scores) -> list[Observation]:
    """One episode of each maze."""
    return [Observation(f"maze {number}", None, score) for number, score in enumerate(scores)]


def ranks(*runs: Scores) -> list[Rank]:
    return rank_intervals(paired_tests([run_of(each) for each in runs], seed=0), len(runs))


def test_those_that_are_significantly_better_or_worse_are_counted() -> None:
    """The third run wins none of the 12 mazes that both others win, of which 2 / 2**12 is the probability."""
    assert ranks([1.0] * 12, [1.0] * 11 + [0.0], [0.0] * 12) == [Rank(1, 2), Rank(1, 2), Rank(3, 3)]
    found = paired_tests([run_of([1.0] * 12), run_of([0.0] * 12)], seed=0)
    assert [(each.difference, each.winner) for each in found] == [(1, 0)]


@pytest.mark.parametrize("score", [0.0, 1.0, None])
@pytest.mark.parametrize("mazes", [0, 1, 30])
def test_runs_that_are_alike_may_have_any_rank(score: float | None, mazes: int) -> None:
    assert ranks(*[[score] * mazes] * 4) == [Rank(1, 4)] * 4


def test_a_run_of_faults_alone_may_have_any_rank_and_changes_none() -> None:
    assert ranks([1.0] * 12, [0.0] * 12, [None] * 12) == [Rank(1, 2), Rank(2, 3), Rank(1, 3)]


def test_a_difference_is_found_where_intervals_overlap() -> None:
    """The second run loses 15 of the mazes that the first one wins, and wins no other."""
    first, second = run_of([1.0] * 60 + [0.0] * 40), run_of([1.0] * 45 + [0.0] * 55)
    assert estimate_score(second).interval[1] > estimate_score(first).interval[0]
    assert rank_intervals(paired_tests([first, second], seed=0), 2) == [Rank(1, 1), Rank(2, 2)]


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, None]), min_size=9, max_size=9), min_size=2, max_size=5), st.data())
def test_ranks_belong_to_runs_in_whatever_order_these_are(runs: list[Scores], data: st.DataObject) -> None:
    found = ranks(*runs)
    assert all(1 <= each.first <= each.last <= len(runs) for each in found)
    order = data.draw(st.permutations(range(len(runs))))
    assert ranks(*(runs[number] for number in order)) == [found[number] for number in order]


RATES = (0.85, 0.75, 0.7, 0.55, 0.4)


def true_ranks(rates: Sequence[float]) -> list[Rank]:
    """Of models that are equally good, all the ranks that they share."""
    return [Rank(1 + sum(r > own for r in rates), sum(r >= own for r in rates)) for own in rates]


@pytest.mark.thorough
@pytest.mark.parametrize("rates", [RATES, (0.6,) * 5, (0.95, 0.95, 0.9, 0.9, 0.5)], ids=str)
@pytest.mark.parametrize(("mazes", "epochs"), [(20, 1), (20, 5), (100, 1)])
def test_rank_intervals_hold_all_true_ranks_as_often_as_they_say(
    rates: tuple[float, ...], mazes: int, epochs: int
) -> None:
    """Those of all five models at once; of models that are equally good, none may be ranked above the other."""
    solved, truth = (
        solved_by_each(rates, (SUITES, mazes), epochs, np.random.default_rng([mazes, epochs])),
        true_ranks(rates),
    )
    held = 0
    for suite in range(SUITES):
        found = ranks(*(each[suite].tolist() for each in solved))
        held += all(
            each.first <= true.first and true.last <= each.last for each, true in zip(found, truth, strict=True)
        )
    assert held / SUITES >= 0.95 - 2 * (0.05 * 0.95 / SUITES) ** 0.5
