"""``multinet models check``: tries out whether a model can play, before a run is begun with it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import DisablePlugin, ModelArgument, in_use, load_plugins, make_model
from multinet_eval.cli.tasks.common import AsJson

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInterface, Verdict

__all__ = ["check_model_command"]


def check_model_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The model, as in --model.")],
    model_arg: ModelArgument = None,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Try out a model: can it be reached, is it there, does it see, does it answer as asked, and how quickly?

    A model that brings no checks of its own is asked for one step of a small task. Checks that depend on a failed one
    are not made. Exit code 1 when any check fails.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        model = make_model(name, model_arg or [])
        verdicts = _check(model)
    passed = all(verdict.passed for verdict in verdicts)
    if as_json:
        checks = [attrs.asdict(verdict) for verdict in verdicts]
        typer.echo(json.dumps({"model": model.model_name, "passed": passed, "checks": checks}, indent=2))
    else:
        _print(model.model_name, verdicts)
    if not passed:
        raise typer.Exit(FAILED)


def _check(model: ModelInterface) -> list[Verdict]:
    from multinet_eval.asking.model_check import check_model

    if sys.stderr.isatty():
        typer.echo(f"trying out {model.model_name}: a model that has to be loaded first may take a while", err=True)
    with in_use(model):
        return check_model(model)


def _print(name: str, verdicts: list[Verdict]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("Check", "Verdict", "Seconds", "Found", box=SIMPLE_HEAD, pad_edge=False, title=escape(name))
    failed = [verdict for verdict in verdicts if not verdict.passed]
    for verdict in verdicts:
        word, found = ("[green]passed[/]", verdict.message) if verdict.passed else ("[red]failed[/]", "see below")
        table.add_row(escape(verdict.name), word, f"{verdict.seconds:.2f}", escape(found))
    console = Console(emoji=False, highlight=False, soft_wrap=True)
    console.print(table)
    for verdict in failed:
        console.print(f"[red]failed[/]: {escape(verdict.name)}\n  {escape(verdict.message)}")
    console.print(f"{len(verdicts) - len(failed)} passed, {len(failed)} failed")
