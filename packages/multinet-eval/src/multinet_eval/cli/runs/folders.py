"""``multinet runs list``, ``show``, ``export`` and ``render``: recorded runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from gridworld.support.wording import visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import Styled, echo, echo_json
from multinet_eval.cli.live_display import kinds_text
from multinet_eval.cli.options import AsJson, BackendArgument, RunPath
from multinet_eval.cli.output_files import (
    ANIMATED,
    Milliseconds,
    check_picture_file,
    refuse_file_as_folder,
    refuse_output,
)
from multinet_eval.cli.table import Column, numeric, print_facts, print_table
from multinet_eval.settings.defaults import RUNS, RUNS_VARIABLE

if TYPE_CHECKING:
    from multinet_eval.record.manifest import Manifest
    from multinet_eval.record.sequential_design import SequentialDesign
    from multinet_eval.record.summary import EpisodeReport, RunReport, RunSummary


MOST_TILINGS = 2
"""Maximum number of tilings listed by name."""
COLORS = {"finished": "green", "decided": "green", "unfinished": "yellow", "being played": "cyan", "unreadable": "red"}


@command(plugins=False)
def list_runs(
    runs: Path = typer.Option(Path(RUNS), envvar=RUNS_VARIABLE, metavar="FOLDER", help="Folder of recorded runs."),
    as_json: AsJson = False,
) -> None:
    """List recorded runs with their progress.

    Other records are named on standard error.
    """
    from multinet_eval.record.record_folders import RUN, kind_of, records_in
    from multinet_eval.record.summary import find_runs

    refuse_file_as_folder(runs, "--runs")
    found, others = find_runs(runs), [(path, kind) for path, kind in records_in(runs) if kind is not RUN]
    is_run = kind_of(runs) is RUN
    if as_json:
        echo_json([run.to_dict() for run in found])
    elif not found:
        echo(f"no recorded runs in {runs}", err=True)
    else:
        _print(found)
    if is_run:
        echo(f"{runs} is itself a recorded {RUN.name}; read it with: {RUN.read_with} {runs}", err=True)
    for path, kind in others:
        echo(f"{path.name} is a recorded {kind.name}; read it with: {kind.read_with} {path}", err=True)


def styled_status(run: RunSummary) -> Styled:
    """Format the status of a run in its colour."""
    return Styled(run.status.value, COLORS[run.status.value])


def _print(runs: list[RunSummary]) -> None:
    columns = [
        Column("Run"),
        Column("Suite", 4),
        Column("Model"),
        Column("Tiling"),
        Column("Status"),
        numeric("Episodes", 1),
        numeric("Solved", 2),
        Column("Created", 5),
        Column("Differs in", 3, prose=True),
    ]
    differences = _distinctions(runs)
    shown = columns if any(differences.values()) else columns[:-1]
    print_table(shown, [[*_row(run), differences.get(run.path) or "-"][: len(shown)] for run in runs])
    for run in runs:
        if run.problem is not None:
            echo(Styled(f"{run.path.name}: {run.problem}", "red"))


def _distinctions(runs: list[RunSummary]) -> dict[Path, str]:
    """Describe the differences of each run from others of its suite and model, except for the tiling."""
    from multinet_eval.analysis.shared_conditions import distinctions

    alike: dict[tuple[str, str], list[tuple[Path, Manifest]]] = {}
    for run in runs:
        if run.manifest is not None:
            alike.setdefault((run.suite, run.model), []).append((run.path, run.manifest))
    return {
        path: difference
        for group in alike.values()
        for (path, _), difference in zip(group, distinctions([each for _, each in group], ["tilings"]), strict=True)
    }


def _row(run: RunSummary) -> list[str | Styled]:
    if run.problem is not None:
        return [run.path.name, "-", "-", "-", styled_status(run), "-", "-", "-"]
    many = len(run.tilings) > MOST_TILINGS
    return [
        run.path.name,
        run.suite,
        run.model,
        f"{len(run.tilings)} tilings" if many else ", ".join(run.tilings) or "-",
        styled_status(run),
        f"{run.finished} of {run.planned}{f', {run.unscored} unscored' if run.unscored else ''}",
        str(run.solved),
        run.created,
    ]


@command(plugins=False)
def show_run(
    directory: RunPath,
    episodes: bool = typer.Option(False, "--episodes", help="List every episode with its number."),
    as_json: AsJson = False,
) -> None:
    """Show a run's settings, progress, results and spending."""
    from multinet_eval.record.summary import inspect_run

    report = inspect_run(directory)
    if as_json:
        echo_json(report.to_dict())
        return
    _print_report(report)
    if episodes:
        _print_episodes(report)


def _print_report(report: RunReport) -> None:
    from multinet_eval.cli.result_tables import print_results_tables

    manifest = report.manifest
    _print_heading(report.summary.path.resolve().name)
    print_facts({"suite": manifest.suite, "model": manifest.model_name, "created": manifest.created})
    _print_heading("Result-affecting settings")
    print_facts(dict(_flat(manifest.fingerprint)))
    _print_heading("Circumstances")
    print_facts(dict(_flat(manifest.circumstances)))
    if manifest.sequential is not None:
        _print_heading("Played until decided")
        print_facts(_design(manifest.sequential))
    _print_heading("Progress")
    print_facts({"status": report.summary.status.value, **_progress(report)})
    echo()
    print_results_tables(report.results)


def _design(design: SequentialDesign) -> dict[str, str]:
    return {
        "against": f"{design.against} ({design.model}, {design.reference})",
        "alpha": f"{design.alpha:g}",
        "epochs": str(design.epochs),
        "mazes in order": ", ".join(maze.name for maze in design.mazes),
    }


def _print_heading(text: str) -> None:
    echo(Styled(visible_line(text), bold=True))


def _progress(report: RunReport) -> dict[str, str]:
    run, spent = report.summary, report.spent
    failed, unusable = (kinds_text(counts, report.fault_reasons) for counts in (report.faults, report.unusable))
    seconds = "" if report.seconds is None else f" in {report.seconds:,.1f} s"
    state = report.results.sequential
    spared = sum(not state.is_needed(each) for each in report.manifest.plan) if state is not None else 0
    return {
        "episodes": f"{run.finished} of {run.planned} finished, {run.begun - run.finished} unfinished, "
        f"{run.planned - run.begun} not begun{f'; {spared} not needed' if spared else ''}",
        "attempts": str(sum(episode.attempts for episode in report.episodes)),
        "failed requests": failed or "none",
        "unusable answers": unusable or "none",
        "spent": f"{spent.requests:,} requests{seconds}; {spent.tokens:,} tokens: {spent.prompt_tokens:,} of prompts, "
        f"{spent.completion_tokens:,} of replies{'' if report.cost is None else f'; cost {report.cost:.4g}'}",
    }


def _flat(facts: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, str]]:
    """Yield each fact with its dotted path."""
    for name, value in facts.items():
        path = visible_line(f"{place}{name}")
        if isinstance(value, dict):
            yield from _flat(value, f"{path}.")
        else:
            yield path, _in_words(value)


def _in_words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_in_words, value)) or "none"
    return "-" if value is None else str(value)


def _print_episodes(report: RunReport) -> None:
    columns = [
        numeric("Number"),
        Column("Task"),
        Column("Tiling", 3),
        numeric("Epoch", 4),
        numeric("Seed", 5),
        Column("Status"),
        numeric("Steps", 1),
        numeric("Attempts", 2),
        numeric("Requests", 6),
        numeric("Failed", 7),
    ]
    echo()
    print_table(columns, [_episode_row(episode) for episode in report.episodes], "Episodes")


def _episode_row(episode: EpisodeReport) -> list[str]:
    planned = episode.planned
    return [
        str(planned.number),
        planned.task_id,
        planned.tiling or "-",
        str(planned.epoch),
        str(planned.seed),
        episode.state,
        str(episode.steps),
        str(episode.attempts),
        str(episode.requests),
        str(episode.faults),
    ]


@command()
def export(
    directory: RunPath,
    form: Literal["csv", "parquet", "jsonl"] = typer.Option(
        ..., "--format", help="File format; parquet needs pip install 'multinet-eval[export]'."
    ),
    output: Path = typer.Option(..., "--output", "-o", metavar="FILE", help="File to write."),
    rows: Literal["episodes", "steps"] = typer.Option("episodes", help="Unit of a row."),
) -> None:
    """Write a run as a table of its episodes or steps."""
    refuse_output(output)
    from multinet_eval.record.export import export_run
    from multinet_eval.record.run_directory import RunDirectory

    number = export_run(RunDirectory(directory), output, form, rows)
    echo(f"{number} {rows} in {output}", err=True)


@command()
def render_episode(
    directory: RunPath,
    episode: int = typer.Argument(
        ..., metavar="EPISODE", help="Episode number, from 'multinet runs show DIR --episodes'."
    ),
    output: Path = typer.Option(..., "--output", "-o", metavar="FILE", help="File to write, .gif or .webp."),
    milliseconds: Milliseconds = 250,
    backend_arg: BackendArgument = None,
) -> None:
    """Animate a recorded episode, without asking the model.

    The recorded actions are taken again, and must have the recorded effects. For simulators not built on the
    kernel, the recorded pictures are used.
    """
    check_picture_file(output, ANIMATED)
    from multinet_eval.datasets.pictures import draw_episode, save_animation
    from multinet_eval.record.run_directory import RunDirectory

    save_animation(draw_episode(RunDirectory(directory), episode, backend_arg or ()), output, milliseconds)
