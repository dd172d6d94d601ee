"""Options of a run's output and record, and the check of options given with ``--resume``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs
import typer

from gridworld.errors import ArgumentError
from gridworld.support.files import write_text
from multinet_eval.cli.commands import from_options
from multinet_eval.cli.echo import OutputError, echo, echo_json, give_up_output, writing_output
from multinet_eval.cli.options import RESULTS, ModelOptions
from multinet_eval.cli.output_files import make_page_writer, refuse_output
from multinet_eval.cli.run_options import CacheOptions, ObserverOptions, PlayingOptions
from multinet_eval.support.output import json_text

EMPTY: Mapping[str, Any] = MappingProxyType({})
NO_RECORD = "MULTINET_NO_RECORD"
"""Environment variable that, unless empty, turns off records of runs without ``--run-dir``."""


@attrs.frozen(slots=False, field_transformer=from_options)
class Printed:
    """Options for printing results."""

    as_json: bool = typer.Option(
        False, "--json", help="Print results as JSON instead of tables.", rich_help_panel=RESULTS
    )
    quiet: bool = typer.Option(
        False,
        "--quiet",
        "-q",
        help="Print only warnings and errors: no progress, tables, spending or folder.",
        rich_help_panel=RESULTS,
    )

    def tell(self, message: str) -> None:
        """Print a message about progress on standard error, unless the output is quiet."""
        if not self.quiet:
            echo(message, err=True)


@attrs.frozen(slots=False, field_transformer=from_options)
class ResultOutput(Printed):
    """Options for printing and writing results."""

    output: Path | None = attrs.field(
        default=typer.Option(
            None, "--output", "-o", metavar="FILE.json", help="File for the results, as JSON.", rich_help_panel=RESULTS
        ),
        validator=lambda options, attribute, output: refuse_output(output),
    )

    def print_and_write(
        self, contents: dict[str, Any], print_tables: Callable[[], None], printed: Mapping[str, Any] = EMPTY
    ) -> bool:
        """Print JSON-ready results, or their tables, and write them; return whether both succeeded.

        Args:
            contents: the results.
            print_tables: prints them as tables.
            printed: what is printed as JSON beside them.
        """
        problems = [None if self.output is None else _try_to_write(self.output, json_text(contents) + "\n")]
        if self.as_json:
            problems.append(_try_to_print(lambda: echo_json({**contents, **printed})))
        elif not self.quiet:
            problems.append(_try_to_print(print_tables))
        for problem in filter(None, problems):
            echo(f"error: {problem}", err=True)
        return not any(problems)


def _try_to_print(printing: Callable[[], None]) -> str | None:
    """Print and return a problem, if any; a reader that stops early, as ``| head -1`` does, is not a problem."""
    try:
        with writing_output():
            printing()
            sys.stdout.flush()
    except BrokenPipeError:
        give_up_output()
    except OutputError as error:
        give_up_output()
        return str(error)
    return None


def _try_to_write(output: Path, text: str) -> str | None:
    """Write the file and return a problem, if any."""
    try:
        write_text(output, text)
    except OSError as error:
        return f"cannot write {output}: {error.strerror}"
    return None


@attrs.frozen(slots=False, field_transformer=from_options)
class RunOutput(ResultOutput):
    """Options for the output of a single run, with a page."""

    report: Path | None = typer.Option(
        None,
        metavar="FILE.html",
        help="File for an HTML report of the run; needs multinet-report.",
        rich_help_panel=RESULTS,
    )

    def refuse_report(self, recorded: bool) -> None:
        """Check that the page can be written, if one is requested.

        Args:
            recorded: whether the run is recorded.

        Raises:
            UnknownNameError: the writer of the page is not installed.
            ArgumentError: the run is not recorded, or the file cannot be written.
        """
        if self.report is None:
            return
        refuse_output(self.report, "--report")
        make_page_writer()
        if not recorded:
            raise ArgumentError("--report needs a recorded run: leave out --no-record, or name a --run-dir")


@attrs.frozen(field_transformer=from_options)
class RunFolderOption:
    """Option for the folder of a record."""

    run_dir: Path | None = typer.Option(
        None,
        metavar="DIR",
        help="New folder for the record; by default runs/TIME-SUITE-MODEL.",
        rich_help_panel=RESULTS,
    )

    def choose(self, call: typer.Context, suite: str, model: str) -> Path | None:
        """Choose the folder of a run's record, None for no record; a default one is reserved until the command ends."""
        from multinet_eval.record.record_folders import reserved_folder, runs_folder

        if self.run_dir is None and os.environ.get(NO_RECORD):
            return None
        return self.run_dir or call.with_resource(reserved_folder(suite, model, runs_folder()))


@attrs.frozen(field_transformer=from_options)
class RecordOptions(RunFolderOption):
    """Options for the folder of a record, or for no record."""

    no_record: bool = typer.Option(
        False, "--no-record", help="Keep no record; the run cannot be resumed.", rich_help_panel=RESULTS
    )

    def choose(self, call: typer.Context, suite: str, model: str) -> Path | None:
        """Choose as `RunFolderOption.choose` does; raises ArgumentError for ``--run-dir`` with ``--no-record``."""
        if self.run_dir is not None and self.no_record:
            raise ArgumentError("--run-dir and --no-record exclude each other")
        return None if self.no_record else super().choose(call, suite, model)


BESIDE_RESUME = {"resume", "backend_arg", "examples_from", "disable_plugin", "plugin_file", "strict_plugins"}.union(
    field.name
    for group in (ModelOptions, PlayingOptions, RunOutput, CacheOptions, ObserverOptions)
    for field in attrs.fields(group)
)
"""Parameters that may be given with ``--resume``: those without effect on results, and those that confirm settings."""


def refuse_beside_resume(call: typer.Context, allowed: Collection[str] = ()) -> None:
    """Raise ArgumentError if a call with ``--resume`` gives an option that the record settles.

    Args:
        call: the call.
        allowed: parameters of the command without effect on results, besides `BESIDE_RESUME`.
    """
    for name, written in given_parameters(call):
        if name not in BESIDE_RESUME.union(allowed):
            raise ArgumentError(f"--resume continues a record with its own settings: leave out {written}")


def given_parameters(call: typer.Context) -> Iterator[tuple[str, str]]:
    """Yield name and written form of each parameter given on the command line."""
    for parameter in call.command.params:
        name = parameter.name or ""
        source = call.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            longest = max(parameter.opts, key=len)
            yield name, longest if longest.startswith("-") else longest.upper()
