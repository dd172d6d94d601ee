"""Reading TOML files of users."""

import pytest

from gridworld.errors import ArgumentError
from gridworld.support.files import parse_toml


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_says_the_same_with_a_byte_order_mark_and_with_lines_that_end_as_on_windows(
    encoding: str, end: str
) -> None:
    content = end.join(['["größe"]', "a = 1"]).encode(encoding)
    assert parse_toml(content, "FILE") == {"größe": {"a": 1}}


@pytest.mark.parametrize("content", [b"[a", b"a = '\xff'"])
def test_what_is_no_toml_is_refused_with_its_place(content: bytes) -> None:
    with pytest.raises(ArgumentError, match=r"^FILE: not a TOML file: "):
        parse_toml(content, "FILE")
