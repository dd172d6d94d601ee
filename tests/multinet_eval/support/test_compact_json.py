"""Compact JSON is what the standard encoder makes, and is read as what it was made from."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.support.output import compact_json

TEXTS = st.text(st.characters())
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
DATA = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


@given(DATA)
def test_it_is_what_the_standard_encoder_makes(data: Any) -> None:
    assert compact_json(data) == json.dumps(data, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize("text", ["\ud800", '"\\\n\x00', "ä€𝄞"])
def test_any_text_survives_the_way_to_a_file_and_back(text: str) -> None:
    line = compact_json([text]).encode("utf-8", "backslashreplace")
    assert json.loads(line) == [text]


def test_what_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        compact_json({"a": {1}})
