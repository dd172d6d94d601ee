"""TOML files: bounded reading and parsing."""

import re
import tomllib
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.files import MIB, MOST_BITS, FileError, read_given

LARGEST_TOML = MIB
"""Maximum size of a TOML file in bytes."""
DEEPEST_TOML = 50
"""Maximum number of levels of tables, lists and parts of keys."""
TOKEN = re.compile(
    r"""
    \#[^\n]*+
    | "{3}(?:\\.|"{1,2}(?!")|[^"\\])*+(?:"{3,5}|\\?\Z)
    | '{3}(?:'{1,2}(?!')|[^'])*+(?:'{3,5}|\Z)
    | (?P<long>(?:(?:[\w-]++|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50})
    | [\w-]++|"(?:\\.|[^"\\\n])*+"?|'[^'\n]*+'?
    """,
    re.ASCII | re.VERBOSE | re.DOTALL,
)
"""Pattern of a comment, string, key or value; ``long`` is a key for which the parser would take long."""


@attrs.frozen
class TomlFile:
    """Content of a TOML file, parsed and as bytes."""

    tables: dict[str, Any] = attrs.field(repr=False)
    content: bytes = attrs.field(repr=False)


class TOMLError(ValueError):
    """A text is not TOML, or exceeds the limits of `parse_toml`."""


def read_toml(path: Path) -> TomlFile:
    """Read a TOML file that the user has named.

    Raises:
        ArgumentError: the file cannot be read, is not regular, is too large, or is not TOML.
    """
    try:
        content = read_given(path, LARGEST_TOML)
        return TomlFile(parse_toml(content), content)
    except FileError as error:
        raise ArgumentError(str(error)) from error
    except TOMLError as error:
        raise ArgumentError(f"{path}: it is not TOML: {error}") from error


def parse_toml(content: bytes | str) -> dict[str, Any]:
    """Parse TOML, which may begin with a byte order mark.

    Raises:
        TOMLError: the content is not TOML, is nested too deeply, or has an integer of more than 64 bits.
    """
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        if any(token["long"] for token in TOKEN.finditer(text)):
            raise RecursionError
        tables = tomllib.loads(text)
        _check(tables)
    except UnicodeDecodeError as error:
        raise TOMLError(f"byte {error.start}: not UTF-8 text") from error
    except RecursionError as error:
        raise TOMLError(f"expected at most {DEEPEST_TOML} levels of tables, lists and keys") from error
    except tomllib.TOMLDecodeError as error:
        raise TOMLError(str(error)) from error
    except ValueError as error:  # Python refuses to parse thousands of digits
        raise TOMLError(f"expected integers of at most {MOST_BITS} bits") from error
    return tables


def _check(value: Any, levels: int = DEEPEST_TOML) -> None:
    """Raise RecursionError for nesting deeper than `levels`, and ValueError for an integer that is too long."""
    if isinstance(value, dict | list):
        if not levels:
            raise RecursionError
        for each in value.values() if isinstance(value, dict) else value:
            _check(each, levels - 1)
    elif isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ValueError
