"""``multinet tasks families``: the installed generators of tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins

if TYPE_CHECKING:
    from gridworld.hookspecs import GeneratorInfo

__all__ = ["families"]


def families(as_json: AsJson = False, disable_plugin: DisablePlugin = None) -> None:
    """List the families that tasks can be generated of, and their parameters."""
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        found = _families()
    if as_json:
        echo_json(found)
    elif found:
        _print(found)
        echo("what the parameters of a family mean: multinet plugins show FAMILY")
    else:
        echo("no generator is installed; families come with gridworld-generators")


def _families() -> list[dict[str, Any]]:
    from gridworld.plugins import get_registry

    return sorted((_family(provided.item) for provided in get_registry().generators), key=lambda each: each["name"])


def _family(generator: GeneratorInfo) -> dict[str, Any]:
    """What there is to tell of a generator; one that cannot be imported does not hide the others."""
    from gridworld.errors import PluginFault
    from gridworld.plugins.arguments import list_arguments
    from gridworld.support.import_strings import load_callable

    told = {"name": generator.name, "summary": generator.summary}
    try:
        parameters = [attrs.asdict(argument) for argument in list_arguments(load_callable(generator.target))]
    except PluginFault as error:
        return told | {"parameters": [], "problem": str(error)}
    return told | {"parameters": parameters, "problem": None}


def _print(found: list[dict[str, Any]]) -> None:
    from multinet_eval.cli.table import Column, print_table

    columns = [Column("Family"), Column("Summary", prose=True), Column("Parameters", prose=True, spare=1)]
    print_table(columns, [[each["name"], each["summary"], each["problem"] or _parameters(each)] for each in found])


def _parameters(family: dict[str, Any]) -> str:
    return ", ".join(f"{each['name']}={each['default']}" for each in family["parameters"])
