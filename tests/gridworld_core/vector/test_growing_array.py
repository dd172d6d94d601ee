"""Rows are added to an array, and removed, at its end."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridworld.vector.state_rows import GrowingArray

PARTS = st.lists(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=90), max_size=8)


@given(parts=PARTS, kept=st.integers(0, 400))
def test_rows_are_those_added_and_not_cut(parts: list[list[tuple[int, int]]], kept: int) -> None:
    array, added = GrowingArray((2,), np.int64), []
    for part in parts:
        array.extend(part)
        added += part
        assert array.rows.tolist() == [list(row) for row in added]
    array.cut(kept)
    array.extend([(1, 2)])
    assert array.rows.tolist() == [list(row) for row in (*added[:kept], (1, 2))]
