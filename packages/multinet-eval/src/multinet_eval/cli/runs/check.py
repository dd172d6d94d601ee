"""``multinet runs verify`` and ``rescore``: recorded runs played again, and their results computed again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import typer

from gridworld.errors import ArgumentError, PluginFault
from gridworld.support.files import write_bytes
from gridworld.support.wording import counted, visible_line
from multinet_eval.cli.commands import REQUIRED, argument, command, option
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import (
    AsJson,
    BackendArgument,
    MaxMetricStates,
    RunFolders,
    TakeOver,
    Weights,
)
from multinet_eval.cli.output_files import refuse_output
from multinet_eval.cli.table import Cell, Column, numeric, print_prose, print_table
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.support.output import csv_text, json_text, writing_to

if TYPE_CHECKING:
    from multinet_eval.analysis.metrics.measuring import MeasuredRun, Row
    from multinet_eval.verify.verification import Verification


@command(plugins="loaded")
def verify_runs(
    directories: list[Path] = argument(REQUIRED, "Folders of recorded runs.", metavar="DIR..."),
    as_json: AsJson = False,
) -> None:
    """Check that recorded runs are complete and consistent: every recorded answer is played once more.

    Hashes, plan, fingerprint, every step with the digest of the state after it, how each episode ended and the results
    have to be what follows. Who gave the answers cannot be proven. Of an unfinished run what there is is checked. Exit
    code 1 when anything is not as it says, or a run is not complete.
    """
    from multinet_eval.record.record_folders import RUN, NotRecordedError, is_run
    from multinet_eval.verify.verification import NOT_PROVEN, verify_run

    for directory in directories:
        if not is_run(directory):
            raise NotRecordedError(directory, RUN)
    found = []
    for directory in directories:
        found.append(verify_run(directory))
        if not as_json:
            _say(found[-1])
    consistent = all(each.consistent for each in found)
    complete = all(each.complete for each in found)
    if as_json:
        runs = [each.to_dict() for each in found]
        echo_json({"consistent": consistent, "complete": complete, "runs": runs, "not_proven": NOT_PROVEN})
    else:
        print_prose(NOT_PROVEN)
    if not (consistent and complete):
        raise typer.Exit(FAILED)


def _say(found: Verification) -> None:
    state = "consistent" if found.complete else "unfinished, and consistent so far"
    known = ", as far as it can be checked here" if found.unplayed else ""
    played = f"{counted(found.episodes, 'episode')} and {counted(found.steps, 'step')} played again"
    echo(f"{visible_line(str(found.path))} is {state + known if found.consistent else 'NOT consistent'}: {played}")
    for each in found.problems:
        echo(f"  {visible_line(str(each))}")
    for each in found.pending:
        echo(f"  unfinished: {visible_line(str(each))}")
    for each in found.unchecked:
        echo(f"  not checked: {visible_line(str(each))}")


Table: TypeAlias = "tuple[list[Column], list[list[Cell]]]"


By = Literal["run", "task", "episode"]
"""The choices of ``--by``."""


def rows_of(measured: Sequence[MeasuredRun], by: By) -> list[Row]:
    """The rows of some runs, one run after another."""
    return [row for each in measured for row in each.table(by)]


def print_metrics(measured: Sequence[MeasuredRun], by: By) -> None:
    """Print the table of some runs, at least one."""
    from multinet_eval.record.manifest import suites_told

    columns, cells = TABLES[by](measured)
    print_table(columns, cells)
    echo(f"suite: {suites_told(each.suite for each in measured)}")
    for note in _notes(measured, by):
        echo(note)


def _notes(measured: Sequence[MeasuredRun], by: By) -> Iterator[str]:
    """Sentences below the table."""
    for name, metric in measured[0].metrics.items():
        if metric.weights is not None:
            yield f"weights of {name}: {metric.weights.path.name}, SHA-256 {metric.weights.sha256}"
    for row in rows_of(measured, "run") if by == "run" else ():
        if row["interval_may_be_short"]:
            told = "mazes differ widely, and few tell by how much: its interval may be too short"
            yield f"{row['run']}: {_said(row)[0]}: {told}"
    for each in measured:
        if not each.estimated:
            yield f"{visible_line(each.name)} stopped when it was decided: its results chose its mazes, so no intervals"
    for name in _never_defined(measured):
        yield f"{name} is defined for no episode: multinet plugins show {name} says when it is"


def _never_defined(measured: Sequence[MeasuredRun]) -> list[str]:
    """Metrics that have no value anywhere, of which at least one episode could have told."""
    rows = rows_of(measured, "run")
    defined = {row["metric"] for row in rows if row["episodes"]}
    return sorted({row["metric"] for row in rows if row["undefined"]} - defined)


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
        [row["run"], *_said(row), _interval(row), str(row["mazes"]), *_counts(row)] for row in rows_of(measured, "run")
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
        [row["run"], row["task_id"], row["tiling"] or "-", *_said(row), *_counts(row)]
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


TABLES: Mapping[By, Callable[[Sequence[MeasuredRun]], Table]] = {
    "run": _by_run,
    "task": _by_task,
    "episode": _by_episode,
}
"""What has rows of its own to the columns and cells of its table."""


@command(plugins="loaded")
def rescore(
    directories: RunFolders,
    metric: list[str] | None = option(
        None,
        "A metric to compute, as 'multinet plugins' lists them; all of them by default. Repeatable.",
        metavar="NAME",
    ),
    by: By = option("run", "What has rows of its own in the table."),
    max_table_states: MaxMetricStates = MAX_STATES_OF_METRICS,
    weights: Weights = None,
    backend_arg: BackendArgument = None,
    take_over: TakeOver = False,
    output: Path | None = option(None, "Write JSON, or CSV with --csv, instead of printing.", "-o", metavar="FILE"),
    as_json: bool = option(False, "Print all tables as JSON.", "--json"),
    as_csv: bool = option(False, "Print the table as CSV.", "--csv"),
) -> None:
    """Compute the results of finished runs anew from their recorded episodes, and their metrics.

    No model is asked. Each run's results.json is written anew, if its folder can be written, and it is said which parts
    of it have changed. Metrics are printed: by run, with 95 % intervals, by task, or by episode. Installed ones that
    are broken are named and left out, unless --metric asks for them; one that fails has no value for that episode.
    """
    import attrs

    from multinet_eval.analysis.metrics.measuring import load_metrics, measure_run
    from multinet_eval.analysis.recorded_run import run_names
    from multinet_eval.record.run_directory import RunDirectory

    if as_json and as_csv:
        raise ArgumentError("--json and --csv exclude each other")
    names, broken = (metric, ()) if metric else _sound_metrics()
    refuse_output(output)
    load_metrics(names, weights)  # what is wrong with the call is told before anything is written
    for directory in directories:
        _rescore(directory, take_over)
    found = [
        measure_run(RunDirectory(directory), names, max_table_states, weights, backend_arg or ())
        for directory in directories
    ]
    measured = [attrs.evolve(each, name=name) for each, name in zip(found, run_names(directories), strict=True)]
    if output is not None or as_json or as_csv:
        _hand_over(measured, by, as_csv, output)
    else:
        print_metrics(measured, by)
    failed = [told for each in measured for told in _told_faults(each)]
    for complaint in [*map(str, broken), *failed]:
        echo(f"error: {complaint}", err=True)
    if broken or failed:
        raise typer.Exit(FAILED)


def _told_faults(measured: MeasuredRun) -> list[str]:
    """What was wrong with each metric that failed, and how often."""
    return [
        f"{fault}" + (f" (and for {counted(times - 1, 'other episode')} of {measured.name})" if times > 1 else "")
        for fault, times in measured.faults().values()
    ]


def _sound_metrics() -> tuple[list[str], Collection[PluginFault]]:
    """The names of the installed metrics that can be computed, and what is wrong with the others."""
    from multinet_eval.analysis.metrics.measuring import find_broken_metrics, metric_names

    broken = find_broken_metrics()
    return [name for name in metric_names() if name not in broken], broken.values()


def _rescore(directory: Path, take_over: bool) -> None:
    """Write the results of a run anew, and say what has changed."""
    from multinet_eval.record.results import rescore_run

    rescored = rescore_run(directory, take_over)
    told = f"has changed: {', '.join(rescored.changed)}" if rescored.changed else "is as it was"
    kept = "" if rescored.written else "; it is not written, since the folder cannot be"
    echo(f"results.json of {directory} {told}{kept}", err=True)


def _hand_over(measured: Sequence[MeasuredRun], by: By, as_csv: bool, output: Path | None) -> None:
    """Give tables to another program, by standard output or in a file."""
    from multinet_eval.statistics import ESTIMATORS_VERSION

    if as_csv:
        text = csv_text(rows_of(measured, by)).removesuffix("\n")
    else:
        tables = {f"{each}s": rows_of(measured, each) for each in TABLES}
        text = json_text({"estimators": ESTIMATORS_VERSION, **tables})
    if output is None:
        echo(text)
        return
    with writing_to(output):
        write_bytes(output, f"{text}\n".encode("utf-8", "backslashreplace"))
