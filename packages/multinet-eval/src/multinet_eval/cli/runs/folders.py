"""``multinet runs list``, ``show``, ``export`` and ``render``: recorded runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from gridworld.errors import ArgumentError
from gridworld.support.files import write_bytes
from gridworld.support.wording import visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import Styled, echo, echo_json
from multinet_eval.cli.live_display import kinds_text
from multinet_eval.cli.options import AsJson, BackendArgument, RunPath, Workers, reading
from multinet_eval.cli.output_files import (
    ANIMATED,
    Milliseconds,
    check_picture_file,
    refuse_file_as_folder,
    refuse_output,
)
from multinet_eval.cli.playing import spending_text
from multinet_eval.cli.table import Cell, Column, numeric, print_facts, print_table
from multinet_eval.settings.defaults import RUNS, RUNS_VARIABLE
from multinet_eval.support.output import writing_to

if TYPE_CHECKING:
    import numpy as np

    from multinet_eval.analysis.mistakes.mistake_table import MistakeTable
    from multinet_eval.record.manifest import Manifest
    from multinet_eval.record.sent_requests import ReadPart, ReadRequest
    from multinet_eval.record.sequential_design import SequentialDesign
    from multinet_eval.record.summary import EpisodeReport, RunReport, RunSummary
    from multinet_eval.verify.shown_requests import ShownRequest, ShownStep


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
        numeric("Finished", 1),
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
    episode: int | None = typer.Option(None, min=0, metavar="N", help="Episode whose requests to show, with --step."),
    step: int | None = typer.Option(None, min=1, metavar="K", help="Step whose requests to show, from 1."),
    images: Path | None = typer.Option(None, metavar="FOLDER", help="Folder for the pictures, as PNG files."),
    as_json: AsJson = False,
) -> None:
    """Show a run's settings, progress, results and spending, or what was sent for one step.

    With --episode and --step, each request for the step is shown part by part, as it was sent.
    """
    from multinet_eval.cli.result_tables import read_mistakes
    from multinet_eval.record.summary import inspect_run

    if episode is not None or step is not None or images is not None:
        if episode is None or step is None:
            raise ArgumentError("--episode and --step go together, and --images with both")
        _show_step(directory, episode, step, images, as_json)
        return
    work = reading(None)
    report = inspect_run(directory, work)
    mistakes = read_mistakes(directory, report.results, work)
    if as_json:
        echo_json({**report.to_dict(), **mistakes.to_dict()})
        return
    _print_report(report, mistakes)
    if episodes:
        _print_episodes(report)


def _show_step(directory: Path, episode: int, step: int, images: Path | None, as_json: bool) -> None:
    """Print what was sent for a step, and write its pictures, drawn again, if a folder is given."""
    from multinet_eval.verify.shown_requests import requests_at

    shown = requests_at(directory, episode, step)
    files = {} if images is None else _write_pictures(shown.pictures, images)
    if as_json:
        requests = [_request_to_json(each, shown, files) for each in shown.requests]
        echo_json({"episode": episode, "step": step, "requests": requests, "not_drawn": shown.not_drawn})
        return
    for number, each in enumerate(shown.requests, start=1):
        repeated = "" if each.counts else ", repeated"
        title = f"request {number} of {len(shown.requests)} for step {step}: {each.request.outcome}{repeated}"
        _print_heading(title)
        for sent in each.sent:
            _print_sent(sent, shown, files)
        echo(visible_line(f"reply: {each.request.raw_output or each.request.message or each.request.action}"))
        echo()
    if shown.not_drawn:
        echo(visible_line(f"pictures were not drawn again: {shown.not_drawn}"))


def _print_sent(sent: ReadRequest, shown: ShownStep, files: Mapping[str, Path]) -> None:
    """Print each line that was sent, after the names of its parts."""
    width = max((len(part.name) for message in sent.messages for part in message.parts), default=0)
    for message in sent.messages:
        echo(f"--- {message.role} ---")
        for names, text in _named_lines(message.parts, shown, files):
            echo(Styled(f"{names:{width}} | ", "cyan"), visible_line(text))
    if sent.settings or sent.seed is not None or sent.schema is not None:
        settings = [f"{name} {value}" for name, value in sent.settings.items()]
        settings += [] if sent.seed is None else [f"seed {sent.seed}"]
        settings += [] if sent.schema is None else ["a JSON schema"]
        echo(visible_line(f"--- sent with {', '.join(settings)} ---"))


def _named_lines(parts: Iterable[ReadPart], shown: ShownStep, files: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a message, each with the names of the parts on it, the template's own wording last."""
    names, line = dict[str, None](), ""
    for part in parts:
        if part.picture is not None:
            if line:
                yield _names(names), line
            yield part.name, f"[picture {part.picture}: {part.label}] {_drawn(part.picture, shown, files)}"
            names, line = {}, ""
            continue
        first, *others = (part.text or "").split("\n")
        names |= {part.name: None} if first else {}
        line += first
        for other in others:
            yield _names(names), line
            names, line = {part.name: None} if other else {}, other
    if line:
        yield _names(names), line


def _names(names: Mapping[str, None]) -> str:
    own = [name for name in names if name != "wording"]
    return ", ".join(own or names)


def _drawn(digest: str, shown: ShownStep, files: Mapping[str, Path]) -> str:
    """Describe whether a picture was drawn again with the same pixels."""
    if digest in files:
        return f"drawn again: {files[digest]}"
    return "drawn again, the same pixels" if digest in shown.pictures else "NOT drawn again with these pixels"


def _write_pictures(pictures: Mapping[str, np.ndarray], folder: Path) -> dict[str, Path]:
    from gridworld.support.png import encode_png

    with writing_to(f"the pictures into {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        files = {digest: folder / f"{digest}.png" for digest in pictures}
        for digest, file in files.items():
            write_bytes(file, encode_png(pictures[digest]))
    return files


def _request_to_json(request: ShownRequest, shown: ShownStep, files: Mapping[str, Path]) -> dict[str, Any]:
    def part(each: ReadPart) -> dict[str, Any]:
        if each.picture is None:
            return {"kind": "text", "name": each.name, "text": each.text}
        drawn = {"drawn": each.picture in shown.pictures}
        file = {"file": str(files[each.picture])} if each.picture in files else {}
        return {"kind": "image", "name": each.name, "label": each.label, "digest": each.picture, **drawn, **file}

    sent = [
        {
            "messages": [{"role": message.role, "parts": list(map(part, message.parts))} for message in each.messages],
            "settings": dict(each.settings),
            "schema": each.schema,
            "seed": each.seed,
        }
        for each in request.sent
    ]
    outcome = {"outcome": request.request.outcome.value, "counts": request.counts}
    return {**outcome, "raw_output": request.request.raw_output, "sent": sent}


def _print_report(report: RunReport, mistakes: MistakeTable) -> None:
    from multinet_eval.cli.result_tables import print_results_tables

    manifest = report.manifest
    _print_heading(report.summary.path.resolve().name)
    print_facts({"suite": manifest.suite, "model": manifest.model_name, "created": manifest.created})
    _print_heading("Result-affecting settings")
    print_facts(dict(_flat(manifest.fingerprint)))
    _print_heading("Circumstances")
    print_facts(dict(_flat(manifest.circumstances)))
    _print_heading("Origin, and what it names outside of its folder")
    print_facts({"recorded by": _origin(report.is_own), **{name: _in_words(each) for name, each in _outside(manifest)}})
    if manifest.sequential is not None:
        _print_heading("Played until decided")
        print_facts(_design(manifest.sequential))
    _print_heading("Progress")
    print_facts({"status": report.summary.status.value, **_progress(report)})
    echo()
    print_results_tables(report.results, report.summary.path, mistakes)


def _origin(is_own: bool) -> str:
    """Say whose run it is, with the reason if no run is recognised as one's own."""
    from multinet_eval.record.ownership import key_problem

    if is_own:
        return "you, on this machine; or confirmed when you resumed it"
    problem = key_problem()
    return "somebody else, or elsewhere, or changed since" + ("" if problem is None else f" ({problem})")


def _outside(manifest: Manifest) -> Iterator[tuple[str, list[str]]]:
    """Yield the settings that may name addresses, environment variables, files or folders, and plugin files."""
    from gridworld.plugins.loading import FILE_VERSION

    settings = manifest.settings
    yield "model arguments", list(settings.model_arguments)
    yield "backend arguments", list(settings.backend_arguments)
    yield "answer cache", [] if settings.cache is None else [settings.cache.folder]
    yield "examples from", [each for each in [settings.presentation.examples_from] if each is not None]
    yield "plugin files", [name for name, each in manifest.played_with.items() if each.startswith(FILE_VERSION)]


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
    run, made = report.summary, report.requests
    failed, unusable = (kinds_text(counts, made.reasons) for counts in (made.faults, made.unusable))
    seconds = [] if made.usage.seconds is None else [f"{made.usage.seconds:,.1f} s of requests, added up"]
    state = report.results.sequential
    spared = sum(not state.is_needed(each) for each in report.manifest.plan) if state is not None else 0
    return {
        "episodes": f"{run.finished} of {run.planned} finished, {run.begun - run.finished} unfinished, "
        f"{run.planned - run.begun} not begun{f'; {spared} not needed' if spared else ''}",
        "attempts": str(sum(episode.attempts for episode in report.episodes)),
        "failed requests": failed or "none",
        "unusable answers": unusable or "none",
        "spent": "; ".join([spending_text(made.spent, report.cost), *seconds]),
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
        numeric("Answered", 8),
    ]
    echo()
    print_table(columns, [_episode_row(episode) for episode in report.episodes], "Episodes")


def _episode_row(episode: EpisodeReport) -> list[Cell]:
    from multinet_eval.cli.result_tables import outcome_of

    planned, result = episode.planned, episode.result
    return [
        str(planned.number),
        planned.task_id,
        planned.tiling or "-",
        str(planned.epoch),
        str(planned.seed),
        episode.state if result is None or result.permanent else outcome_of(result),
        str(episode.steps),
        str(episode.attempts),
        str(episode.requests),
        str(episode.faults),
        str(episode.answered),
    ]


@command()
def export(
    directory: RunPath,
    form: Literal["csv", "parquet", "jsonl"] | None = typer.Option(
        None, "--format", help="By default as the file ends; parquet needs pip install 'multinet-eval[export]'."
    ),
    output: Path = typer.Option(..., "--output", "-o", metavar="FILE", help="File to write."),
    rows: Literal["episodes", "steps", "mistakes"] = typer.Option("episodes", help="Unit of a row."),
    workers: Workers = None,
) -> None:
    """Write a run as a table of its episodes, steps or mistakes."""
    written = _choose_format(output, form)
    refuse_output(output)
    from multinet_eval.analysis.export import export_run
    from multinet_eval.record.run_directory import RunDirectory

    number = export_run(RunDirectory(directory), output, written, rows, reading(workers))
    echo(f"{number} {rows} in {output}", err=True)


FORMATS = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
"""Format of an exported file by the ending of its name."""


def _choose_format(output: Path, given: str | None) -> str:
    """Return the format given, or that of the file's ending; raises ArgumentError if they differ, or without any."""
    implied = FORMATS.get(output.suffix.lower())
    if given is not None and implied in (None, given):
        return given
    if given is not None:
        raise ArgumentError(f"--format {given}: {output.name} ends as a {implied} file does: change one of the two")
    if implied is None:
        raise ArgumentError(f"--output: expected a name ending in {', '.join(FORMATS)}, or --format, got {output.name}")
    return implied


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
