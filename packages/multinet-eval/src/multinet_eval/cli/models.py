"""``multinet models``: list the installed models, or check that one works."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import attrs
import typer

from gridworld.plugins import get_registry
from gridworld.plugins.catalog import Provided
from multinet_eval.cli.commands import REQUIRED, argument, command
from multinet_eval.cli.echo import echo, echo_json, styled
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, ModelArgument, in_use
from multinet_eval.cli.table import Cell, Column, numeric, print_table

if TYPE_CHECKING:
    from gridworld.hookspecs import ModelInfo
    from gridworld.model_interface import ModelInterface, PreflightCheck


@command(plugins="loaded")
def list_models(as_json: AsJson = False) -> None:
    """List the installed models, the values of --model."""
    models = sorted(get_registry().models, key=lambda each: (each.item.name, each.qualified_name))
    if as_json:
        echo_json([_as_dict(each) for each in models])
    else:
        _print(models)


def _as_dict(model: Provided[ModelInfo]) -> dict[str, str]:
    return {"name": model.item.name, "summary": model.item.summary, "distribution": model.distribution}


def _print(models: list[Provided[ModelInfo]]) -> None:
    columns = [Column("Name"), Column("Distribution"), Column("Summary", prose=True)]
    print_table(columns, [[each.item.name, each.distribution, each.item.summary] for each in models])


@command(plugins="loaded")
def check_model_command(
    name: str = argument(REQUIRED, "Name of the model.", metavar="NAME"),
    model_arg: ModelArgument = None,
    as_json: AsJson = False,
) -> None:
    """Check that a model is reachable, sees, answers in the required format, and how fast it is.

    A model without checks of its own is asked for one step of a small task. Checks that depend on a failed one are
    skipped. Exit code 1 if any check fails.
    """
    from multinet_eval.settings.plugin_objects import make_model

    model = make_model(name, model_arg or [])
    verdicts = _check(model)
    passed = all(verdict.passed for verdict in verdicts)
    if as_json:
        checks = [attrs.asdict(verdict) for verdict in verdicts]
        echo_json({"model": model.model_name, "passed": passed, "checks": checks})
    else:
        _print_check(model.model_name, verdicts)
    if not passed:
        raise typer.Exit(FAILED)


def _check(model: ModelInterface) -> list[PreflightCheck]:
    from multinet_eval.monitor.model_check import check_model

    if sys.stderr.isatty():
        echo(f"checking {model.model_name}; loading it may take a while", err=True)
    with in_use(model):
        return check_model(model)


def _print_check(name: str, verdicts: list[PreflightCheck]) -> None:
    columns = [
        Column("Check"),
        Column("Result"),
        numeric("Seconds", 1),
        Column("Found", prose=True),
    ]
    rows: list[list[Cell]] = [
        [
            verdict.name,
            styled("passed", "green") if verdict.passed else styled("failed", "red"),
            f"{verdict.seconds:.2f}",
            verdict.message if verdict.passed else "see below",
        ]
        for verdict in verdicts
    ]
    print_table(columns, rows, name)
    failed = [verdict for verdict in verdicts if not verdict.passed]
    for verdict in failed:
        echo(styled("failed", "red"), f": {verdict.name}\n  {verdict.message}")
    echo(f"{len(verdicts) - len(failed)} passed, {len(failed)} failed")
