"""The table of the coverage of intervals."""

from pathlib import Path

import numpy as np
import pytest

from support.programs import run
from support.sources import BENCHMARKS, load_benchmark

coverage = load_benchmark("interval_coverage")


@pytest.mark.parametrize("scatter", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_mazes_have_the_rate_whatever_their_scatter(rate: float, scatter: float) -> None:
    design, rng = coverage.Design(400, 1, 1), np.random.default_rng(2)
    won = coverage.play(design, rate, scatter, rng.standard_normal((200, 400)), rng)
    assert won.mean() == pytest.approx(rate, abs=0.007)


@pytest.mark.parametrize("kind", coverage.KINDS)
@pytest.mark.parametrize("rate", [0.02, 0.5, 0.9])
def test_intervals_of_rates_hold_the_rate_in_every_kind_of_suite(kind: str, rate: float) -> None:
    simulate, parts = coverage.KINDS[kind]
    for part in parts:
        found = simulate(rate, part, (1000, 12), 3, np.random.default_rng(3))
        assert np.nanmean(found.means) == pytest.approx(rate, abs=0.015)
        assert coverage.measured([coverage.bounded(found)], rate)[0] >= 0.92


@pytest.mark.more
def test_the_committed_table_has_the_lines_of_the_program(tmp_path: Path) -> None:
    finished = run(
        "benchmarks/interval_coverage.py", "--suites", "2", "--pairs", "1", "--output", tmp_path / "table.txt"
    )
    assert finished.returncode == 0, finished.stderr
    written, kept = (
        [line[: 35 if "mazes x" in line else 65].split() for line in path.read_text(encoding="utf-8").splitlines()[1:]]
        for path in (tmp_path / "table.txt", BENCHMARKS / "interval_coverage.txt")
    )
    assert written == kept
