"""The installed commands, called in this process, where a call takes milliseconds and a start a third of a second."""

import io
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from typing import NamedTuple
from unittest.mock import patch

from gridworld.plugins import get_registry, set_registry

__all__ = ["Finished", "multinet", "run_eval"]

VARIABLES = {"MULTINET_NO_RECORD": "1", "COLUMNS": "250", "GRIDWORLD_CACHE": "", "NO_COLOR": "1"}


class Finished(NamedTuple):
    """A command that has ended; what it raised beside `SystemExit` is in `stderr`, as a traceback."""

    exit_code: int
    stdout: str
    stderr: str


def multinet(*arguments: object, **variables: str) -> Finished:
    """Call ``multinet``; `variables` are set in its environment. Runs are recorded only with ``--run-dir``."""
    return _call("multinet", arguments, variables)


def run_eval(*arguments: object, **variables: str) -> Finished:
    """Call ``multinet-run-eval``, as `multinet` does."""
    return _call("multinet-run-eval", arguments, variables)


def _call(program: str, arguments: tuple[object, ...], variables: Mapping[str, str]) -> Finished:
    (command,) = entry_points(group="console_scripts", name=program)
    out, err = _stream(), _stream()
    with (
        _registry_kept(),
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
def _registry_kept() -> Iterator[None]:
    """Put back the plugins of this process afterwards: every command loads them anew."""
    before = get_registry()
    try:
        yield
    finally:
        set_registry(before)
