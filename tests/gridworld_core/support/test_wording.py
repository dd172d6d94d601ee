"""What is printed of others' texts does nothing to a terminal but show letters."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from gridworld.support.wording import first_numbers, make_visible, visible_line

DIRECTIONS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
ANY_TEXT = st.text(st.characters(), max_size=30)  # halves of characters among them


def is_hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(char) in DIRECTIONS


@given(ANY_TEXT)
def test_no_control_character_is_left_but_tab_and_line_feed(text: str) -> None:
    assert not [char for char in make_visible(text) if is_hidden(char) and char not in "\t\n"]


@given(ANY_TEXT)
def test_a_name_stays_on_its_line(text: str) -> None:
    assert not [char for char in visible_line(text) if is_hidden(char)]


@given(ANY_TEXT)
def test_the_result_can_be_encoded_and_stays_the_same_if_made_visible_again(text: str) -> None:
    visible = make_visible(text)
    visible.encode("utf-8")
    assert make_visible(visible) == visible


@given(st.text(st.characters(categories=("L", "N", "P", "S", "M", "Zs"))))
def test_what_can_be_seen_stays_as_it_is(text: str) -> None:
    assert make_visible(text) == text == visible_line(text)


def test_controls_are_shown_as_python_writes_them() -> None:
    assert make_visible("\x1b[2J \u202e \ud800 \x7f \r\n") == r"\x1b[2J \u202e \ud800 \x7f \r" + "\n"
    assert visible_line("two\nlines\tand a tab") == r"two\nlines\tand a tab"


def test_joiners_that_spell_words_and_emoji_are_kept() -> None:
    assert make_visible("\U0001f469\u200d\U0001f680 \u0645\u06cc\u200c\u062e") == (
        "\U0001f469\u200d\U0001f680 \u0645\u06cc\u200c\u062e"
    )


def test_of_many_numbers_the_first_are_told() -> None:
    assert first_numbers([3]) == "3"
    assert first_numbers(range(10)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert first_numbers(range(11)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..."
