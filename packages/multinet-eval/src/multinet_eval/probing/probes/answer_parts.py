"""Parsing of answer parts, and labels for grouping results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gridworld.errors import describe_value
from gridworld.support.wording import shorten
from gridworld.task_spec import Position
from multinet_eval.probing.board import Name
from multinet_eval.probing.probe import Unreadable


def read_cell(said: Mapping[str, Any], field: str) -> Position:
    """Parse a cell, ``[column, row]``; raises Unreadable for anything else."""
    given = said.get(field)
    if not isinstance(given, list) or len(given) != 2 or not all(map(_is_integer, given)):
        raise Unreadable(f"{field}: expected [column, row], got {shorten(describe_value(given))}")
    return Position(*map(int, given))


def read_cell_or_none(said: Mapping[str, Any], field: str) -> Position | None:
    """Parse a cell or an explicit null; raises Unreadable for anything else."""
    if field in said and said[field] is None:
        return None
    return read_cell(said, field)


def read_integer(said: Mapping[str, Any], field: str) -> int:
    """Parse an integer; raises Unreadable for anything else."""
    given = said.get(field)
    if not _is_integer(given):
        raise Unreadable(f"{field}: expected an integer, got {shorten(describe_value(given))}")
    return int(said[field])


def read_word(said: Mapping[str, Any], field: str) -> str:
    """Parse a string, stripped and in lower case; raises Unreadable for anything else."""
    given = said.get(field)
    if not isinstance(given, str):
        raise Unreadable(f"{field}: expected a string, got {shorten(describe_value(given))}")
    return " ".join(given.casefold().split())


def _is_integer(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


BANDS = ((1, "0-1"), (3, "2-3"), (7, "4-7"))
FAR = "8+"


def labels_of(name: Name, cell: Position, agent: Position) -> dict[str, str]:
    """Return the labels of an object on a cell."""
    color = {"color": name.color} if name.color else {}
    return {"thing": name.kind, **color, "distance": distance_band(cell, agent)}


def distance_band(cell: Position, agent: Position) -> str:
    """Return the band of the taxicab distance between a cell and the agent."""
    distance = abs(cell.x - agent.x) + abs(cell.y - agent.y)
    return next((band for most, band in BANDS if distance <= most), FAR)
