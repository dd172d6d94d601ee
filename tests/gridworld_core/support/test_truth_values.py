"""Truth values that are given as arguments."""

from typing import Any

import numpy as np
import pytest

from gridworld.support.checks import check_bool


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_], ids=repr)
def test_truth_values_become_pythons(value: Any) -> None:
    assert check_bool("copy", value) is bool(value)


@pytest.mark.parametrize("value", ["no", "True", 0, 1, None, [], np.array([True])], ids=repr)
def test_nothing_else_is_taken(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^copy has to be True or False, got "):
        check_bool("copy", value)
