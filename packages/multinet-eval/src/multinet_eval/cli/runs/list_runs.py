"""``multinet runs list``: the recorded runs of a folder, and how far each has come."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from multinet_eval.cli.echo import echo, echo_json, styled
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson
from multinet_eval.cli.recording import RunsFolder

if TYPE_CHECKING:
    from multinet_eval.cli.echo import Styled
    from multinet_eval.runs.summary import RunSummary

__all__ = ["list_runs", "styled_status"]

COLORS = {"finished": "green", "unfinished": "yellow", "being played": "cyan", "unreadable": "red"}


def list_runs(
    runs: RunsFolder = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """List recorded runs, by name, and how far each has come; what else is recorded there is told on standard error."""
    with exit_on_error():
        from multinet_eval.runs.record_folders import RUN, kind_of, records_in
        from multinet_eval.runs.summary import find_runs

        found, others = find_runs(runs), [(path, kind) for path, kind in records_in(runs) if kind is not RUN]
        is_run = kind_of(runs) is RUN
    if as_json:
        echo_json([run.to_dict() for run in found])
    elif not found:
        echo(f"no recorded runs in {runs}", err=True)
    else:
        _print(found)
    if is_run:
        echo(f"{runs} is a recorded {RUN.name} itself: {RUN.read_with} {runs}", err=True)
    for path, kind in others:
        echo(f"{path.name} is a recorded {kind.name}: {kind.read_with} {path}", err=True)


def styled_status(run: RunSummary) -> Styled:
    """The status of a run in its colour."""
    return styled(run.status.value, COLORS[run.status.value])


def _print(runs: list[RunSummary]) -> None:
    from multinet_eval.cli.table import Column, print_table

    columns = [
        Column("Run"),
        Column("Suite", spare=2),
        Column("Model"),
        Column("Status"),
        Column("Episodes", right=True, spare=1),
        Column("Solved", right=True, spare=1),
        Column("Created", spare=4),
    ]
    print_table(columns, [_row(run) for run in runs])
    for run in runs:
        if run.problem is not None:
            echo(styled(f"{run.path.name}: {run.problem}", "red"))


def _row(run: RunSummary) -> list[str | Styled]:
    if run.problem is not None:
        return [run.path.name, "-", "-", styled_status(run), "-", "-", "-"]
    return [
        run.path.name,
        run.suite,
        run.model,
        styled_status(run),
        f"{run.finished} of {run.planned}",
        str(run.solved),
        run.created,
    ]
