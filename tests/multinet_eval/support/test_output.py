"""Compact JSON, CSV and Markdown."""

import csv
import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.support.output import compact_json, csv_text, markdown_text

TEXTS = st.text(st.characters())
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
DATA = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


@given(DATA)
def test_compact_json_equals_the_standard_encoders(data: Any) -> None:
    assert compact_json(data) == json.dumps(data, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize("text", ["\ud800", '"\\\n\x00', "ä€𝄞"])
def test_any_text_survives_the_way_to_a_file_and_back(text: str) -> None:
    line = compact_json([text]).encode("utf-8", "backslashreplace")
    assert json.loads(line) == [text]


def test_other_values_are_not_json() -> None:
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        compact_json({"a": {1}})


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\n=1",
        " =1",
        "\u00a0=1",
        "\uff1d1",
        "\uff0b1",
        "\uff0d1",
        "\uff20A1",
        "\tx",
    ],
)
def test_formulas_in_csv_are_marked_as_text(text: str) -> None:
    heading, cells = csv.reader(io.StringIO(csv_text([{text: text, "n": -0.5}]), newline=""))
    assert (heading, cells) == ([f"'{text}", "n"], [f"'{text}", "-0.5"])


@pytest.mark.parametrize("value", [-1, -0.5, float("-inf"), "a=1", "", "'=1", "1-2", " x", None])
def test_other_cells_of_csv_are_unchanged(value: object) -> None:
    assert csv_text([{"a": value, "b": 0}]) == f"a,b\n{'' if value is None else value},0\n"


MARKUP = r"\`*_[]<>|#"


@given(st.text(st.sampled_from([*MARKUP, "a", " "])))
def test_only_markup_is_escaped(text: str) -> None:
    pairs = re.findall(rf"\\[{re.escape(MARKUP)}]|[a ]", markdown_text(text))
    assert "".join(pairs) == markdown_text(text)
    assert "".join(pair[-1] for pair in pairs) == text


def test_a_text_stays_on_its_line() -> None:
    assert "\n" not in markdown_text("one\n# two")
