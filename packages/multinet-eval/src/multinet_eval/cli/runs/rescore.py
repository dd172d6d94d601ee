"""``multinet runs rescore``: the results of recorded runs, computed anew, and their metrics."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.recording import TakeOver
from multinet_eval.cli.runs.metric_tables import ByChoice, print_metrics, rows_of
from multinet_eval.defaults import MAX_STATES_OF_METRICS

if TYPE_CHECKING:
    from gridworld.errors import PluginFault
    from multinet_eval.metrics.measured_run import MeasuredRun

__all__ = ["rescore"]


def rescore(
    directories: Annotated[list[Path], typer.Argument(metavar="DIR...", help="The folders of recorded runs.")],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="A metric to compute, as 'multinet plugins' lists them; all of them by default. Repeatable.",
        ),
    ] = None,
    by: Annotated[ByChoice, typer.Option("--by", help="What has rows of its own in the table.")] = ByChoice.RUN,
    max_table_states: Annotated[
        int,
        typer.Option(
            "--max-table-states", min=1, help="Know the distances to success in tasks of no more states than this."
        ),
    ] = MAX_STATES_OF_METRICS,
    take_over: TakeOver = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write JSON, or CSV with --csv, instead of printing."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all tables as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV.")] = False,
) -> None:
    """Compute the results of finished runs anew from their recorded episodes, and their metrics.

    No model is asked. Each run's results.json is written anew, if its folder can be written, and it is said which parts
    of it have changed. Metrics are printed: by run, with 95 % intervals, by task, or by episode. Installed ones that
    are broken are named and left out, unless --metric asks for them.
    """
    with exit_on_error():
        from gridworld.errors import ArgumentError

        if as_json and as_csv:
            raise ArgumentError("--json and --csv exclude each other")
        names, broken = (metric, ()) if metric else _sound_metrics()
        measured = _rescored(directories, names, max_table_states, take_over, output)
        if output is not None or as_json or as_csv:
            _hand_over(measured, by, as_csv, output)
        else:
            print_metrics(measured, by)
    for fault in broken:
        echo(f"error: {fault}", err=True)
    if broken:
        raise typer.Exit(FAILED)


def _sound_metrics() -> tuple[list[str], Collection[PluginFault]]:
    """The names of the installed metrics that can be computed, and what is wrong with the others."""
    from gridworld.plugins import get_registry
    from multinet_eval.metrics.measuring import find_broken_metrics

    broken = find_broken_metrics()
    return [name for name in get_registry().metrics.names() if name not in broken], broken.values()


def _rescored(
    directories: Sequence[Path], names: Sequence[str], max_table_states: int, take_over: bool, output: Path | None
) -> list[MeasuredRun]:
    """The metrics of runs whose results have been written anew."""
    import attrs

    from multinet_eval.cli.playing import refuse_output
    from multinet_eval.metrics.measuring import load_metrics, measure_run
    from multinet_eval.runs.recorded_run import run_names
    from multinet_eval.runs.rescoring import rescore_run
    from multinet_eval.runs.run_directory import RunDirectory

    refuse_output(output)
    load_metrics(names)  # a name that is unknown is refused before anything is written
    for directory in directories:
        rescored = rescore_run(directory, take_over)
        told = f"has changed: {', '.join(rescored.changed)}" if rescored.changed else "is as it was"
        kept = "" if rescored.written else "; it is not written, since the folder cannot be"
        echo(f"results.json of {directory} {told}{kept}", err=True)
    found = [measure_run(RunDirectory(directory), names, max_table_states) for directory in directories]
    return [attrs.evolve(each, name=name) for each, name in zip(found, run_names(directories), strict=True)]


def _hand_over(measured: Sequence[MeasuredRun], by: ByChoice, as_csv: bool, output: Path | None) -> None:
    """Give tables to another program, by standard output or in a file."""
    from gridworld.support.files import write_bytes
    from multinet_eval.csv_text import csv_text
    from multinet_eval.json_text import json_text
    from multinet_eval.writing import writing_to

    if as_csv:
        text = csv_text(rows_of(measured, by)).removesuffix("\n")
    else:
        text = json_text({f"{each.value}s": rows_of(measured, each) for each in ByChoice})
    if output is None:
        echo(text)
        return
    with writing_to(output):
        write_bytes(output, f"{text}\n".encode("utf-8", "backslashreplace"))
