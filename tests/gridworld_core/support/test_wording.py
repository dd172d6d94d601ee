"""Wording of messages: texts made visible, numbers, and suggestions."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.support.wording import first_numbers, make_visible, nearest, nearest_hint, visible_line

DIRECTIONS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
ANY_TEXT = st.text(st.characters(), max_size=30)  # halves of characters among them


def is_hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(char) in DIRECTIONS


@given(ANY_TEXT)
def test_no_control_characters_except_tab_and_line_feed_remain(text: str) -> None:
    assert not [char for char in make_visible(text) if is_hidden(char) and char not in "\t\n"]


@given(ANY_TEXT)
def test_a_visible_line_has_no_breaks(text: str) -> None:
    assert not [char for char in visible_line(text) if is_hidden(char)]


@given(ANY_TEXT)
def test_visible_text_is_encodable_and_a_fixed_point(text: str) -> None:
    visible = make_visible(text)
    visible.encode("utf-8")
    assert make_visible(visible) == visible


@given(st.text(st.characters(categories=("L", "N", "P", "S", "M", "Zs"))))
def test_visible_characters_stay(text: str) -> None:
    assert make_visible(text) == text == visible_line(text)


def test_control_characters_become_python_escapes() -> None:
    assert make_visible("\x1b[2J \u202e \ud800 \x7f \r\n") == r"\x1b[2J \u202e \ud800 \x7f \r" + "\n"
    assert visible_line("two\nlines\tand a tab") == r"two\nlines\tand a tab"


def test_joiners_in_words_and_emoji_stay() -> None:
    assert make_visible("\U0001f469\u200d\U0001f680 \u0645\u06cc\u200c\u062e") == (
        "\U0001f469\u200d\U0001f680 \u0645\u06cc\u200c\u062e"
    )


def test_ten_numbers_are_shown() -> None:
    assert first_numbers([3]) == "3"
    assert first_numbers(range(10)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert first_numbers(range(11)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..."


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
def test_the_most_similar_name_is_suggested(name: str, expected: str) -> None:
    assert nearest(name, FIELDS) == expected


@pytest.mark.parametrize("name", ["zzz", "", "q"])
def test_an_unlike_name_is_not_suggested(name: str) -> None:
    assert nearest(name, FIELDS) is None
    assert nearest_hint(name, FIELDS) == ""


def test_the_suggestion_has_the_case_of_the_known_name() -> None:
    assert nearest("anything", ()) is None
    assert nearest("dr", ("DR", "DG")) == "DR"
    assert nearest_hint("positon", iter(FIELDS)) == " (did you mean 'position'?)"
