"""``multinet runs export``: a recorded run as a table, for data frames and spreadsheets."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.output_places import refuse_output
from multinet_eval.cli.recording import RunPath

__all__ = ["export"]


class FormatChoice(StrEnum):
    """The choices of ``--format``."""

    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"


class RowsChoice(StrEnum):
    """The choices of ``--rows``."""

    EPISODES = "episodes"
    STEPS = "steps"


def export(
    directory: RunPath,
    form: Annotated[
        FormatChoice, typer.Option("--format", help="Parquet needs pip install 'multinet-eval\\[export]'.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")],
    rows: Annotated[RowsChoice, typer.Option("--rows", help="What has a row of its own.")] = RowsChoice.EPISODES,
) -> None:
    """Write a recorded run as a table with one row for each episode of its plan, or for each step."""
    with exit_on_error():
        refuse_output(output)
        from multinet_eval.record.export import export_run
        from multinet_eval.record.run_directory import RunDirectory

        number = export_run(RunDirectory(directory), output, form.value, rows.value)
        echo(f"{number} {rows.value} in {output}", err=True)
