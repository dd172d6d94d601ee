"""``multinet plugins new``: a new plugin distribution to begin with."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multinet_eval.cli.errors import exit_on_error

if TYPE_CHECKING:
    from multinet_eval.scaffolds import Kind, Names

__all__ = ["new_plugin"]


class KindChoice(StrEnum):
    """The kinds of plugin distributions."""

    ADAPTER = "adapter"
    MECHANISM = "mechanism"
    GOAL = "goal"
    TILING = "tiling"
    BACKEND = "backend"
    BENCHMARK = "benchmark"


TRY_OUT = {
    "adapter": "multinet-run-eval --model {name} --benchmark validation_10",
    "mechanism": "multinet plugins show {name}",
    "goal": "multinet plugins show {name}",
    "tiling": "multinet-run-eval --model optimal --tiling {name}",
    "backend": "multinet-run-eval --model random --backend {name}",
    "benchmark": "multinet-run-eval --model optimal --benchmark {name}",
}
"""Kind to a command that uses what it provides."""


def new_plugin(
    kind: Annotated[KindChoice, typer.Argument(help="What it is to provide.", show_default=False)],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the distribution, such as my-plugin.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Put it into this folder, instead of the current one."),
    ] = None,
) -> None:
    """Write a new plugin: a complete distribution with its test, which passes, in a folder that is called as it is.

    An adapter provides a model, a benchmark a task suite.
    """
    with exit_on_error():
        from multinet_eval.scaffolds import KINDS, Names, write_scaffold

        chosen = KINDS[kind.value]
        names = Names.of(chosen, name)
        _refuse_provided(chosen, names)
        folder = write_scaffold(chosen, names, output or Path())
    typer.echo(f"wrote {folder}: {chosen.words.lower()} '{names.name}'. Next:")
    for command in _next_commands(folder, kind.value, names):
        typer.echo(f"  {command}")


def _refuse_provided(kind: Kind, names: Names) -> None:
    """Two providers of one name would be in each other's way."""
    from gridworld.errors import ArgumentError
    from gridworld.plugins import get_registry

    catalog = next(each for each in get_registry().catalogs if each.kind == kind.provides)
    taken = [provided.distribution for provided in catalog if provided.item.name == names.name]
    if taken:
        raise ArgumentError(
            f"the {kind.provides} '{names.name}' is provided by {taken[0]} already; choose another name"
        )


def _next_commands(folder: Path, kind: str, names: Names) -> list[str]:
    """Pip takes what has no slash for the name of a distribution."""
    path = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}")
    return [
        f"pip install {path} pytest",
        f"pytest {path}",
        f"multinet plugins check {names.name}",
        TRY_OUT[kind].format(name=names.name),
    ]
