"""What is played of one base maze is one observation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.clusters import Observation, cluster_means, paired_differences, with_missing

SCORES = st.none() | st.floats(0, 1, allow_subnormal=False)
OBSERVATIONS = st.lists(st.builds(Observation, st.sampled_from("abc"), st.sampled_from("xyz"), SCORES), max_size=30)


def seen(text: str, score: float | None) -> Observation:
    """An observation of a cluster and a cell, a letter each."""
    return Observation(text[0], text[1:], score)


def test_episodes_are_averaged_within_their_cell_then_cells_within_their_cluster_then_clusters() -> None:
    """A cell that is played more often counts no more than another."""
    played = [seen("ax", 1), seen("ax", 1), seen("ax", 1), seen("ay", 0), seen("bx", 0.25)]
    assert cluster_means(played) == {"a": 0.5, "b": 0.25}


def test_what_is_missing_is_left_out_and_so_is_a_cluster_without_anything_else() -> None:
    assert cluster_means([seen("ax", None), seen("ax", 1), seen("bx", None)]) == {"a": 1}


def test_differences_are_taken_cell_by_cell_where_both_have_a_score() -> None:
    first = [seen("ax", 1), seen("ay", 0), seen("bx", 1), seen("cx", 1)]
    second = [seen("ax", 0.5), seen("ay", None), seen("bx", 0), seen("bx", 1), seen("dx", 1)]
    assert paired_differences(first, second) == {"a": 0.5, "b": 0.5}


def test_what_is_missing_may_have_come_to_anything() -> None:
    played = [seen("ax", None), seen("ax", 1), seen("bx", None)]
    assert cluster_means(with_missing(played, 0)) == {"a": 0.5, "b": 0}
    assert cluster_means(with_missing(played, 1)) == {"a": 1, "b": 1}


@given(OBSERVATIONS)
def test_the_bounds_are_around_every_mean(played: list[Observation]) -> None:
    least, most = (cluster_means(with_missing(played, score)) for score in (0.0, 1.0))
    for cluster, mean in cluster_means(played).items():
        assert least[cluster] - 1e-12 <= mean <= most[cluster] + 1e-12


@given(OBSERVATIONS, OBSERVATIONS, st.randoms(use_true_random=False))
def test_differences_change_sign_with_the_order_of_runs_and_nothing_with_that_of_episodes(
    first: list[Observation], second: list[Observation], random: object
) -> None:
    found = paired_differences(first, second)
    assert paired_differences(second, first) == pytest.approx({name: -each for name, each in found.items()})
    assert paired_differences(first[::-1], second[::-1]) == found
    assert all(-1 <= each <= 1 for each in found.values())
