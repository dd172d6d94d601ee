"""Tables of metrics: by run, by task, or by episode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from multinet_eval.cli.echo import echo

if TYPE_CHECKING:
    from multinet_eval.analysis.metrics.measuring import MeasuredRun, Row
    from multinet_eval.cli.table import Cell, Column

__all__ = ["ByChoice", "print_metrics", "rows_of"]

Table: TypeAlias = "tuple[list[Column], list[list[Cell]]]"


class ByChoice(StrEnum):
    """The choices of ``--by``."""

    RUN = "run"
    TASK = "task"
    EPISODE = "episode"


def rows_of(measured: Sequence[MeasuredRun], by: ByChoice) -> list[Row]:
    """The rows of some runs, one run after another."""
    return [row for each in measured for row in each.table(by.value)]


def print_metrics(measured: Sequence[MeasuredRun], by: ByChoice) -> None:
    """Print the table of some runs, at least one."""
    from multinet_eval.cli.table import print_table
    from multinet_eval.record.played_suite import suites_told

    columns, cells = TABLES[by](measured)
    print_table(columns, cells)
    echo(f"suite: {suites_told(each.suite for each in measured)}")
    for name, metric in measured[0].metrics.items():
        if metric.weights is not None:
            echo(f"weights of {name}: {metric.weights.path.name}, SHA-256 {metric.weights.sha256}")
    for name in _never_defined(measured):
        echo(f"{name} is defined for no episode: multinet plugins show {name} says when it is")


def _never_defined(measured: Sequence[MeasuredRun]) -> list[str]:
    """Metrics that have no value anywhere, of which at least one episode could have told."""
    rows = rows_of(measured, ByChoice.RUN)
    defined = {row["metric"] for row in rows if row["episodes"]}
    return sorted({row["metric"] for row in rows if row["undefined"]} - defined)


def _by_run(measured: Sequence[MeasuredRun]) -> Table:
    from multinet_eval.cli.table import Column

    columns = [
        Column("Run"),
        Column("Metric"),
        Column("Value", right=True),
        Column("95 % interval", right=True),
        Column("Mazes", right=True, spare=4),
        Column("Episodes", right=True, spare=3),
        Column("Undefined", right=True, spare=2),
        Column("Missing", right=True, spare=1),
    ]
    return columns, [
        [row["run"], *_said(row), _interval(row), str(row["mazes"]), *_counts(row)]
        for row in rows_of(measured, ByChoice.RUN)
    ]


def _by_task(measured: Sequence[MeasuredRun]) -> Table:
    from multinet_eval.cli.table import Column

    columns = [
        Column("Run"),
        Column("Task"),
        Column("Tiling", spare=1),
        Column("Metric"),
        Column("Value", right=True),
        Column("Episodes", right=True, spare=4),
        Column("Undefined", right=True, spare=3),
        Column("Missing", right=True, spare=2),
    ]
    return columns, [
        [row["run"], row["task_id"], row["tiling"] or "-", *_said(row), *_counts(row)]
        for row in rows_of(measured, ByChoice.TASK)
    ]


def _by_episode(measured: Sequence[MeasuredRun]) -> Table:
    from multinet_eval.cli.table import Column

    metrics = list(measured[0].metrics)
    columns = [
        Column("Run"),
        Column("Number", right=True),
        Column("Task"),
        Column("Tiling", spare=1),
        *(Column(name, right=True, spare=place) for place, name in enumerate(metrics, start=2)),
    ]
    return columns, [
        [row["run"], str(row["episode"]), row["task_id"], row["tiling"] or "-", *(_in_words(row[m]) for m in metrics)]
        for row in rows_of(measured, ByChoice.EPISODE)
    ]


def _said(row: Row) -> list[Cell]:
    """The metric, with the word whose share it is, and the value."""
    named = row["metric"] if row["category"] is None else f"{row['metric']}: {row['category']}"
    return [named, _in_words(row["value"])]


def _interval(row: Row) -> Cell:
    low, high = row["interval_low"], row["interval_high"]
    return "-" if low is None else f"{_in_words(low)} to {_in_words(high)}"


def _counts(row: Row) -> list[Cell]:
    return [str(row[name]) for name in ("episodes", "undefined", "missing")]


def _in_words(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or "-"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.1f}"


TABLES: Mapping[ByChoice, Callable[[Sequence[MeasuredRun]], Table]] = {
    ByChoice.RUN: _by_run,
    ByChoice.TASK: _by_task,
    ByChoice.EPISODE: _by_episode,
}
"""What has rows of its own to the columns and cells of its table."""
