"""``multinet runs list``: the recorded runs of a folder, and how far each has come."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from multinet_eval.cli.echo import echo, echo_json, styled
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson
from multinet_eval.cli.recording import RunsFolder
from multinet_eval.settings.defaults import RUNS

if TYPE_CHECKING:
    from multinet_eval.cli.echo import Styled
    from multinet_eval.record.manifest import Manifest
    from multinet_eval.record.summary import RunSummary

__all__ = ["list_runs", "styled_status"]

MOST_TILINGS = 2
"""So many are named; of more it is told how many they are."""
COLORS = {"finished": "green", "unfinished": "yellow", "being played": "cyan", "unreadable": "red"}


def list_runs(
    runs: RunsFolder = Path(RUNS),
    as_json: AsJson = False,
) -> None:
    """List recorded runs, by name, and how far each has come; what else is recorded there is told on standard error."""
    with exit_on_error():
        from multinet_eval.cli.output_places import refuse_file_as_folder
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
        Column("Suite", spare=4),
        Column("Model"),
        Column("Tiling"),
        Column("Status"),
        Column("Episodes", right=True, spare=1),
        Column("Solved", right=True, spare=2),
        Column("Created", spare=5),
        Column("Differs in", prose=True, spare=3),
    ]
    told = _distinctions(runs)
    shown = columns if any(told.values()) else columns[:-1]
    print_table(shown, [[*_row(run), told.get(run.path) or "-"][: len(shown)] for run in runs])
    for run in runs:
        if run.problem is not None:
            echo(styled(f"{run.path.name}: {run.problem}", "red"))


def _distinctions(runs: list[RunSummary]) -> dict[Path, str]:
    """What tells each run from others of its suite and model, but for the tiling, which has a column of its own."""
    from multinet_eval.analysis.comparability import distinctions

    alike: dict[tuple[str, str], list[tuple[Path, Manifest]]] = {}
    for run in runs:
        if run.manifest is not None:
            alike.setdefault((run.suite, run.model), []).append((run.path, run.manifest))
    return {
        path: told
        for group in alike.values()
        for (path, _), told in zip(group, distinctions([each for _, each in group], ["tilings"]), strict=True)
    }


def _tilings(run: RunSummary) -> str:
    return f"{len(run.tilings)} tilings" if len(run.tilings) > MOST_TILINGS else ", ".join(run.tilings) or "-"


def _row(run: RunSummary) -> list[str | Styled]:
    if run.problem is not None:
        return [run.path.name, "-", "-", "-", styled_status(run), "-", "-", "-"]
    return [
        run.path.name,
        run.suite,
        run.model,
        _tilings(run),
        styled_status(run),
        f"{run.finished} of {run.planned}{f', {run.unscored} unscored' if run.unscored else ''}",
        str(run.solved),
        run.created,
    ]
