"""``multinet plugins new``: create a plugin distribution."""

from __future__ import annotations

import shlex
from pathlib import Path

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from multinet_eval.cli.commands import REQUIRED, argument, command, option
from multinet_eval.cli.echo import echo
from multinet_eval.scaffolds import SCAFFOLDS, Names, Scaffold, find_scaffold, write_scaffold

KINDS = ", ".join(SCAFFOLDS)


@command()
def new_plugin(
    kind: str = argument(REQUIRED, f"What it provides: {KINDS}.", metavar="KIND", show_default=False),
    name: str = argument(REQUIRED, "Name of the distribution, such as my-plugin.", metavar="NAME"),
    output: Path | None = option(None, "Parent folder; the current one by default.", "-o", metavar="FOLDER"),
) -> None:
    """Create a plugin: a complete distribution with a passing test, in a folder of the same name.

    `model` is short for adapter, and `suite` for benchmark.
    """
    scaffold = find_scaffold(kind)
    names = Names.of(scaffold, name)
    _refuse_taken_name(scaffold.provides, names.name)
    folder = write_scaffold(scaffold, names, output or Path())
    echo(f"wrote {folder}: {scaffold.words.lower()} '{names.name}'. Next:")
    for line in _next_commands(folder, scaffold, names):
        echo(f"  {line}")


def _refuse_taken_name(kind: str, name: str) -> None:
    """Raise ArgumentError if another plugin already uses the name."""
    taken = [provided for provided in get_registry().catalog(kind) if provided.item.name == name]
    if taken:
        raise ArgumentError(f"the {kind} '{name}' is already provided by {taken[0].distribution}; choose another name")


def _next_commands(folder: Path, scaffold: Scaffold, names: Names) -> list[str]:
    path = shlex.quote(
        str(folder) if folder.is_absolute() else f"./{folder}"
    )  # without a slash, pip takes it for a name
    return [
        f"pip install {path} pytest",
        f"pytest {path}",
        f"multinet plugins check {names.name}",
        *scaffold.before,
        scaffold.try_out.format(name=names.name),
    ]
