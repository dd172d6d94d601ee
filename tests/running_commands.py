"""Runs commands of ``multinet`` in this process, which is much quicker than to start a program for each."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from typer import Context
from typer.core import TyperGroup
from typer.testing import CliRunner, Result

from gridworld.plugins import get_registry, set_registry
from multinet_eval.cli.app import multinet

__all__ = ["invoke", "leaf_commands", "registry_kept"]


@contextmanager
def registry_kept() -> Iterator[None]:
    """Put back the plugins of this process afterwards: every command loads them anew."""
    before = get_registry()
    try:
        yield
    finally:
        set_registry(before)


def invoke(arguments: Sequence[str | Path], stdin: str = "", **variables: str) -> Result:
    """Run a command to its end; its output is that of a strict UTF-8 stream. Runs are not recorded unless asked for."""
    with registry_kept():
        return CliRunner().invoke(
            multinet,
            [str(each) for each in arguments],
            stdin,
            env={"MULTINET_NO_RECORD": "1", **variables},
            color=False,
        )


def leaf_commands() -> list[tuple[str, ...]]:
    """The names of all commands that do something, such as ``("tasks", "show")``."""
    from typer.main import get_command

    return sorted(_leaves((), get_command(multinet)))


def _leaves(path: tuple[str, ...], command: Any) -> Iterator[tuple[str, ...]]:
    if not isinstance(command, TyperGroup):
        yield path
        return
    for name in command.list_commands(Context(command)):
        yield from _leaves((*path, name), command.get_command(Context(command), name))
