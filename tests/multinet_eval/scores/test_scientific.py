"""Where SciPy is not installed, it is said how to get it."""

import sys

import pytest

from multinet_eval.scores.comparison import compare_pairs
from multinet_eval.scores.scientific import StatisticsUnavailable, scipy_module


def test_a_module_is_imported_when_it_is_needed() -> None:
    assert scipy_module("special").stdtrit(1, 0.5) == 0


def test_without_scipy_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(StatisticsUnavailable, match=r"pip install 'multinet-eval\[stats\]'"):
        compare_pairs([[], []], seed=0)
