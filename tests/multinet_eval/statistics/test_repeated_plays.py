"""pass@k, pass^k and parts of variance, against every set of k plays and every suite that could have been drawn."""

import math
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.clusters import Observation, average
from multinet_eval.statistics.paired_differences import estimate_score
from multinet_eval.statistics.repeated_plays import (
    all_solved,
    any_solved,
    pass_rates,
    reported_ks,
    variance_parts,
)

PLAYS = st.lists(st.booleans(), min_size=1, max_size=8)
SUITES = st.lists(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=3), min_size=1)
"""For each maze, the plays of each of its cells."""


def observed(suite: list[list[list[bool]]]) -> list[Observation]:
    return [
        Observation(f"maze {maze}", cell, float(play))
        for maze, cells in enumerate(suite)
        for cell, plays in enumerate(cells)
        for play in plays
    ]


@given(PLAYS, st.integers(1, 9))
def test_they_are_the_shares_of_the_sets_of_k_plays(plays: list[bool], k: int) -> None:
    sets = list(combinations(plays, k))
    found = (any_solved(len(plays), sum(plays), k), all_solved(len(plays), sum(plays), k))
    if sets:
        assert found == pytest.approx((average(map(any, sets)), average(map(all, sets))))
    else:
        assert found == (None, None)


@given(st.fractions(0, 1, max_denominator=20), st.integers(1, 6), st.data())
def test_they_are_unbiased(chance: Fraction, plays: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, plays))
    odds = [math.comb(plays, won) * chance**won * (1 - chance) ** (plays - won) for won in range(plays + 1)]
    some = sum(float(p) * (any_solved(plays, won, k) or 0) for won, p in enumerate(odds))
    every = sum(float(p) * (all_solved(plays, won, k) or 0) for won, p in enumerate(odds))
    assert (some, every) == pytest.approx((float(1 - (1 - chance) ** k), float(chance**k)))


@pytest.mark.parametrize(
    ("plays", "ks"),
    [
        (1, [1]),
        (3, [1, 2, 3]),
        (5, [1, 2, 3, 4, 5]),
        (6, [1, 2, 4, 6]),
        (8, [1, 2, 4, 8]),
        (20, [1, 2, 4, 8, 16, 20]),
    ],
)
def test_every_k_up_to_five_plays_is_reported_then_powers_of_two(plays: int, ks: list[int]) -> None:
    assert reported_ks(plays) == ks


@given(SUITES)
def test_rates_are_means_over_mazes_of_the_cells_with_k_plays(suite: list[list[list[bool]]]) -> None:
    most = max(len(plays) for cells in suite for plays in cells)
    rates = pass_rates(observed(suite))
    assert [each.k for each in rates] == (reported_ks(most) if most > 1 else [])
    for each in rates:
        sets = [[list(combinations(plays, each.k)) for plays in cells if len(plays) >= each.k] for cells in suite]
        mazes = [cells for cells in sets if cells]
        some, every = (
            average(average(average(map(solved, of_cell)) for of_cell in cells) for cells in mazes)
            for solved in (any, all)
        )
        assert (each.any_solved.score, each.all_solved.score) == pytest.approx((some, every))
        assert each.any_solved.clusters == each.all_solved.clusters == len(mazes)


@given(SUITES)
def test_with_one_play_both_are_the_success_rate_with_its_interval(suite: list[list[list[bool]]]) -> None:
    rate = estimate_score(observed(suite))
    for each in pass_rates(observed(suite))[:1]:
        assert each.any_solved.score == pytest.approx(rate.score)
        assert each.any_solved.interval == pytest.approx(rate.interval)
        assert each.all_solved.interval == pytest.approx(rate.interval)


def test_missing_plays_do_not_count() -> None:
    plays = [Observation("a", 0, score) for score in (1.0, None, 0.0, None)]
    (one, two) = pass_rates([*plays, Observation("b", 0, None)])
    assert (one.any_solved.score, two.any_solved.score, two.all_solved.score) == (0.5, 1, 0)
    assert pass_rates([Observation("a", 0, 1.0), Observation("a", 0, None)]) == []


@given(st.lists(st.fractions(0, 1, max_denominator=6), min_size=2, max_size=3), st.sampled_from([(2, 2), (2, 3)]))
def test_parts_of_variance_are_unbiased_over_all_suites_and_outcomes(
    chances: list[Fraction], plays: tuple[int, int]
) -> None:
    """Two mazes drawn from equally likely ones, the first and the second played differently often."""
    mean = sum(chances, Fraction(0)) / len(chances)
    between = sum((chance - mean) ** 2 for chance in chances) / len(chances)
    within = sum(chance * (1 - chance) for chance in chances) / len(chances)
    found = [0.0, 0.0]
    for drawn in product(chances, repeat=2):
        for outcome in product((False, True), repeat=sum(plays)):
            suite = [[list(outcome[: plays[0]])], [list(outcome[plays[0] :])]]
            odds = [
                math.prod(chance if play else 1 - chance for play in cells[0])
                for chance, cells in zip(drawn, suite, strict=True)
            ]
            weight = float(math.prod(odds)) / len(chances) ** 2
            parts = variance_parts(observed(suite))
            assert parts.between_mazes is not None
            assert parts.between_plays is not None
            found[0] += weight * parts.between_mazes
            found[1] += weight * parts.between_plays
    assert found == pytest.approx([float(between), float(within)])


def test_a_worked_example_of_variants() -> None:
    """Maze a: cells 1/2 and 2/2, variances 1/2 and 0. Maze b: one cell, 0/3. Means 3/4 and 0, of variance 9/32."""
    parts = variance_parts(observed([[[True, False], [True, True]], [[False] * 3]]))
    assert parts.between_plays == pytest.approx((1 / 4 + 0) / 2)
    assert parts.between_mazes == pytest.approx(9 / 32 - (1 / 2 / 2 / 4 + 0) / 2)


def test_variance_is_unknown_without_a_second_play_and_a_second_maze() -> None:
    once, twice = [[True]], [[True, False]]
    assert variance_parts(observed([once, once])) == variance_parts([])
    assert variance_parts([]).between_plays is None
    single = variance_parts(observed([twice]))
    assert (single.between_mazes, single.between_plays) == (None, pytest.approx(0.5))
    assert variance_parts(observed([twice, [[True, False], [True]]])).between_mazes is None
    assert variance_parts(observed([twice, twice])).between_mazes == pytest.approx(-0.25)
