"""``multinet plugins show``: everything about one plugin, or about something that a plugin provides."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins
from multinet_eval.cli.plugins.facts import plugin_facts, thing_facts

if TYPE_CHECKING:
    from rich.console import Console

    from gridworld.plugins import Registry

__all__ = ["show_plugin"]

Facts = dict[str, Any]

COLUMNS = {
    "arguments": {"name": "Argument", "type": "Type", "default": "Default"},
    "fields": {"name": "Field", "accepts": "Accepts", "default": "Default"},
    "parameters": {"name": "Parameter", "accepts": "Accepts", "default": "Default"},
    "provides": {"kind": "Kind", "name": "Name", "summary": "Summary"},
}
"""Facts that are lists of rows, with the headings of their columns."""


ELSEWHERE = ("kind", "name", "documentation")
"""Facts that stand in the title, or at the end."""


def show_plugin(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A distribution, a plugin (distribution/entry point), or something that is provided."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Show everything about a plugin or a provided thing: where it comes from, what it takes, what it does.

    Of a model or backend, its constructor's arguments are listed; to know them, it is imported.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        found = _find(name)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        _print(found)


def _find(name: str) -> dict[str, list[Facts]]:
    """All that has the name.

    Raises:
        UnknownNameError: nothing has it.
    """
    from gridworld.errors import UnknownNameError
    from gridworld.plugins import get_registry
    from gridworld.plugins.catalog import canonical_name
    from gridworld.plugins.known_plugins import advice_for_any_kind

    registry, canonical = get_registry(), canonical_name(name)
    plugins = [each for each in registry.plugins if canonical in (each.distribution, each.qualified_name)]
    things = [
        (catalog.kind, each)
        for catalog in registry.catalogs
        for each in catalog
        if each.answers_to(canonical if "/" in name else name)
    ]
    if not plugins and not things:
        raise UnknownNameError("plugin or provided thing", name, _known(registry), advice_for_any_kind(name))
    return {
        "plugins": [plugin_facts(registry, each) for each in plugins],
        "provided": [thing_facts(registry, kind, each) for kind, each in things],
    }


def _known(registry: Registry) -> list[str]:
    distributions = {record.distribution for record in registry.plugins}
    return sorted(distributions.union(*(catalog.names() for catalog in registry.catalogs)))


def _print(found: dict[str, list[Facts]]) -> None:
    from rich.console import Console

    console = Console(emoji=False, markup=False, highlight=False)
    for plugin in found["plugins"]:
        _print_facts(console, f"plugin {plugin['distribution']}/{plugin['entry_point']}", plugin)
    for thing in found["provided"]:
        _print_facts(console, f"{thing['kind']} {thing['name']}", thing)


def _print_facts(console: Console, title: str, facts: Facts) -> None:
    """The facts that fit a line as a list, then the tables, then the documentation; what is empty is left out."""
    from rich.table import Table

    console.print(title, style="bold")
    lines = Table.grid(padding=(0, 2))
    lines.add_column(no_wrap=True)
    lines.add_column(overflow="fold")
    for name, value in facts.items():
        if name not in {*COLUMNS, *ELSEWHERE} and value not in (None, "", [], {}):
            lines.add_row(f"  {name.replace('_', ' ')}", _in_words(value))
    console.print(lines)
    for name, headings in COLUMNS.items():
        rows = facts.get(name)
        if rows and isinstance(rows[0], dict):
            _print_rows(console, headings, rows)
    if facts.get("documentation"):
        console.print(f"\n{facts['documentation']}")
    console.print()


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {each}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _print_rows(console: Console, headings: dict[str, str], rows: Iterable[Facts]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(*headings.values(), box=SIMPLE_HEAD)
    for row in rows:
        table.add_row(*(_cell(row, key) for key in headings))
    console.print(table)


def _cell(row: Facts, key: str) -> str:
    if key == "default" and row[key] is None:
        return "" if row.get("required") is False else "(required)"
    return str(row[key])
