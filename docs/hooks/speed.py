"""Tables of the steps a second that vector environments take, as ``benchmarks/vector.py`` has measured them."""

import json
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["speed_tables"]

FIGURES = Path(__file__).parents[2] / "benchmarks" / "vector.json"
Line = dict[str, Any]


def speed_tables() -> str:
    """The tables as Markdown; rates are given as ratios to the first line's too."""
    measured = json.loads(FIGURES.read_text(encoding="utf-8"))["figures"]
    parts = (
        "## Beside others",
        _table(measured["peers"]),
        "## On tilings",
        _table(measured["tilings"]),
        "## With more and more environments",
        _table(measured["growth"]),
        "## In larger mazes, and with more keys and doors",
        _table(measured["mazes"]),
        "## On all bundled tasks",
        _ranges(measured["bundled"]),
    )
    return "\n\n".join(parts)


def _table(lines: list[Line]) -> str:
    first = lines[0]["rate"]
    rows = [(line["name"], _ratio(line, first), _millions(line)) for line in lines]
    return _markdown(("", "ratio", "million steps a second"), rows)


def _ratio(line: Line, first: float) -> str:
    if "rate" not in line:
        return ""
    ratio = line["rate"] / first
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}"


def _millions(line: Line) -> str:
    return f"{line['rate'] / 1e6:.3g}" if "rate" in line else "not installed"


def _ranges(lines: list[Line]) -> str:
    """What is said of all tasks of each kind together."""
    kinds: dict[str, list[float]] = {}
    for line in lines:
        kinds.setdefault(line["name"].rpartition(", ")[2], []).append(line["rate"] / 1e6)
    rows = [
        (KINDS[kind], str(len(rates)), f"{min(rates):.3g}", f"{statistics.median(rates):.3g}", f"{max(rates):.3g}")
        for kind, rates in kinds.items()
    ]
    return _markdown(("million steps a second", "tasks", "least", "median", "most"), rows)


KINDS = {
    "view": "views, tasks that are tabulated",
    "none": "no observations, tasks that are tabulated",
    "learnt": "views, tasks that are learnt",
}


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---", *["---:"] * (len(head) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
