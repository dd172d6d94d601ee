"""Tables of what ``python benchmarks --json benchmarks/figures.json`` has measured: for each section, ratios first."""

import json
import statistics
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

__all__ = ["SPEED_PARTS", "measured"]

FIGURES = Path(__file__).parents[2] / "benchmarks" / "figures.json"
SUITES = ("vector.validation_10", "vector.tiers")
KINDS = {
    "view": "views, tasks that are tabulated",
    "none": "no observations, tasks that are tabulated",
    "learnt": "views, tasks that are learnt",
}
Line = dict[str, Any]


@cache
def measured() -> dict[str, list[Line]]:
    """The figures of each section."""
    sections: dict[str, list[Line]] = json.loads(FIGURES.read_text(encoding="utf-8"))["sections"]
    return sections


def _table(section: str) -> str:
    """All figures of a section, as ratios to the first of their unit too."""
    lines = measured()[section]
    first: dict[str, float] = {}
    for line in lines:
        if line["value"] is not None:
            first.setdefault(line["unit"], line["value"])
    rows = [(line["name"], *_ratio_and_value(line, first), line["note"]) for line in lines]
    head = (section.rpartition(".")[2].replace("_", " "), "ratio", "measured", "")
    columns = 4 if any(note for *_, note in rows) else 3
    return _markdown(head[:columns], [row[:columns] for row in rows])


def _ratio_and_value(line: Line, first: dict[str, float]) -> tuple[str, str]:
    if line["value"] is None:
        return "", ""
    ratio = line["value"] / first[line["unit"]]
    return _rounded(ratio), f"{_rounded(line['value'])} {line['unit']}"


def _rounded(value: float) -> str:
    """With thousands separated, or in millions; three digits that mean something."""
    if value >= 1e6:
        return f"{value / 1e6:.3g} million"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _bundled() -> str:
    """What is said of all tasks of each kind together."""
    kinds: dict[str, list[float]] = {}
    for line in (line for suite in SUITES for line in measured()[suite]):
        kinds.setdefault(line["name"].rpartition(", ")[2], []).append(line["value"] / 1e6)
    rows = [
        (KINDS[kind], str(len(rates)), f"{min(rates):.3g}", f"{statistics.median(rates):.3g}", f"{max(rates):.3g}")
        for kind, rates in kinds.items()
    ]
    return _markdown(("million steps a second", "tasks", "least", "median", "most"), rows)


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ["---:" if name else "---" for name in ("", *head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


SPEED_PARTS = {f"speed-{section}": partial(_table, section) for section in measured() if section not in SUITES}
"""Name of each generated part of the page to what makes it."""
SPEED_PARTS["speed-bundled"] = _bundled
