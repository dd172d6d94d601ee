"""The installed commands called in this process: milliseconds, where starting a program takes a third of a second."""

import importlib
import io
import os
import runpy
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from typer import Context
from typer.core import TyperGroup
from typer.testing import CliRunner, Result

from gridworld.plugins import get_registry, set_registry
from multinet_eval.cli.app import multinet as multinet_app
from support.programs import REPOSITORY

VARIABLES = {
    "MULTINET_NO_RECORD": "1",
    "COLUMNS": "250",
    "GRIDWORLD_CACHE": "",
    "NO_COLOR": "1",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",  # set by the first import of Gymnasium, and gone after the command that did it
}
SCRIPTS = {script.name: script for script in entry_points(group="console_scripts")}
"""Installed console scripts, found before a test installs a distribution that cannot be read."""


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


def run(
    program: str,
    *arguments: str | Path,
    path: Iterable[Path] = (),
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Call an installed program, or a Python file of the repository, with the distributions in `path` installed, too.

    It takes and returns the same as `support.programs.run`, which starts a process, and starts no workers by default.
    """
    one_core = patch.object(os, "sched_getaffinity", return_value={0})
    with chdir(cwd or Path.cwd()), _installed([str(folder) for folder in path]), one_core:
        finished = _call(program, arguments, variables or {})
    return subprocess.CompletedProcess([program, *map(str, arguments)], *finished)


def runner(*command: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Make a function that calls a program with further arguments and checks that it shows no traceback."""

    def call(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        finished = run(*command, *arguments, **options)
        assert "Traceback" not in finished.stderr
        return finished

    return call


@contextmanager
def _installed(folders: list[str]) -> Iterator[None]:
    """Put folders first on the path, and forget the modules in them afterwards."""
    before, modules = list(sys.path), set(sys.modules)
    sys.path[:0] = folders
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before
        for name in set(sys.modules) - modules:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(tuple(folders)):
                del sys.modules[name]


def _call(program: str, arguments: tuple[object, ...], variables: Mapping[str, str]) -> Finished:
    out, err = _stream(), _stream()
    with (
        registry_kept(),
        patch.object(sys, "argv", [program, *map(str, arguments)]),
        patch.object(sys, "stdin", io.StringIO()),
        patch.dict(os.environ, {**VARIABLES, **variables}),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        exit_code = _exit_code(program)
    return Finished(exit_code, _written(out), _written(err))


def _exit_code(program: str) -> int:
    try:
        if program.endswith(".py"):
            runpy.run_path(str(REPOSITORY / program), run_name="__main__")
        else:
            SCRIPTS[program].load()()
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
