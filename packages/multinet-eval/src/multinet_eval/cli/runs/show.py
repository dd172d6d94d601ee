"""``multinet runs show``: everything about one recorded run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multinet_eval.cli.echo import echo, echo_json, styled
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson
from multinet_eval.cli.recording import RunPath

if TYPE_CHECKING:
    from multinet_eval.record.summary import EpisodeReport, RunReport

__all__ = ["show_run"]


def show_run(
    directory: RunPath,
    episodes: Annotated[bool, typer.Option("--episodes", help="List every episode with its number, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a recorded run: what decides its results, how far it has come, its results, and what it has spent."""
    with exit_on_error():
        from multinet_eval.record.summary import inspect_run

        report = inspect_run(directory)
    if as_json:
        echo_json(report.to_dict())
        return
    _print(report)
    if episodes:
        _print_episodes(report)


def _print(report: RunReport) -> None:
    from multinet_eval.cli.result_tables import print_results_tables
    from multinet_eval.cli.table import print_facts

    manifest = report.manifest
    _print_heading(report.summary.path.resolve().name)
    print_facts({"suite": manifest.suite, "model": manifest.model_name, "created": manifest.created})
    _print_heading("What decides the results")
    print_facts(dict(_flat(manifest.fingerprint)))
    _print_heading("Circumstances")
    print_facts(dict(_flat(manifest.circumstances)))
    _print_heading("Progress")
    print_facts({"status": report.summary.status.value, **_progress(report)})
    echo()
    print_results_tables(report.results)


def _print_heading(text: str) -> None:
    from gridworld.support.wording import visible_line

    echo(styled(visible_line(text), bold=True))


def _progress(report: RunReport) -> dict[str, str]:
    run, spent = report.summary, report.spent
    faults = ", ".join(f"{number} {kind}" for kind, number in report.faults.items())
    seconds = "" if report.seconds is None else f" in {report.seconds:,.1f} s"
    return {
        "episodes": f"{run.finished} of {run.planned} finished, {run.begun - run.finished} unfinished, "
        f"{run.planned - run.begun} not begun",
        "attempts": str(sum(episode.attempts for episode in report.episodes)),
        "uncounted faults": f"{faults} (requests that were made again and do not count)" if faults else "none",
        "spent": f"{spent.requests:,} requests{seconds}; {spent.tokens:,} tokens: {spent.prompt_tokens:,} of prompts, "
        f"{spent.completion_tokens:,} of replies{'' if report.cost is None else f'; cost {report.cost:.4g}'}",
    }


def _flat(facts: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, str]]:
    """Each fact by its path, in words."""
    from gridworld.support.wording import visible_line

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
    from multinet_eval.cli.table import Column, print_table

    columns = [
        Column("Number", right=True),
        Column("Task"),
        Column("Tiling", spare=3),
        Column("Epoch", right=True, spare=4),
        Column("Seed", right=True, spare=5),
        Column("Status"),
        Column("Steps", right=True, spare=1),
        Column("Attempts", right=True, spare=2),
        Column("Requests", right=True, spare=6),
        Column("Faults", right=True, spare=7),
    ]
    echo()
    print_table(columns, [_row(episode) for episode in report.episodes], "Episodes")


def _row(episode: EpisodeReport) -> list[str]:
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
