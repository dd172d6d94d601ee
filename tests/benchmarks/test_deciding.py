from pathlib import Path

import pytest

from support.sources import BENCHMARKS, load_benchmark

DECIDING = load_benchmark("deciding")
PAIRS = 200


def test_equal_models_are_rarely_decided_between() -> None:
    for design in DECIDING.NULLS:
        assert DECIDING.simulate(design, PAIRS).decided <= 0.06


@pytest.mark.parametrize(("rates", "decided", "played"), [((0.8, 0.5), 0.8, 1.0), ((0.9, 0.3), 0.99, 0.45)])
def test_unequal_models_are_decided_between_early(rates: tuple[float, float], decided: float, played: float) -> None:
    found = DECIDING.simulate(DECIDING.Design("better", rates), PAIRS)
    assert found.decided >= decided
    assert found.played <= played
    assert found.wrong == 0
    assert found.covered >= 0.95


def test_the_committed_table_has_a_row_for_each_design() -> None:
    lines = Path(BENCHMARKS / "deciding.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "2,000 pairs each, alpha 0.05"
    assert len(lines) == 3 + len(DECIDING.NULLS) + len(DECIDING.UNEQUAL)
