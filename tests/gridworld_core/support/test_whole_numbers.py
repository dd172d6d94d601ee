"""Whole numbers that are given as arguments."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.support.checks import check_int


@given(least=st.integers(-5, 5), more=st.integers(0, 9))
def test_whole_numbers_are_taken_from_the_least_on(least: int, more: int) -> None:
    assert check_int("sides", least + more, least) == least + more
    with pytest.raises(ValueError, match=f"^sides has to be at least {least} pixels, got {least - 1 - more}$"):
        check_int("sides", least - 1 - more, least, "pixels")


def test_those_of_numpy_become_pythons() -> None:
    assert type(check_int("sides", np.int64(3), 1)) is int


@pytest.mark.parametrize("value", ["3", 3.0, None, True, [3]], ids=repr)
def test_nothing_else_is_taken(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^sides has to be a whole number, got "):
        check_int("sides", value, 1)
