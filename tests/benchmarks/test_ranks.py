"""The table of wrong ranks of models with equal means."""

import attrs

from support.sources import BENCHMARKS, load_benchmark

RANKS = load_benchmark("ranks")


def test_interchangeable_models_rank_above_each_other_in_at_most_one_of_twenty_leaderboards() -> None:
    assert RANKS.wrong(RANKS.Design(True, 0.6, 12, 5), 60) <= 0.1


def test_models_with_unequal_spread_rank_above_each_other_more_often() -> None:
    assert RANKS.wrong(RANKS.Design(False, 0.98, 12, 100), 60) >= 0.5


def test_models_have_the_same_mean() -> None:
    design = attrs.evolve(RANKS.DESIGNS[-1], mazes=20_000)
    means = design.draw(RANKS.np.random.default_rng(1)).mean(axis=1)
    assert abs(means - design.rate).max() < 0.005


def test_the_committed_table_has_a_row_for_each_design() -> None:
    lines = (BENCHMARKS / "ranks.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3 + len(RANKS.DESIGNS)
