"""``multinet runs rescore``: the results of recorded runs, computed anew, and their metrics."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gridworld.support.wording import counted
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import BackendArgument, MaxMetricStates, RunFolders, Weights
from multinet_eval.cli.recording import TakeOver
from multinet_eval.cli.runs.metric_tables import ByChoice, print_metrics, rows_of
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS

if TYPE_CHECKING:
    from gridworld.errors import PluginFault
    from multinet_eval.analysis.metrics.measuring import MeasuredRun

__all__ = ["rescore"]


def rescore(
    directories: RunFolders,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="A metric to compute, as 'multinet plugins' lists them; all of them by default. Repeatable.",
        ),
    ] = None,
    by: Annotated[ByChoice, typer.Option("--by", help="What has rows of its own in the table.")] = ByChoice.RUN,
    max_table_states: MaxMetricStates = MAX_STATES_OF_METRICS,
    weights: Weights = None,
    backend_arg: BackendArgument = None,
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
    are broken are named and left out, unless --metric asks for them; one that fails has no value for that episode.
    """
    with exit_on_error():
        import attrs

        from gridworld.errors import ArgumentError
        from multinet_eval.analysis.metrics.measuring import load_metrics, measure_run
        from multinet_eval.analysis.recorded_run import run_names
        from multinet_eval.cli.output_places import refuse_output
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


def _hand_over(measured: Sequence[MeasuredRun], by: ByChoice, as_csv: bool, output: Path | None) -> None:
    """Give tables to another program, by standard output or in a file."""
    from gridworld.support.files import write_bytes
    from multinet_eval.support.output import csv_text, json_text, writing_to

    if as_csv:
        text = csv_text(rows_of(measured, by)).removesuffix("\n")
    else:
        text = json_text({f"{each.value}s": rows_of(measured, each) for each in ByChoice})
    if output is None:
        echo(text)
        return
    with writing_to(output):
        write_bytes(output, f"{text}\n".encode("utf-8", "backslashreplace"))
