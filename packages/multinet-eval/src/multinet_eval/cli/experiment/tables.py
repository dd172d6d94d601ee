"""The tables of experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from multinet_eval.cli.echo import echo, styled
from multinet_eval.cli.spl_notes import print_spl_notes
from multinet_eval.cli.table import Cell, Column, print_table
from multinet_eval.experiments.comparison import Row

__all__ = ["print_comparison"]

TELLING: Sequence[tuple[Column, Callable[[Row], str]]] = (
    (Column("Model", spare=3), lambda row: row.played.prepared.model_name),
    (Column("Suite", spare=2), lambda row: row.played.prepared.suite.name),
    (Column("Backend", spare=2), lambda row: "-" if row.metrics is None else row.metrics.backend),
    (Column("Tiling", spare=1), lambda row: "-" if row.metrics is None else row.metrics.tiling or "-"),
    (Column("Seed", right=True, spare=1), lambda row: _seed(row.played.prepared.settings.seed)),
)
"""What rows of one condition may differ in; a column is shown if two of its cells tell different things."""
FIGURES = (
    Column("Solved", right=True),
    Column("Rate", right=True, spare=8),
    Column("95 % interval", right=True, spare=4),
    Column("SPL", right=True, spare=5),
    Column("Requests", right=True, spare=6),
    Column("Actions", right=True, spare=7),
    Column("Tokens", right=True, spare=9),
)


def print_comparison(rows: Sequence[Row]) -> None:
    """Print a row for each condition; more than one where it is played with several models, suites or tilings."""
    telling = [(column, text) for column, text in TELLING if len({text(row) for row in rows} - {"-"}) > 1]
    if len({(row.played.prepared.run.condition, *(text(row) for _, text in telling)) for row in rows}) < len(rows):
        telling.append((Column("Folder"), lambda row: row.played.prepared.run.folder))
    columns = [Column("Condition"), *(column for column, _ in telling), *FIGURES]
    print_table(columns, [[_condition(row), *(text(row) for _, text in telling), *_figures(row)] for row in rows])
    named = [(" ".join([row.played.prepared.run.condition, *(text(row) for _, text in telling)]), row) for row in rows]
    print_spl_notes([(name, row.metrics) for name, row in named if row.metrics is not None and row.metrics.num_scored])
    if not all(row.played.complete for row in rows):
        echo(styled("not all episodes were played", "yellow"))


def _seed(seed: int | None) -> str:
    return "own" if seed is None else str(seed)


def _condition(row: Row) -> Cell:
    name = row.played.prepared.run.condition
    return name if row.played.problem is None else styled(name, "red")


def _figures(row: Row) -> list[Cell]:
    metrics = row.metrics
    if metrics is None or not metrics.num_scored:
        return ["-"] * len(FIGURES)
    low, high = metrics.success_interval
    return [
        f"{metrics.num_success} of {metrics.num_scored}",
        f"{metrics.success_rate:.0%}",
        f"{low:.0%} to {high:.0%}",
        "-" if metrics.spl is None else f"{metrics.spl:.3f}",
        f"{row.requests:,}",
        f"{row.actions:,}",
        "-" if row.tokens is None else f"{row.tokens:,}",
    ]
