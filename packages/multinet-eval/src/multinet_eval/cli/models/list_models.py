"""``multinet models list``: the installed models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multinet_eval.cli.echo import echo_json
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins

if TYPE_CHECKING:
    from gridworld.hookspecs import ModelInfo
    from gridworld.plugins.catalog import Provided

__all__ = ["list_models"]


def list_models(as_json: AsJson = False, disable_plugin: DisablePlugin = None) -> None:
    """List the installed models: what --model can be."""
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins import get_registry

        models = sorted(get_registry().models, key=lambda each: (each.item.name, each.qualified_name))
    if as_json:
        echo_json([_as_dict(each) for each in models])
    else:
        _print(models)


def _as_dict(model: Provided[ModelInfo]) -> dict[str, str]:
    return {"name": model.item.name, "summary": model.item.summary, "distribution": model.distribution}


def _print(models: list[Provided[ModelInfo]]) -> None:
    from multinet_eval.cli.table import Column, print_table

    columns = [Column("Name"), Column("Distribution"), Column("Summary", prose=True)]
    print_table(columns, [[each.item.name, each.distribution, each.item.summary] for each in models])
