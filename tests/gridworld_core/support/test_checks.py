"""Checks of arguments: accepted values, and one message for the others."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.support.checks import (
    MOST_BYTES,
    check_bool,
    check_choice,
    check_instance,
    check_int,
    gigabytes,
    refuse_too_large,
)

MODES = ("human", "rgb_array", None)


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_], ids=repr)
def test_booleans_of_python_and_numpy_are_accepted(value: Any) -> None:
    assert check_bool("copy", value) is bool(value)


@pytest.mark.parametrize("value", ["no", "True", 0, 1, None, [], np.array([True])], ids=repr)
def test_other_values_are_not_booleans(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^copy must be True or False, got "):
        check_bool("copy", value)


@given(least=st.integers(-5, 5), more=st.integers(0, 9))
def test_integers_are_accepted_from_the_minimum_on(least: int, more: int) -> None:
    assert check_int("sides", least + more, least) == least + more
    with pytest.raises(ValueError, match=f"^sides must be at least {least} pixels, got {least - 1 - more}$"):
        check_int("sides", least - 1 - more, least, "pixels")


def test_integers_of_numpy_become_plain() -> None:
    assert type(check_int("sides", np.int64(3), 1)) is int


@pytest.mark.parametrize("value", ["3", 3.0, None, True, [3]], ids=repr)
def test_other_values_are_not_integers(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^sides must be a whole number, got "):
        check_int("sides", value, 1)


@pytest.mark.parametrize("value", MODES)
def test_choices_are_accepted(value: str | None) -> None:
    check_choice("render_mode", value, MODES)


@pytest.mark.parametrize("value", ["", "None", 3, True, ["human"], {}], ids=repr)
def test_other_values_are_refused_with_all_choices(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^render_mode must be 'human', 'rgb_array' or None, got "):
        check_choice("render_mode", value, MODES)


def test_the_nearest_choice_is_suggested() -> None:
    with pytest.raises(ValueError, match=r"got 'rgb_aray' \(did you mean 'rgb_array'\?\)$"):
        check_choice("render_mode", "rgb_aray", MODES)


@pytest.mark.parametrize(
    ("value", "got"),
    [("a", "'a'"), (None, "None"), ([], "a list"), (ArgumentError, "the class ArgumentError itself")],
)
def test_only_an_instance_is_accepted(value: object, got: str) -> None:
    check_instance("error", ArgumentError("x"), ArgumentError, "raise one")
    with pytest.raises(TypeError, match=f"^error must be an instance of ArgumentError, got {got}"):
        check_instance("error", value, ArgumentError, "raise one")


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 GB"), (1, "0.1 GB"), (4_000_000_000, "4 GB"), (4_000_000_001, "4.1 GB"), (12_288_000_000_000, "12,288 GB")],
)
def test_gigabytes_are_decimal_and_rounded_up(count: int, text: str) -> None:
    assert gigabytes(count) == text


def test_sizes_above_the_limit_are_refused() -> None:
    refuse_too_large("the arrays", 4_000_000_000, "ask for fewer")
    with pytest.raises(ArgumentError, match=r"^the arrays take 4\.1 GB, more than 4 GB; ask for fewer$"):
        refuse_too_large("the arrays", MOST_BYTES + 1, "ask for fewer")
