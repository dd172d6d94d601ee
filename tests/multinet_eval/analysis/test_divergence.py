"""Where two episodes part ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.analysis.comparing import Divergence, find_divergence

MOVES = st.lists(st.sampled_from(["move_forward", "turn_left", "lost"]), max_size=6)


@pytest.mark.parametrize(
    ("first", "second", "divergence"),
    [
        ("FFL", "FFR", Divergence(3, "L", "R")),
        ("FF", "FFR", Divergence(3, None, "R")),
        ("L", "", Divergence(1, "L", None)),
        ("FFL", "FFL", Divergence(None, None, None)),
        ("", "", Divergence(None, None, None)),
    ],
)
def test_it_is_the_first_step_that_is_not_the_same(first: str, second: str, divergence: Divergence) -> None:
    assert find_divergence(first, second) == divergence


@given(MOVES, MOVES)
def test_up_to_there_they_are_the_same_and_neither_comes_first(first: list[str], second: list[str]) -> None:
    divergence, turned = find_divergence(first, second), find_divergence(second, first)
    assert (turned.step, turned.first, turned.second) == (divergence.step, divergence.second, divergence.first)
    if divergence.step is None:
        assert first == second
        return
    assert first[: divergence.step - 1] == second[: divergence.step - 1]
    assert (divergence.first, divergence.second) != (None, None)
