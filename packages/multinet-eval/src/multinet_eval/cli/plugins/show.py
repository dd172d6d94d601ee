"""``multinet plugins show``: everything about one plugin, or about something that a plugin provides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo, echo_json, styled
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins
from multinet_eval.cli.plugins.facts import plugin_facts, thing_facts

if TYPE_CHECKING:
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


LITERAL = re.compile(r"``(.+?)``", re.DOTALL)

PROSE = ("type", "accepts", "default", "summary")
"""Keys of columns whose cells may be broken into lines."""

ELSEWHERE = ("kind", "name", "documentation")
"""Facts that stand in the title, or at the end."""


def show_plugin(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A distribution, a plugin (distribution/entry point), or something that is provided."
        ),
    ],
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Show everything about a plugin or a provided thing: where it comes from, what it takes, what it does.

    Of a model, backend or observer, its constructor's arguments are listed; to know them, it is imported.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        found = _find(name)
    if as_json:
        echo_json(found)
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
    for plugin in found["plugins"]:
        _print_facts(f"plugin {plugin['distribution']}/{plugin['entry_point']}", plugin)
    for thing in found["provided"]:
        _print_facts(f"{thing['kind']} {thing['name']}", thing)


def _print_facts(title: str, facts: Facts) -> None:
    """The facts that fit a line as a list, then the tables, then the documentation; what is empty is left out."""
    from multinet_eval.cli.table import print_facts

    echo(styled(visible_line(title), bold=True))
    told = {
        name.replace("_", " "): _in_words(value)
        for name, value in facts.items()
        if name not in {*COLUMNS, *ELSEWHERE} and value not in (None, "", [], {})
    }
    print_facts(told)
    for name, headings in COLUMNS.items():
        rows = facts.get(name)
        if rows and isinstance(rows[0], dict):
            _print_rows(headings, rows)
    if facts.get("documentation"):
        echo(f"\n{_without_markup(facts['documentation'])}")
    echo()


def _without_markup(documentation: str) -> str:
    """A docstring whose reStructuredText literals, in double backquotes, stand in plain quotes."""
    return LITERAL.sub(r"'\1'", documentation)


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {each}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _print_rows(headings: dict[str, str], rows: Iterable[Facts]) -> None:
    from multinet_eval.cli.table import Column, print_table

    columns = [Column(heading, prose=key in PROSE) for key, heading in headings.items()]
    echo()
    print_table(columns, [[_cell(row, key) for key in headings] for row in rows])


def _cell(row: Facts, key: str) -> str:
    if key == "default" and row[key] is None:
        return "" if row.get("required") is False else "(required)"
    return str(row[key])
