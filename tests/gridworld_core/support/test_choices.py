"""Values that are given as arguments, of which there are only some."""

from typing import Any

import pytest

from gridworld.support.checks import check_choice

MODES = ("human", "rgb_array", None)


@pytest.mark.parametrize("value", MODES)
def test_those_that_there_are_are_taken(value: str | None) -> None:
    check_choice("render_mode", value, MODES)


@pytest.mark.parametrize("value", ["", "None", 3, True, ["human"], {}], ids=repr)
def test_others_are_refused_with_all_that_there_are(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^render_mode has to be 'human', 'rgb_array' or None, got "):
        check_choice("render_mode", value, MODES)


def test_the_nearest_is_named() -> None:
    with pytest.raises(ValueError, match=r"got 'rgb_aray' \(did you mean 'rgb_array'\?\)$"):
        check_choice("render_mode", "rgb_aray", MODES)
