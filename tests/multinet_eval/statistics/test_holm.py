"""Holm's adjustment of several p-values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.paired_tests import holm_adjusted

PROBABILITIES = st.lists(st.floats(0, 1), max_size=12)


def test_a_worked_example() -> None:
    """3 · 0.01, then the larger of 2 · 0.02 and that, then the larger of 0.03 and that."""
    assert holm_adjusted([0.02, 0.01, 0.03]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm_adjusted([0.5, 0.9]) == [1, 1]
    assert holm_adjusted([0.2]) == [0.2]
    assert holm_adjusted([]) == []


@given(PROBABILITIES)
def test_none_becomes_smaller_their_order_stays_and_none_is_larger_than_by_bonferroni(given_ones: list[float]) -> None:
    adjusted = holm_adjusted(given_ones)
    for before, after in zip(given_ones, adjusted, strict=True):
        assert before <= after <= min(1, len(given_ones) * before)
    in_order = [after for _, after in sorted(zip(given_ones, adjusted, strict=True))]
    assert in_order == sorted(in_order)
    assert holm_adjusted(given_ones[::-1]) == adjusted[::-1]
