"""TOML files: what is parsed as `tomllib` parses it, and the limits of nesting and integers."""

import tomllib
from pathlib import Path

import pytest

from gridworld.support.toml_files import TOMLError, parse_toml, read_toml

LEVELS = "expected at most 50 levels of tables, lists and keys"
INTEGERS = "expected integers of at most 64 bits"
LONG = ".".join("a" * 100_000)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_toml_is_read_with_a_byte_order_mark_and_any_line_ends(tmp_path: Path, encoding: str, end: str) -> None:
    content = end.join(['["größe"]', "a = 1"]).encode(encoding)
    (tmp_path / "x.toml").write_bytes(content)
    read = read_toml(tmp_path / "x.toml")
    assert (read.tables, read.content) == ({"größe": {"a": 1}}, content)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"# {LONG}",
        f'a = \'{LONG}\'\nb = """\n{LONG}"""\nc = \'\'\'{LONG}\'\'\'\nd = "\\"{LONG}"',
        f"a = {'[' * 49}{']' * 49}",
        ".".join("b" * 50) + " = 1.5",
        "a = [" + ", ".join(["{b.c = 1.5, d = 1979-05-27T07:32:00.999999}"] * 100) + "]",
        "a = [18446744073709551615, -9_223_372_036_854_775_808, 0x7fffffffffffffff, 0.12345678901234567890]",
    ],
    ids=lambda text: text[:20],
)
def test_toml_within_the_limits_is_parsed(text: str) -> None:
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a", r".*\(at "),
        (b"a = 1\nb = '\xff'", "byte 11: not UTF-8 text"),
        ("a = 2026-02-30", r"Invalid date or datetime \(at line 1, column "),
        ("a = " + "[" * 100_000, LEVELS),
        ("a = " + "{a = " * 100_000, LEVELS),
        (f"a = {'[' * 51}{']' * 51}", LEVELS),
        ("\n".join(f"[{'a.' * 30}a{n}]\n{'b.' * 30}b = 1" for n in range(2)), LEVELS),
        (f"{LONG} = 1", LEVELS),
        (f"{' . '.join('a' * 100_000)} = 1", LEVELS),
        (f"[{LONG}]", LEVELS),
        ("[['a'" + ".'a'" * 100_000 + "]]", LEVELS),
        ('["a"' + '."]\\""' * 100_000 + "]", LEVELS),
        (f"a = {{{LONG} = 1}}", LEVELS),
        (f'a = {{b = """\'""""", {LONG} = 1}}', LEVELS),
        (f"a = {{b = '''\"''''', {LONG} = 1}}", LEVELS),
        (f'# """\n# \'\n{LONG} = 1', LEVELS),
        *((f"a = {integer}", INTEGERS) for integer in (2**64, "9" * 10_000, "0x" + "f" * 5_000, f"[1, {10**20}]")),
    ],
    ids=lambda text: text[:20],
)
def test_toml_beyond_the_limits_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(TOMLError, match=rf"^{message}"):
        parse_toml(text)
