"""``multinet runs verify`` and ``rescore``: replay recorded runs, and recompute their results and metrics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import typer

from gridworld.errors import ArgumentError, PluginFault
from gridworld.support.wording import counted, first_lines, visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import (
    AsJson,
    BackendArgument,
    MaxMetricStates,
    RunFolders,
    TakeOver,
    Weights,
    Workers,
    reading,
    refuse_experiments,
)
from multinet_eval.cli.table import Cell, Column, numeric, print_prose, print_table
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.statistics import ESTIMATORS_VERSION
from multinet_eval.support.output import csv_text

if TYPE_CHECKING:
    from multinet_eval.analysis.export import Row
    from multinet_eval.analysis.metrics.measured_run import MeasuredRun
    from multinet_eval.support.parallel import Work
    from multinet_eval.verify.verification import Verification


@command()
def verify_runs(
    directories: list[Path] = typer.Argument(..., metavar="DIR", help="Folders of recorded runs."),
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Check that runs are complete and consistent.

    Every recorded answer is replayed. Hashes, plan, fingerprint, the digest of every state, the end of each episode
    and the results must follow from the record. The origin of the answers cannot be proven. Unfinished runs are
    checked as far as recorded. Exit code 1 if anything is inconsistent, or a run is incomplete.
    """
    from multinet_eval.record.record_folders import RUN, NotRecordedError, is_run
    from multinet_eval.verify.verification import NOT_PROVEN, verify_run

    refuse_experiments(directories, "runs verify")
    for directory in directories:
        if not is_run(directory):
            raise NotRecordedError(directory, RUN)
    found = []
    for directory in directories:
        found.append(verify_run(directory, reading(workers)))
        if not as_json:
            _print_verification(found[-1])
    consistent = all(each.consistent for each in found)
    complete = all(each.complete for each in found)
    if as_json:
        runs = [each.to_dict() for each in found]
        echo_json({"consistent": consistent, "complete": complete, "runs": runs, "not_proven": NOT_PROVEN})
    else:
        print_prose(NOT_PROVEN)
    if not (consistent and complete):
        raise typer.Exit(FAILED)


def _print_verification(found: Verification) -> None:
    state = "consistent" if found.complete else "unfinished, and consistent so far"
    known = ", as far as checkable here" if found.unplayed else ""
    played = f"{counted(found.episodes, 'episode')} and {counted(found.steps, 'step')} replayed"
    echo(f"{visible_line(str(found.path))} is {state + known if found.consistent else 'NOT consistent'}: {played}")
    for mark, listed in (("", found.problems), ("unfinished: ", found.pending), ("not checked: ", found.unchecked)):
        for line in first_lines(listed):
            echo(f"  {mark}{visible_line(line)}")


Table: TypeAlias = "tuple[list[Column], list[list[Cell]]]"


By = Literal["run", "task", "episode"]
"""Choices of ``--by``."""


def rows_of(measured: Sequence[MeasuredRun], by: By) -> list[Row]:
    """List the rows of all runs in order."""
    return [row for each in measured for row in each.table(by)]


def print_metrics(measured: Sequence[MeasuredRun], by: By) -> None:
    """Print the table of one or more runs."""
    from multinet_eval.record.manifest import suites_told

    columns, cells = TABLES[by](measured)
    print_table(columns, cells)
    echo(f"suite: {suites_told(each.suite for each in measured)}")
    for note in _notes(measured, by):
        echo(note)


def _notes(measured: Sequence[MeasuredRun], by: By) -> Iterator[str]:
    """Yield the lines below the table."""
    for name, metric in measured[0].metrics.items():
        if metric.weights is not None:
            yield f"weights of {name}: {metric.weights.path.name}, SHA-256 {metric.weights.sha256}"
    for each in measured:
        if not each.estimated:
            yield f"{visible_line(each.name)} stopped when decided: its results chose its mazes, so it has no intervals"
    every_run = rows_of(measured, "run")
    defined = {row["metric"] for row in every_run if row["episodes"]}
    for name in sorted({row["metric"] for row in every_run if row["undefined"]} - defined):
        yield f"{name} is undefined in every episode; for its definition: multinet plugins show {name}"


def _by_run(measured: Sequence[MeasuredRun]) -> Table:
    columns = [
        Column("Run"),
        Column("Metric"),
        numeric("Value"),
        numeric("95 % interval"),
        numeric("Mazes", 4),
        numeric("Episodes", 3),
        numeric("Undefined", 2),
        numeric("Missing", 1),
    ]
    return columns, [
        [row["run"], *_metric_cells(row), _interval(row), str(row["mazes"]), *_counts(row)]
        for row in rows_of(measured, "run")
    ]


def _by_task(measured: Sequence[MeasuredRun]) -> Table:
    columns = [
        Column("Run"),
        Column("Task"),
        Column("Tiling", 1),
        Column("Metric"),
        numeric("Value"),
        numeric("Episodes", 4),
        numeric("Undefined", 3),
        numeric("Missing", 2),
    ]
    return columns, [
        [row["run"], row["task_id"], row["tiling"] or "-", *_metric_cells(row), *_counts(row)]
        for row in rows_of(measured, "task")
    ]


def _by_episode(measured: Sequence[MeasuredRun]) -> Table:
    metrics = list(measured[0].metrics)
    columns = [
        Column("Run"),
        numeric("Number"),
        Column("Task"),
        Column("Tiling", 1),
        *(numeric(name, place) for place, name in enumerate(metrics, start=2)),
    ]
    return columns, [
        [row["run"], str(row["episode"]), row["task_id"], row["tiling"] or "-", *(_in_words(row[m]) for m in metrics)]
        for row in rows_of(measured, "episode")
    ]


def _metric_cells(row: Row) -> list[Cell]:
    """Format the cells of a metric, with its category if the metric is a share, and of its value."""
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
    return f"{value:z.3f}" if abs(value) < 100 else f"{value:z,.1f}"


TABLES: Mapping[By, Callable[[Sequence[MeasuredRun]], Table]] = {
    "run": _by_run,
    "task": _by_task,
    "episode": _by_episode,
}
"""Columns and cells of the table by the unit of its rows."""


HEADLINE = ("success", "spl", "optimality_ratio", "ended", "steps", "progress_best", "regret_total", "loss")
"""Metrics that are computed by default."""


@command()
def rescore(
    directories: RunFolders,
    metric: list[str] | None = typer.Option(
        None,
        metavar="NAME",
        help="Metric to compute, as 'multinet plugins list' lists them; eight by default. Repeatable.",
    ),
    all_metrics: bool = typer.Option(False, "--all", help="Compute all installed metrics."),
    by: By = typer.Option("run", help="Unit of a row in the table."),
    max_table_states: MaxMetricStates = MAX_STATES_OF_METRICS,
    weights: Weights = None,
    backend_arg: BackendArgument = None,
    workers: Workers = None,
    take_over: TakeOver = False,
    as_json: bool = typer.Option(False, "--json", help="Print all tables as JSON."),
    as_csv: bool = typer.Option(False, "--csv", help="Print the table as CSV."),
) -> None:
    """Recompute results and metrics of finished runs.

    No model is asked. Each run's results.json is rewritten if its folder is writable, and changed parts are named.
    Metrics are printed by run with 95 % intervals, by task, or by episode. With --all, broken metrics are named and
    left out; a metric that fails has no value for that episode.
    """
    import attrs

    from multinet_eval.analysis.metrics.measuring import load_metrics, measure_run
    from multinet_eval.analysis.recorded_run import run_names
    from multinet_eval.record.run_directory import RunDirectory

    if as_json and as_csv:
        raise ArgumentError("--json and --csv exclude each other")
    if metric and all_metrics:
        raise ArgumentError("--metric and --all exclude each other")
    names, broken = _sound_metrics() if all_metrics else (metric or HEADLINE, ())
    load_metrics(names, weights)  # report errors of the call before writing anything
    refuse_experiments(directories, "runs rescore")
    work = reading(workers)
    for directory in directories:
        _rescore(directory, take_over, work)
    found = [
        measure_run(RunDirectory(directory), names, max_table_states, weights, backend_arg or (), work)
        for directory in directories
    ]
    measured = [attrs.evolve(each, name=name) for each, name in zip(found, run_names(directories), strict=True)]
    if as_json or as_csv:
        _print_tables(measured, by, as_csv)
    else:
        print_metrics(measured, by)
    failed = [message for each in measured for message in _fault_messages(each)]
    for complaint in [*map(str, broken), *failed]:
        echo(f"error: {complaint}", err=True)
    if broken or failed:
        raise typer.Exit(FAILED)


def _fault_messages(measured: MeasuredRun) -> list[str]:
    """List messages for metrics that failed, with the number of episodes."""
    return [
        f"{fault}" + (f" (and for {counted(times - 1, 'other episode')} of {measured.name})" if times > 1 else "")
        for fault, times in measured.faults().values()
    ]


def _sound_metrics() -> tuple[Sequence[str], Collection[PluginFault]]:
    """Return the names of the usable installed metrics, and the faults of the others."""
    from multinet_eval.analysis.metrics.measuring import find_broken_metrics, metric_names

    broken = find_broken_metrics()
    return [name for name in metric_names() if name not in broken], broken.values()


def _rescore(directory: Path, take_over: bool, work: Work) -> None:
    """Rewrite the results of a run, and name the changed parts."""
    from multinet_eval.record.results import rescore_run

    rescored = rescore_run(directory, take_over, work)
    outcome = f"changed in {', '.join(rescored.changed)}" if rescored.changed else "is unchanged"
    kept = "" if rescored.written else "; not written, since the folder is not writable"
    echo(f"results.json of {directory} {outcome}{kept}", err=True)


def _print_tables(measured: Sequence[MeasuredRun], by: By, as_csv: bool) -> None:
    """Print the table as CSV, or all tables as JSON."""
    if as_csv:
        echo(csv_text(rows_of(measured, by)).removesuffix("\n"))
    else:
        tables = {f"{each}s": rows_of(measured, each) for each in TABLES}
        echo_json({"estimators": ESTIMATORS_VERSION, **tables})
