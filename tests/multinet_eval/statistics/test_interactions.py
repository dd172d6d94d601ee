"""Whether what is varied within mazes matters more to one model than to another."""

import numpy as np
import pytest

from multinet_eval.statistics.clusters import Observation
from multinet_eval.statistics.paired_differences import compare_pairs, find_interactions


def observed(scores: list[float | None]) -> list[Observation]:
    return [Observation(f"maze {number}", None, score) for number, score in enumerate(scores)]


def test_the_difference_of_effects_is_the_mean_over_mazes_that_both_have_played() -> None:
    """Effects 1, 1, 1 against 0, 1, and nothing of the third maze."""
    ours = {"key": observed([1, 1, 1]), "switch": observed([0, 0, 0])}
    theirs = {"key": observed([0, 1, 1]), "switch": observed([0, 0, None])}
    (found,) = find_interactions([ours, theirs], seed=0)
    assert (found.variants, found.first, found.second, found.clusters) == (("key", "switch"), 0, 1, 2)
    assert (found.effects, found.difference) == ((1, 0.5), 0.5)
    assert found.interval[0] < 0 < found.interval[1]
    assert found.test.p_value == 1


def test_a_model_of_which_every_variant_is_alike_makes_it_the_paired_difference_of_the_other() -> None:
    """The interval is that of differences in [-2, 2], and so longer than of one in [-1, 1]."""
    rng = np.random.default_rng(0)
    ours = {name: observed(list(map(float, rng.random(40) < rate))) for name, rate in (("key", 0.9), ("switch", 0.4))}
    theirs = {"key": observed([1.0] * 40), "switch": observed([1.0] * 40)}
    (found,) = find_interactions([ours, theirs], seed=0)
    (paired,) = compare_pairs([ours["key"], ours["switch"]], seed=0)
    assert found.difference == pytest.approx(paired.difference)
    assert found.difference > 0.2
    assert found.interval[0] < paired.interval[0] < paired.interval[1] < found.interval[1]
    assert paired.test is not None
    assert found.test.p_value == pytest.approx(paired.test.p_value)


def test_what_only_one_run_has_played_has_no_interaction() -> None:
    whole = {"key": observed([1, 0]), "switch": observed([0, 0])}
    assert find_interactions([whole], seed=0) == []
    assert find_interactions([whole, {"key": observed([1, 0])}], seed=0) == []
    assert find_interactions([whole, {"key": observed([None, None]), "switch": observed([1, 1])}], seed=0) == []


def test_of_three_variants_and_three_runs_all_pairs_are_adjusted_together() -> None:
    rng = np.random.default_rng(1)
    runs = [{name: observed(rng.integers(0, 2, 30).astype(float).tolist()) for name in "abc"} for _ in range(3)]
    found = find_interactions(runs, seed=0)
    assert len(found) == 3 * 3
    assert all(each.test.p_value <= each.adjusted_p_value <= 1 for each in found)
    assert min(each.adjusted_p_value for each in found) == pytest.approx(
        min(1.0, 9 * min(each.test.p_value for each in found))
    )


@pytest.mark.more
@pytest.mark.parametrize(("mazes", "first", "second"), [(30, (0.9, 0.5), (0.7, 0.7)), (10, (0.98, 0.9), (0.6, 0.5))])
def test_intervals_hold_the_true_difference_of_effects(
    mazes: int, first: tuple[float, float], second: tuple[float, float]
) -> None:
    truth, held = (first[0] - first[1]) - (second[0] - second[1]), []
    for seed in range(500):
        rng = np.random.default_rng([seed, mazes])
        runs = [
            {
                name: observed((rng.random(mazes) < rate).astype(float).tolist())
                for name, rate in zip("ab", rates, strict=True)
            }
            for rates in (first, second)
        ]
        (found,) = find_interactions(runs, seed=0)
        held.append(found.interval[0] <= truth <= found.interval[1])
    assert np.mean(held) >= 0.94
