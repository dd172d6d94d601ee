"""``multinet tasks families``: the installed generators of tasks."""

from __future__ import annotations

from typing import Any

from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins
from multinet_eval.cli.tasks.common import AsJson

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
    else:
        echo("no generator is installed; families come with gridworld-generators")


def _families() -> list[dict[str, Any]]:
    import attrs

    from gridworld.generation.recipe import generator_class
    from gridworld.plugins import get_registry
    from gridworld.plugins.arguments import list_arguments

    generators = get_registry().generators
    return [
        {
            "name": name,
            "summary": generators.get(name).summary,
            "parameters": [attrs.asdict(argument) for argument in list_arguments(generator_class(name))],
        }
        for name in generators.names()
    ]


def _print(found: list[dict[str, Any]]) -> None:
    from multinet_eval.cli.table import Column, print_table

    columns = [Column("Family"), Column("Summary", prose=True), Column("Parameters", prose=True, spare=1)]
    print_table(columns, [[each["name"], each["summary"], _parameters(each)] for each in found])


def _parameters(family: dict[str, Any]) -> str:
    return ", ".join(f"{each['name']}={each['default']}" for each in family["parameters"])
