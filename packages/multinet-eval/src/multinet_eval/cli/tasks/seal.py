"""``multinet tasks seal`` and ``check-seal``: whether tasks are those that were promised."""

from __future__ import annotations

from typing import Annotated

import typer

from gridworld.support.wording import counted
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins
from multinet_eval.cli.tasks.common import find_suite

__all__ = ["check_seal", "print_seal"]

Suite = Annotated[str, typer.Argument(metavar="DIR", help="A folder of task files, or an installed suite.")]


def print_seal(suite: Suite, disable_plugin: DisablePlugin = None) -> None:
    """Print one SHA-256 of all that the tasks say, to be published before they are used.

    It does not depend on the names of files, their order, or how they are written.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.generation.seal import seal

        echo(seal(find_suite(suite)))


def check_seal(
    suite: Suite,
    expected: Annotated[str, typer.Argument(metavar="SHA256", help="What 'multinet tasks seal' has printed.")],
    disable_plugin: DisablePlugin = None,
) -> None:
    """Tell whether the tasks are those that were sealed. Exit code 1 if they are not."""
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.errors import ArgumentError
        from gridworld.generation.seal import is_seal, seal

        if not is_seal(expected):
            raise ArgumentError(f"SHA256: expected 64 hexadecimal digits, got '{expected}'")
        tasks = find_suite(suite)
        found = seal(tasks)
        if found != expected.lower():
            echo(f"{suite}: not the tasks that were sealed: {counted(len(tasks), 'task')} with the seal {found}")
            raise typer.Exit(FAILED)
        echo(f"{suite}: {counted(len(tasks), 'task')} as sealed")
