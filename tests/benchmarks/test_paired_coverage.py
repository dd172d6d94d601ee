"""The exact coverage of intervals of paired differences."""

import pytest

from support.sources import BENCHMARKS, load_benchmark

PAIRED = load_benchmark("paired_coverage")


@pytest.mark.parametrize(
    "mazes", [5, 8, 11, *(pytest.param(each, marks=pytest.mark.thorough) for each in range(12, 41))]
)
def test_intervals_hold_the_difference_in_more_than_92_of_100_suites_whatever_the_share_that_differs(
    mazes: int,
) -> None:
    assert PAIRED.Outcomes.of(mazes, PAIRED.ours).worst()[0] >= 0.925


@pytest.mark.parametrize("mazes", [8, 12])
@pytest.mark.parametrize("won", [0.5, 0.7, 1.0])
def test_the_committed_table_has_the_lines_of_the_program(mazes: int, won: float) -> None:
    lines = (BENCHMARKS / "paired_coverage.txt").read_text(encoding="utf-8").splitlines()
    coverage, length = PAIRED.Outcomes.of(mazes, PAIRED.ours).measure(0.4, won)
    assert [f"{mazes}", "0.4", f"{won:g}", f"{coverage:.1%}", f"{length:.3f}"] in [line.split()[:5] for line in lines]
