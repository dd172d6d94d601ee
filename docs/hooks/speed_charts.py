"""The charts of the page on speed, on white, so that they can be read on dark pages, too."""

import io
from collections.abc import Iterator
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from speed import measured

__all__ = ["speed_charts"]

INK = "#333333"
OURS, PEER = "#2f7fd8", "#9a9a9a"


def speed_charts() -> Iterator[tuple[str, str]]:
    """Name of each chart, and its SVG; the same bytes for the same figures."""
    settings = {"svg.hashsalt": "speed", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10}
    colors = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK)
    with matplotlib.rc_context({**settings, **colors}):
        yield "speed-peers", _svg(_peers())
        yield "speed-growth", _svg(_growth())


def _peers() -> Figure:
    """Steps a second of those who step many environments at once, on a logarithmic axis."""
    lines = [line for line in measured()["vector.peers"] if line["value"] is not None]
    figure = Figure(figsize=(8, 0.42 * len(lines) + 0.7), layout="constrained")
    axes = figure.add_subplot()
    colors = [OURS if line["name"].startswith("ours") else PEER for line in lines]
    bars = axes.barh([line["name"] for line in lines], [line["value"] for line in lines], color=colors, log=True)
    axes.bar_label(bars, [_short(line["value"]) for line in lines], padding=4)
    axes.invert_yaxis()
    axes.set_xlim(1e3, 1e9)
    axes.set_xlabel("steps a second on one core")
    _bare(axes)
    return figure


def _growth() -> Figure:
    """How rates change with environments, cells and mechanisms."""
    figure = Figure(figsize=(8, 3), layout="constrained")
    left, middle, right = figure.subplots(1, 3, sharey=True)
    _curves(left, measured()["growth.environments"], "environments")
    _curves(middle, measured()["growth.size"], "cells along a side")
    _curves(right, measured()["growth.mechanisms"], "mechanisms")
    left.set_ylabel("steps a second")
    figure.legend(*middle.get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    return figure


def _curves(axes: Axes, lines: list[dict[str, Any]], label: str) -> None:
    """A curve for what comes before the comma in names, over the number that comes first after it."""
    curves: dict[str, list[tuple[int, float]]] = {}
    for line in lines:
        name, _, varied = line["name"].rpartition(", ")
        curves.setdefault(name, []).append((int(varied.split()[0].replace(",", "")), line["value"]))
    for number, (name, points) in enumerate(curves.items()):
        color = f"C{number}" if name else "C2"
        axes.plot(*zip(*points, strict=True), marker="o", label=name or None, color=color)
    axes.set_yscale("log")
    axes.set_xscale("symlog" if any(not x for points in curves.values() for x, _ in points) else "log", base=2)
    axes.set_ylim(100, 5e8)
    ticks = sorted({x for points in curves.values() for x, _ in points})
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(label)
    _bare(axes)


def _bare(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.patch.set_visible(False)


def _short(value: float) -> str:
    return f"{value / 1e6:.3g} million" if value >= 1e6 else f"{value:,.0f}"


def _svg(figure: Figure) -> str:
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None})
    return written.getvalue()
