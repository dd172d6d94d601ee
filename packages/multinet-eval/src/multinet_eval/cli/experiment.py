"""``multinet experiment``: preview the conditions of a file, or play and compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from gridworld.support.files import safe_file_name, unique_file_names
from gridworld.support.wording import visible_line
from multinet_eval.cli import interrupted_code
from multinet_eval.cli.commands import command
from multinet_eval.cli.dry_run import DryRun, number_text, print_forecasts
from multinet_eval.cli.echo import Styled, echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, RetryFaults, TakeOver
from multinet_eval.cli.output_options import Printed
from multinet_eval.cli.playing import play_watched
from multinet_eval.cli.prompts import describe_prompt, message_texts, save_pictures
from multinet_eval.cli.result_tables import IF_MISSING, percents, print_notes, spl_cells
from multinet_eval.cli.run_options import ObserverOptions, PlayingOptions
from multinet_eval.cli.table import Cell, Column, numeric, print_table
from multinet_eval.cli.tasks.finding import advising_without_plan, find_task, print_suite_warnings
from multinet_eval.statistics import ESTIMATORS_VERSION

if TYPE_CHECKING:
    from gridworld.model_interface import Prompt
    from gridworld.suites import Suite
    from multinet_eval.experiments.condition_table import ConditionRow
    from multinet_eval.experiments.experiment_folder import ExperimentFolder
    from multinet_eval.experiments.playing import ExperimentOutcome, PlayedRun
    from multinet_eval.experiments.preparing import PreparedRun, Preview

ExperimentFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="TOML file with a table [base] and tables [[condition]].")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Override of the base, such as model=optimal. Repeatable.",
    ),
]


def read_suite(name: str) -> Suite:
    """Read a suite or folder; warnings go to standard error.

    Raises:
        UnknownNameError, SuiteError, ArgumentError: as `gridworld.suites.read_suite` does.
    """
    from gridworld import suites
    from multinet_eval.cli.tasks.generate import prepare_suite

    prepare_suite(name)
    suite = suites.read_suite(name)
    print_suite_warnings(suite)
    return suite


COLORS = {"+": "green", "-": "red"}


@command()
def preview_experiment(
    file: ExperimentFile,
    changes: Changes = None,
    task: str | None = typer.Option(
        None, metavar="SUITE/TASK_ID", help="Task to show; by default the first of each suite."
    ),
    step: int = typer.Option(0, min=0, help="Number of steps of a shortest plan taken before."),
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="FOLDER", help="Folder for the pictures of each condition."
    ),
    differences: bool = typer.Option(False, "--differences", help="Print only differences from the base."),
    as_json: AsJson = False,
) -> None:
    """Show the prompt of each condition without sending it.

    Differences from the base are marked. For a condition with several models, suites or tilings, the first is
    shown.
    """
    from multinet_eval.experiments.experiment_file import read_experiment
    from multinet_eval.experiments.preparing import mark_differences, preview_conditions

    experiment = read_experiment(file, changes or ())
    asked = None if task is None else find_task(task)
    with advising_without_plan(limit=None):
        previews = preview_conditions(experiment, read_suite, asked, step)
    described = [describe_prompt(preview.prompt) for preview in previews]
    if output is not None:
        names = unique_file_names(preview.condition.name for preview in previews)
        for name, preview, parts in zip(names, previews, described, strict=True):
            save_pictures(preview.prompt, parts, output / name)
    if as_json:
        echo_json([_plain(*each) for each in zip(previews, described, strict=True)])
        return
    base = _lines(previews[0].prompt)
    for number, preview in enumerate(previews):
        marked = mark_differences(base, _lines(preview.prompt))
        differing = [each for each in marked if each[0] != " "]
        _show(preview, differing if number and (differences or not differing) else marked)


def _plain(preview: Preview, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "condition": preview.condition.name,
        "varied": dict(preview.condition.varied),
        "model_name": preview.model_name,
        "task_id": preview.task_id,
        "parts": parts,
    }


def _lines(prompt: Prompt) -> list[str]:
    """List the lines of a prompt, with digests of pictures so that different pictures give different lines."""
    return "\n\n".join(message_texts(prompt, digests=True)).splitlines()


def _show(preview: Preview, lines: list[tuple[str, str]]) -> None:
    varied = ", ".join(f"{key} = {_in_words(value)}" for key, value in preview.condition.varied.items())
    title = f"{preview.condition.name}: {varied or 'nothing varied'}"
    echo(Styled(visible_line(f"=== {title} ==="), bold=True))
    echo(visible_line(f"    {preview.model_name}, {preview.task_id}"))
    for mark, line in lines or [(" ", "  same as the base")]:
        echo(Styled(f"{mark} {line}".rstrip(), COLORS.get(mark)))
    echo()


def _in_words(value: Any) -> str:
    return " ".join(map(_in_words, value)) if isinstance(value, list) else str(value)


DISTINGUISHING: Sequence[tuple[Column, Callable[[ConditionRow], str]]] = (
    (Column("Model", 3), lambda row: row.played.prepared.model_name),
    (Column("Suite", 2), lambda row: row.played.prepared.suite.name),
    (Column("Backend", 2), lambda row: "-" if row.metrics is None else row.metrics.backend),
    (Column("Tiling", 1), lambda row: "-" if row.metrics is None else row.metrics.tiling or "-"),
    (numeric("Seed", 1), lambda row: "own" if (seed := row.played.prepared.settings.seed) is None else str(seed)),
)
"""Columns that distinguish rows of one condition; shown only if they vary."""
FIGURES = (
    numeric("Mazes", 3),
    numeric("Solved"),
    numeric("Rate", 8),
    numeric("95 % interval", 4),
    numeric("SPL", 5),
    numeric("95 % of SPL", 10),
)
AMOUNTS = (
    numeric("Requests", 6),
    numeric("Answered", 8),
    numeric("Actions", 7),
    numeric("Tokens", 9),
    numeric("Cost", 5),
)
"""Columns of what a row took, which are added up in the last row."""


def print_comparison(rows: Sequence[ConditionRow]) -> None:
    """Print a row for each condition, or for each of its models, suites or tilings."""
    shown = [(column, text) for column, text in DISTINGUISHING if len({text(row) for row in rows} - {"-"}) > 1]

    def names_of(row: ConditionRow) -> list[str]:
        return [row.played.prepared.run.condition, *(text(row) for _, text in shown)]

    if len({tuple(names_of(row)) for row in rows}) < len(rows):
        shown.append((Column("Folder"), lambda row: row.played.prepared.run.folder))
    amounts = [_amounts(row) for row in rows]
    cells: list[list[Cell]] = []
    for row, amount in zip(rows, amounts, strict=True):
        condition, *others = names_of(row)
        name = condition if row.played.problem is None else Styled(condition, "red")
        cells.append([name, *others, *_figures(row), *map(_amount_text, amount)])
    if len(rows) > 1:
        empty = ["-"] * (len(shown) + len(FIGURES))
        cells.append(["total", *empty, *(_amount_text(_sum(each)) for each in zip(*amounts, strict=True))])
    columns = [Column("Condition"), *(column for column, _ in shown), *FIGURES, *AMOUNTS]
    bounds = [None if row.metrics is None else row.metrics.success_bounds for row in rows]
    if any(bounds):
        columns.append(numeric(IF_MISSING, 1))
        told = [*(percents(found) if found else "-" for found in bounds), *["-"] * (len(cells) - len(rows))]
        cells = [[*each, text] for each, text in zip(cells, told, strict=True)]
    print_table(columns, cells)
    scored = [(" ".join(names_of(row)), row.metrics) for row in rows if row.metrics is not None]
    print_notes([(name, metrics) for name, metrics in scored if metrics.num_scored])
    if not all(row.played.complete for row in rows):
        echo(Styled("not all episodes were played", "yellow"))


def _figures(row: ConditionRow) -> list[Cell]:
    metrics = row.metrics
    if metrics is None or not metrics.num_scored:
        return ["-"] * len(FIGURES)
    low, high = metrics.success_interval
    return [
        str(metrics.num_mazes),
        f"{metrics.num_success} of {metrics.num_scored}",
        f"{metrics.success_rate:z.0%}",
        f"{low:z.0%} to {high:z.0%}",
        *spl_cells(metrics),
    ]


def _amounts(row: ConditionRow) -> list[float | None]:
    """Return the amounts of a row, one for each of `AMOUNTS`."""
    return [row.made.spent.requests, sum(row.made.answers.values()), row.actions, row.tokens, row.cost]


def _sum(amounts: Iterable[float | None]) -> float | None:
    """Add up the known amounts; None if all are unknown."""
    known = [each for each in amounts if each is not None]
    return sum(known) if known else None


def _amount_text(amount: float | None) -> str:
    return "-" if amount is None else number_text(amount)


@command()
def run_experiment(
    file: ExperimentFile,
    changes: Changes = None,
    output: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        metavar="DIR",
        help="Folder for the record, new or to be continued; by default runs/<file>.",
    ),
    retry_faults: RetryFaults = False,
    take_over: TakeOver = False,
    *,
    playing: PlayingOptions,
    dry_run: DryRun = False,
    observers: ObserverOptions,
    show: Printed,
) -> None:
    """Play all conditions of an experiment as recorded runs.

    They are printed in one table. The same command continues an unfinished experiment. Limits apply to the whole
    experiment. If a condition fails, its error is printed and the others are played.
    """
    from multinet_eval.experiments.experiment_file import read_experiment
    from multinet_eval.experiments.experiment_folder import ExperimentFolder
    from multinet_eval.experiments.playing import play_experiment
    from multinet_eval.experiments.preparing import prepare_runs
    from multinet_eval.record.record_folders import EXPERIMENT, kind_of, runs_folder

    options = playing.for_run(retry_faults=retry_faults, take_over=take_over)
    observers.make()  # report their errors before playing
    experiment = read_experiment(file, changes or ())
    runs = prepare_runs(experiment, read_suite, playing.read_prices())
    path = output or runs_folder() / safe_file_name(experiment.name)
    if dry_run:
        recorded = ExperimentFolder.open(path, experiment, runs) if kind_of(path) is EXPERIMENT else None
        _print_run_forecasts(runs, recorded, retry_faults, show.as_json)
        return
    folder = ExperimentFolder.open(path, experiment, runs)
    outcome = play_experiment(
        folder,
        runs,
        options,
        lambda run, left: play_watched(run, left, show, observers.make()),
        lambda played: _print_progress(played, runs, show.quiet),
        playing.wait(show.tell),
    )
    _report(outcome, folder.path, show)
    _exit(outcome)


def _print_progress(played: PlayedRun, runs: Sequence[PreparedRun], quiet: bool) -> None:
    run = played.prepared.run
    if played.problem is not None:
        echo(f"error: {run.folder}: {played.problem}", err=True)
    elif not quiet:
        echo(f"{runs.index(played.prepared) + 1} of {len(runs)}: {run.folder}", err=True)


def _print_run_forecasts(
    runs: Sequence[PreparedRun], recorded: ExperimentFolder | None, retry_faults: bool, as_json: bool
) -> None:
    """Print the forecast of the rest of each run."""
    from multinet_eval.experiments.preparing import forecast_runs

    forecasts = forecast_runs(runs, None if recorded is None else recorded.of, retry_faults)
    if recorded is not None:
        echo(f"without finished episodes of {recorded.path}", err=True)
    if as_json:
        echo_json([{"condition": run.run.condition, **forecast.to_dict()} for run, forecast in forecasts])
    else:
        print_forecasts([(run.run.folder, forecast) for run, forecast in forecasts])


def _report(outcome: ExperimentOutcome, path: Path, show: Printed) -> None:
    from multinet_eval.experiments.condition_table import compare_conditions

    rows = compare_conditions(outcome.runs)
    if show.as_json:
        spent = {**attrs.asdict(outcome.spent), "cost": outcome.cost}
        runs = [row.to_dict() for row in rows]
        echo_json({"estimators": ESTIMATORS_VERSION, "folder": str(path), "spent": spent, "runs": runs})
    elif not show.quiet:
        print_comparison(rows)
    if outcome.stopped is not None:
        advice = "raise or remove it, and " if outcome.stopped.limit is not None else ""
        echo(f"{outcome.stopped.message}; {advice}continue with the same command", err=True)
    if not show.quiet:
        echo(f"recorded in {path}", err=show.as_json)


def _exit(outcome: ExperimentOutcome) -> None:
    from multinet_eval.play.limits import StopReason

    if outcome.stopped is not None:
        raise typer.Exit(interrupted_code() if outcome.stopped.reason is StopReason.INTERRUPTED else FAILED)
    if not all(run.complete and run.problem is None and run.scored for run in outcome.runs):
        raise typer.Exit(FAILED)
