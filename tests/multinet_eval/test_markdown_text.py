"""Texts of others are letters in Markdown."""

import re

from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.support.output import markdown_text

MARKUP = r"\`*_[]<>|#"


@given(st.text(st.sampled_from([*MARKUP, "a", " "])))
def test_whatever_is_markup_is_escaped_and_nothing_else_is_changed(text: str) -> None:
    pairs = re.findall(rf"\\[{re.escape(MARKUP)}]|[a ]", markdown_text(text))
    assert "".join(pairs) == markdown_text(text)
    assert "".join(pair[-1] for pair in pairs) == text


def test_a_text_stays_on_its_line() -> None:
    assert "\n" not in markdown_text("one\n# two")
