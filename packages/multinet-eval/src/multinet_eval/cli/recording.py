"""Options that say where a run is recorded."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated

import attrs
import typer

from multinet_eval.cli.observing import ObserverOptions
from multinet_eval.cli.playing import PlayingOptions, RunOutput
from multinet_eval.cli.spending import CacheOptions
from multinet_eval.settings.defaults import RUNS_VARIABLE

__all__ = [
    "NoRecord",
    "Resume",
    "RetryFaults",
    "RunDir",
    "RunPath",
    "RunsFolder",
    "TakeOver",
    "choose_directory",
    "given_parameters",
    "refuse_beside_resume",
]

RECORD = "Record"
NO_RECORD = "MULTINET_NO_RECORD"
"""The environment variable by which runs without ``--run-dir`` are not recorded, unless it is empty."""

GROUPS = (PlayingOptions, RunOutput, CacheOptions, ObserverOptions)
BESIDE_RESUME = {"resume", "model_arg", "prices", "disable_plugin", "strict_plugins"}.union(
    field.name for group in GROUPS for field in attrs.fields(group)
)
"""The parameters of commands that decide nothing of what is recorded."""

RunDir = Annotated[
    Path | None,
    typer.Option(
        "--run-dir",
        metavar="DIR",
        help="Record the run in this new folder. By default runs/<time>-<suite>-<model>.",
        rich_help_panel=RECORD,
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        metavar="DIR",
        help="Go on with this recorded run, as 'multinet runs resume' does.",
        rich_help_panel=RECORD,
    ),
]
NoRecord = Annotated[
    bool,
    typer.Option(
        "--no-record",
        help="Keep no record; the run cannot be resumed.",
        rich_help_panel=RECORD,
    ),
]
RunPath = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a recorded run.")]
RunsFolder = Annotated[
    Path, typer.Option("--runs", envvar=RUNS_VARIABLE, metavar="FOLDER", help="Where runs are recorded.")
]
RetryFaults = Annotated[
    bool, typer.Option("--retry-faults", help="Play again what ended by an error that is not the model's.")
]
TakeOver = Annotated[
    bool, typer.Option("--take-over", help="Take the run from the process that holds it, which you know to have ended.")
]


def choose_directory(call: typer.Context, run_dir: Path | None, no_record: bool, suite: str, model: str) -> Path | None:
    """Where to record a run; None for nowhere.

    A folder of a name that is not asked for is reserved until the command ends.

    Raises:
        ArgumentError: both a place and no record are asked for.
    """
    from gridworld.errors import ArgumentError
    from multinet_eval.record.record_folders import reserved_folder, runs_folder

    if run_dir is not None and no_record:
        raise ArgumentError("--run-dir and --no-record exclude each other")
    if no_record or (run_dir is None and os.environ.get(NO_RECORD)):
        return None
    if run_dir is not None:
        return run_dir
    return call.with_resource(reserved_folder(suite, model, runs_folder()))


def refuse_beside_resume(call: typer.Context, allowed: Collection[str] = ()) -> None:
    """Make sure that a call that goes on with something recorded asks for nothing that is settled by it.

    Args:
        call: the call of a command with ``--resume``.
        allowed: parameters of the command that decide nothing, beside those that several commands share.

    Raises:
        ArgumentError: it does.
    """
    from gridworld.errors import ArgumentError

    for name, said in given_parameters(call):
        if name not in BESIDE_RESUME.union(allowed):
            raise ArgumentError(f"--resume goes on with what was begun: leave out {said}")


def given_parameters(call: typer.Context) -> Iterator[tuple[str, str]]:
    """The parameters of a command that a call has given: the name of each, and how it is written."""
    for parameter in call.command.params:
        name = parameter.name or ""
        source = call.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            longest = max(parameter.opts, key=len)
            yield name, longest if longest.startswith("-") else longest.upper()
