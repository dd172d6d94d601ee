"""`json_differences`: differences between JSON found and JSON expected, by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from gridworld.errors import join_path
from gridworld.support.wording import shorten
from multinet_eval.support.output import compact_json

SAME = 20
"""Number of characters to show before a difference of two texts."""
LONGEST = 60
"""Maximum length of a value in a message, in characters."""


class Absent:
    """Placeholder for a missing value, since None is a value."""


ABSENT = Absent()


@attrs.frozen
class JsonDifference:
    """One path at which two values differ."""

    path: str
    """Path of the value, such as ``task_results[3].success``."""
    found: Any
    expected: Any

    def __str__(self) -> str:
        found, expected = self.found, self.expected
        if isinstance(found, str) and isinstance(expected, str):
            same = next((place for place, pair in enumerate(zip(found, expected, strict=False)) if len({*pair}) > 1), 0)
            found, expected = (_from(text, same - SAME) for text in (found, expected))
        return f"{_in_words(found)}, expected {_in_words(expected)}"


def json_differences(found: Any, expected: Any, path: str = "") -> Iterator[JsonDifference]:
    """Yield the innermost differences, in the order of the expected JSON.

    Numbers are compared as written: 1 is neither 1.0 nor ``true``. Lists of different lengths also differ in their
    ``length``.

    Args:
        found: the found JSON.
        expected: the expected JSON.
        path: the path of both.
    """
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        for name in dict.fromkeys([*expected, *found]):
            inner = join_path(path, str(name))
            yield from json_differences(found.get(name, ABSENT), expected.get(name, ABSENT), inner)
    elif isinstance(found, list) and isinstance(expected, list):
        for number, (ours, theirs) in enumerate(zip(found, expected, strict=False)):
            yield from json_differences(ours, theirs, f"{path}[{number}]")
        if len(found) != len(expected):
            yield JsonDifference(f"{path}.length", len(found), len(expected))
    elif type(found) is not type(expected) or found != expected:
        yield JsonDifference(path, found, expected)


def _from(text: str, place: int) -> str:
    """Return the end of a text from a place on, so that a difference far from its beginning is shown."""
    return text if place <= 0 else f"...{text[place:]}"


def _in_words(value: Any) -> str:
    return "nothing" if value is ABSENT else shorten(compact_json(value), LONGEST)
