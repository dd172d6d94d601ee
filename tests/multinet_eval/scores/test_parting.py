"""Where two episodes part ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.parting import Parting, find_parting

MOVES = st.lists(st.sampled_from(["move_forward", "turn_left", "lost"]), max_size=6)


@pytest.mark.parametrize(
    ("first", "second", "parting"),
    [
        ("FFL", "FFR", Parting(3, "L", "R")),
        ("FF", "FFR", Parting(3, None, "R")),
        ("L", "", Parting(1, "L", None)),
        ("FFL", "FFL", None),
        ("", "", None),
    ],
)
def test_it_is_the_first_step_that_is_not_the_same(first: str, second: str, parting: Parting | None) -> None:
    assert find_parting(first, second) == parting


@given(MOVES, MOVES)
def test_up_to_there_they_are_the_same_and_neither_comes_first(first: list[str], second: list[str]) -> None:
    parting, turned = find_parting(first, second), find_parting(second, first)
    if parting is None or turned is None:
        assert first == second
        assert parting is turned
        return
    assert first[: parting.step - 1] == second[: parting.step - 1]
    assert (parting.first, parting.second) != (None, None)
    assert (turned.step, turned.first, turned.second) == (parting.step, parting.second, parting.first)
