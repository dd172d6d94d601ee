"""``multinet report``: one HTML file about recorded runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multinet_eval.cli.commands import command
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import Workers
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS


@command()
def report(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders of recorded runs, experiments and probings."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path("report.html"),
    max_states: Annotated[
        int | None,
        typer.Option(
            "--max-states",
            min=0,
            help=f"Skip distances for tasks with more states; {MAX_STATES_OF_METRICS} by default.",
        ),
    ] = None,
    workers: Workers = None,
    open_it: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
) -> None:
    """Write one HTML file that shows what the model did: figures, tables, and a replay of every episode.

    The file needs no network. Exit code 1 means that a part of a run cannot be read.
    """
    from multinet_eval.cli.output_files import make_page_writer, print_page_summary, reading_progress, refuse_output
    from multinet_eval.support.parallel import core_count

    refuse_output(output)
    arguments = [f"workers={workers or core_count()}"]
    writer = make_page_writer([*arguments, *([] if max_states is None else [f"max_states={max_states}"])])
    with reading_progress() as progress:
        written = writer.write_runs(runs, output, progress=progress)
    whole = print_page_summary(written)
    if open_it:
        import webbrowser

        webbrowser.open(output.resolve().as_uri())
    if not whole:
        raise typer.Exit(FAILED)
