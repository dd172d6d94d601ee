"""The installed commands called in this process: milliseconds, where starting a program takes a third of a second."""

import io
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from typer import Context
from typer.core import TyperGroup
from typer.testing import CliRunner, Result

from gridworld.plugins import get_registry, set_registry
from multinet_eval.cli.app import multinet as multinet_app

VARIABLES = {"MULTINET_NO_RECORD": "1", "COLUMNS": "250", "GRIDWORLD_CACHE": "", "NO_COLOR": "1"}


class Finished(NamedTuple):
    """Result of a command; exceptions other than `SystemExit` are in `stderr`, as tracebacks."""

    exit_code: int
    stdout: str
    stderr: str


def multinet(*arguments: object, **variables: str) -> Finished:
    """Call ``multinet`` with environment `variables`. Runs are recorded only with ``--run-dir``."""
    return _call("multinet", arguments, variables)


def run_eval(*arguments: object, **variables: str) -> Finished:
    """Call ``multinet-run-eval``, as `multinet` does."""
    return _call("multinet-run-eval", arguments, variables)


def _call(program: str, arguments: tuple[object, ...], variables: Mapping[str, str]) -> Finished:
    (command,) = entry_points(group="console_scripts", name=program)
    out, err = _stream(), _stream()
    with (
        registry_kept(),
        patch.object(sys, "argv", [program, *map(str, arguments)]),
        patch.object(sys, "stdin", io.StringIO()),
        patch.dict(os.environ, {**VARIABLES, **variables}),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        exit_code = _exit_code(command.load())
    return Finished(exit_code, _written(out), _written(err))


def _exit_code(main: object) -> int:
    assert callable(main)
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _written(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@contextmanager
def registry_kept() -> Iterator[None]:
    """Restore the plugins of this process afterwards, since every command loads them anew."""
    before = get_registry()
    try:
        yield
    finally:
        set_registry(before)


def invoke(arguments: Sequence[str | Path], stdin: str = "", **variables: str) -> Result:
    """Call ``multinet`` with standard input, strict UTF-8 output and environment `variables`."""
    with registry_kept():
        return CliRunner().invoke(
            multinet_app,
            [str(each) for each in arguments],
            stdin,
            env={"MULTINET_NO_RECORD": "1", **variables},
            color=False,
        )


def leaf_commands() -> list[tuple[str, ...]]:
    """Names of all commands without subcommands, such as ``("tasks", "show")``."""
    from typer.main import get_command

    return sorted(_leaves((), get_command(multinet_app)))


def _leaves(path: tuple[str, ...], command: Any) -> Iterator[tuple[str, ...]]:
    if not isinstance(command, TyperGroup):
        yield path
        return
    for name in command.list_commands(Context(command)):
        yield from _leaves((*path, name), command.get_command(Context(command), name))
