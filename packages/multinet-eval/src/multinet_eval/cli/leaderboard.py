"""``multinet leaderboard``: rank models by recorded runs, which are verified first."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gridworld.errors import ArgumentError
from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, RunFolders, ScoreName, VariedBy, Weights, refuse_experiments
from multinet_eval.cli.output_files import (
    make_page_writer,
    print_page_summary,
    reading_progress,
    refuse_file_as_folder,
)
from multinet_eval.cli.progress_bars import with_progress
from multinet_eval.cli.table import Column, print_prose, print_table

if TYPE_CHECKING:
    from multinet_eval.analysis.leaderboard import Leaderboard, Standing
    from multinet_eval.analysis.pages import PageWriter
    from multinet_eval.analysis.recorded_run import RecordedRun

SPARE = {"Missing": 1, "Mazes": 2, "Mazes of SPL": 3, "SPL": 4, "95 % of SPL": 5, "Bounds": 6, "Episodes": 7}
"""Ranks of columns dropped for lack of room, the largest first; no SPL is shown without its interval."""


@command()
def leaderboard(
    runs: RunFolders,
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="FOLDER", help="Folder for JSON, CSV and Markdown files."
    ),
    by: VariedBy = None,
    score: ScoreName = "success",
    weights: Weights = None,
    seed: int = typer.Option(0, min=0, help="Seed of sampled tests."),
    unverified: bool = typer.Option(False, "--unverified", help="Also rank unverified runs, and mark them."),
    as_html: bool = typer.Option(
        False, "--html", help="Write pages of the runs into the folder. Needs multinet-report."
    ),
    as_json: AsJson = False,
) -> None:
    """Rank models by recorded runs.

    Scores have intervals, and ranks a range by paired tests. There is a table of all tasks, and tables by tier,
    mechanism, tiling and condition. Runs are verified first, as by 'multinet runs verify', and refused if
    inconsistent or not replayable here. Runs of one model under the same conditions are one entry; with --by, each
    condition of a model is an entry.
    """
    from multinet_eval.analysis.leaderboard import make_leaderboard
    from multinet_eval.analysis.leaderboard_output import write_leaderboard
    from multinet_eval.analysis.recorded_run import read
    from multinet_eval.verify.verification import refuse_unverified, verify_run

    if output is not None:
        refuse_file_as_folder(output)
    elif as_html:
        raise ArgumentError("--html writes several pages: name the folder for them with --output")
    writer = make_page_writer() if as_html else None
    refuse_experiments(runs, "leaderboard", ())
    verified = [verify_run(path) for path in with_progress(runs, len(runs), "verifying")]
    if not unverified:
        refuse_unverified(verified)
    marked = [each.path for each in verified if not each.verified]
    found = make_leaderboard(_ranked(map(read, runs)), by or (), score, seed, marked, weights)
    written = [] if output is None else write_leaderboard(found, output)
    whole = writer is None or output is None or _write_pages(writer, found, output)
    if as_json:
        echo_json(found.to_dict())
    else:
        _print(found)
    for path in written:
        echo(f"written: {path}", err=True)
    if all(each.scores[score].score is None for each in found.standings):
        echo("error: no task is scored in any of the runs", err=True)
        raise typer.Exit(FAILED)
    if not whole:
        raise typer.Exit(FAILED)


def _ranked(runs: Iterable[RecordedRun]) -> list[RecordedRun]:
    """Return the runs to rank; name those that stopped when decided, which are left out."""
    ranked = []
    for run in runs:
        state = run.sequential
        if state is None or not state.stopped:
            ranked.append(run)
        else:
            mazes = f"{state.looked} of {counted(state.mazes, 'maze')}"
            echo(f"{run.path} is not ranked: it stopped when it was decided, after {mazes}", err=True)
    return ranked


def _write_pages(writer: PageWriter, found: Leaderboard, folder: Path) -> bool:
    """Write the pages; return whether all of them are complete."""
    with reading_progress() as progress:
        pages = writer.write_leaderboard(found, folder, progress)
    return print_page_summary(pages, err=True)


def _print(found: Leaderboard) -> None:
    from multinet_eval.analysis.leaderboard_output import MISTAKES, mistake_rows_of, notes_of, tables_by_axis

    for title, standings in tables_by_axis(found):
        _print_standings(found, title, standings)
    if rows := mistake_rows_of(found):
        columns = [Column(each, right=number > 2, prose=number in (1, 2)) for number, each in enumerate(MISTAKES)]
        print_table(columns, rows, "Main mistakes")
    for note in notes_of(found):
        print_prose(note)


def _print_standings(found: Leaderboard, title: str, standings: list[Standing]) -> None:
    from multinet_eval.analysis.leaderboard import WHOLE
    from multinet_eval.analysis.leaderboard_output import cells_of, headings_of

    columns = [
        Column(heading, right=number > 2, spare=SPARE.get(heading, 0))
        for number, heading in enumerate(headings_of(found))
    ]
    first = 1 if standings[0].part == WHOLE else 0
    print_table(columns[first:], [cells_of(found, each)[first:] for each in standings], title)
