"""Reading the parts of answers: cells, and words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gridworld.errors import describe_value
from gridworld.support.wording import shorten
from gridworld.task_spec import Position
from multinet_eval.probing.grading import Unreadable

__all__ = ["read_cell", "read_cell_or_none", "read_integer", "read_word"]


def read_cell(said: Mapping[str, Any], field: str) -> Position:
    """A cell, ``[column, row]``; raises Unreadable if it is none."""
    given = said.get(field)
    if not isinstance(given, list) or len(given) != 2 or not all(map(_is_integer, given)):
        raise Unreadable(f"{field}: expected [column, row], got {shorten(describe_value(given))}")
    return Position(*map(int, given))


def read_cell_or_none(said: Mapping[str, Any], field: str) -> Position | None:
    """A cell, or null, which has to be said; raises Unreadable if it is neither."""
    if field in said and said[field] is None:
        return None
    return read_cell(said, field)


def read_integer(said: Mapping[str, Any], field: str) -> int:
    """An integer; raises Unreadable if it is none."""
    given = said.get(field)
    if not _is_integer(given):
        raise Unreadable(f"{field}: expected an integer, got {shorten(describe_value(given))}")
    return int(said[field])


def read_word(said: Mapping[str, Any], field: str) -> str:
    """A text, in lower case and without blanks around it; raises Unreadable if it is none."""
    given = said.get(field)
    if not isinstance(given, str):
        raise Unreadable(f"{field}: expected a text, got {shorten(describe_value(given))}")
    return " ".join(given.casefold().split())


def _is_integer(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)
