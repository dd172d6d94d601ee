from pathlib import Path

import numpy as np
import pytest

from support.sources import BENCHMARKS, load_benchmark

DECIDING = load_benchmark("deciding")
PAIRS = 200
RNG = np.random.default_rng


def test_models_with_equal_means_are_rarely_decided_between_whatever_their_spread() -> None:
    for design in DECIDING.NULLS:
        drawn = [DECIDING.deciding_look(design.draw(rng), DECIDING.ALPHA) for rng in map(RNG, range(PAIRS))]
        assert sum(look is not None for look in drawn) <= 0.06 * PAIRS


def test_a_p_value_of_models_with_equal_means_and_unequal_spread_is_small_more_often() -> None:
    equal, unequal = (DECIDING.Design("", (0.95, 0.95), 20, 12, all_or_nothing=each) for each in (False, True))
    assert DECIDING.simulate(equal, PAIRS).found <= 0.08
    assert DECIDING.simulate(unequal, PAIRS).found >= 0.2


@pytest.mark.parametrize(("rates", "decided", "played"), [((0.8, 0.5), 0.8, 1.0), ((0.9, 0.3), 0.99, 0.45)])
def test_unequal_models_are_decided_between_early(rates: tuple[float, float], decided: float, played: float) -> None:
    found = DECIDING.simulate(DECIDING.Design("better", rates), PAIRS)
    assert found.decided >= decided
    assert found.played <= played
    assert found.wrong == 0
    assert found.covered >= 0.95


def test_the_committed_table_has_a_row_for_each_design() -> None:
    lines = Path(BENCHMARKS / "deciding.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "1,000 pairs each, alpha 0.05"
    assert len(lines) == 3 + len(DECIDING.NULLS) + len(DECIDING.UNEQUAL)
