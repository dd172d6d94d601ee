"""``multinet plugins new``: a new plugin distribution to begin with."""

from __future__ import annotations

import shlex
from pathlib import Path

import typer

from gridworld.errors import ArgumentError
from multinet_eval.cli.commands import REQUIRED, OpenGroup, argument, command, option
from multinet_eval.cli.echo import echo
from multinet_eval.scaffolds import SCAFFOLDS, Names, Scaffold, find_scaffold, write_scaffold

KINDS = ", ".join(SCAFFOLDS)


@command()
def new_plugin(
    call: typer.Context,
    kind: str = argument(REQUIRED, f"What it is to provide: {KINDS}.", metavar="KIND", show_default=False),
    name: str = argument(REQUIRED, "The name of the distribution, such as my-plugin.", metavar="NAME"),
    output: Path | None = option(None, "Put it into this folder, instead of the current one.", "-o", metavar="FOLDER"),
) -> None:
    """Create a new plugin: a complete distribution with a passing test, in a folder of the same name.

    An adapter provides a model, a benchmark a task suite; so `new model` and `new suite` are understood, too.
    """
    scaffold = find_scaffold(kind)
    names = Names.of(scaffold, name)
    _refuse_provided(scaffold, names)
    if scaffold.provides == "command":
        _refuse_own_command(call, names.name)
    folder = write_scaffold(scaffold, names, output or Path())
    echo(f"wrote {folder}: {scaffold.words.lower()} '{names.name}'. Next:")
    for line in _next_commands(folder, scaffold, names):
        echo(f"  {line}")


def _refuse_provided(scaffold: Scaffold, names: Names) -> None:
    """Two providers of one name would be in each other's way."""
    from gridworld.plugins import get_registry

    kind = scaffold.provides
    taken = [provided for provided in get_registry().catalog(kind) if provided.item.name == names.name]
    if taken:
        raise ArgumentError(
            f"the {kind} '{names.name}' is already provided by {taken[0].distribution}; choose another name"
        )


def _refuse_own_command(call: typer.Context, name: str) -> None:
    """A command of a plugin is called by its name alone where it is the only one."""
    root = call.find_root()
    if isinstance(root.command, OpenGroup) and name in root.command.list_commands(root):
        raise ArgumentError(f"multinet has a command '{name}' itself; choose another name")


def _next_commands(folder: Path, scaffold: Scaffold, names: Names) -> list[str]:
    """Pip takes what has no slash for the name of a distribution."""
    path = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}")
    return [
        f"pip install {path} pytest",
        f"pytest {path}",
        f"multinet plugins check {names.name}",
        *scaffold.before,
        scaffold.try_out.format(name=names.name),
    ]
