"""``multinet models list``: the installed models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins
from multinet_eval.cli.tasks.common import AsJson

if TYPE_CHECKING:
    from gridworld.plugins.catalog import Provided
    from gridworld.plugins.descriptors import ModelInfo

__all__ = ["list_models"]


def list_models(as_json: AsJson = False, disable_plugin: DisablePlugin = None) -> None:
    """List the installed models: what --model can be."""
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins import get_registry

        models = sorted(get_registry().models, key=lambda each: (each.item.name, each.qualified_name))
    if as_json:
        typer.echo(json.dumps([_as_dict(each) for each in models], indent=2))
    else:
        _print(models)


def _as_dict(model: Provided[ModelInfo]) -> dict[str, str]:
    return {"name": model.item.name, "summary": model.item.summary, "distribution": model.distribution}


def _print(models: list[Provided[ModelInfo]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("Name", "Distribution", "Summary", box=SIMPLE_HEAD, pad_edge=False)
    for each in models:
        table.add_row(escape(each.item.name), escape(each.distribution), escape(each.item.summary))
    Console(emoji=False).print(table)
