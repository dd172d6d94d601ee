"""The nearest valid name, for error messages."""

import pytest

from gridworld.support.wording import nearest, nearest_hint

FIELDS = ("requires_key", "position", "initial_state", "id")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("requires_kee", "requires_key"),
        ("require_key", "requires_key"),
        ("Position", "position"),
        ("INITIAL_STATE", "initial_state"),
        ("initialstate", "initial_state"),
        ("id", "id"),
    ],
)
def test_the_known_name_most_like_it_is_found(name: str, expected: str) -> None:
    assert nearest(name, FIELDS) == expected


@pytest.mark.parametrize("name", ["zzz", "", "q"])
def test_nothing_is_suggested_when_nothing_is_like_it(name: str) -> None:
    assert nearest(name, FIELDS) is None
    assert nearest_hint(name, FIELDS) == ""


def test_nothing_is_suggested_when_nothing_is_known() -> None:
    assert nearest("anything", ()) is None


def test_the_known_name_keeps_its_own_case() -> None:
    assert nearest("dr", ("DR", "DG")) == "DR"


def test_a_hint_asks_whether_that_was_meant() -> None:
    assert nearest_hint("positon", FIELDS) == " (did you mean 'position'?)"


def test_known_names_may_come_from_any_iterable() -> None:
    assert nearest("positon", (name for name in FIELDS)) == "position"
