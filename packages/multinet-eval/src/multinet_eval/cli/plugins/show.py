"""``multinet plugins show``: the origin, arguments and documentation of a plugin, or of an object it provides."""

from __future__ import annotations

import inspect
import re
from typing import Any

import attrs
import typer

from gridworld.errors import PluginFault, UnknownNameError
from gridworld.plugins import PluginRecord, Provided, Registry, get_registry
from gridworld.plugins.arguments import list_arguments
from gridworld.plugins.catalog import canonical_name
from gridworld.plugins.extras import install_extra, missing_libraries
from gridworld.support.import_strings import load_callable, load_object
from gridworld.support.wording import listed, visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import Styled, echo, echo_json
from multinet_eval.cli.options import AsJson
from multinet_eval.cli.plugins.listing import record_facts
from multinet_eval.cli.table import Column, print_facts, print_table

Facts = dict[str, Any]

WITH_ARGUMENTS = ("backend", "generator", "importer", "model", "observer", "protocol")
"""Kinds whose targets take arguments from the command line."""
COLUMNS = {
    "arguments": {"name": "Argument", "type": "Type", "default": "Default"},
    "fields": {"name": "Field", "accepts": "Accepts", "default": "Default"},
    "provides": {"kind": "Kind", "name": "Name", "summary": "Summary"},
}
"""Facts shown as tables, with the headings of their columns."""
PROSE = ("type", "accepts", "default", "summary")
"""Columns that wrap."""
SHOWN_APART = ("kind", "name", "documentation")
"""Facts shown in the title or at the end."""
LITERAL = re.compile(r"``(.+?)``", re.DOTALL)
MOST_CHOICES = 20
"""Maximum number of choices listed in full."""
LIMITS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}


@command()
def show_plugin(
    name: str = typer.Argument(
        ..., metavar="NAME", help="A plugin, its distribution, or the name of what it provides."
    ),
    as_json: AsJson = False,
) -> None:
    """Show a plugin or what it provides, with arguments.

    Models, backends, observers and the like are imported to list their constructor's arguments.
    """
    found = _find(name)
    if as_json:
        echo_json(found)
        return
    for plugin in found["plugins"]:
        _print_facts(f"plugin {'/'.join(filter(None, (plugin['distribution'], plugin['entry_point'])))}", plugin)
    for thing in found["provided"]:
        _print_facts(f"{thing['kind']} {thing['name']}", thing)


def _find(name: str) -> dict[str, list[Facts]]:
    """Find all plugins and provided objects of this name; raises UnknownNameError if no plugin or object has it."""
    registry, canonical = get_registry(), canonical_name(name)
    plugins = [each for each in registry.plugins if canonical in (each.distribution, each.qualified_name)]
    things = [(catalog.kind, each) for catalog in registry.catalogs for each in catalog.meant_by(name)]
    if not plugins and not things:
        names = (catalog.names() for catalog in registry.catalogs)
        known = {record.distribution for record in registry.plugins}.union(*names)
        raise UnknownNameError("plugin or provided thing", name, sorted(known))
    return {
        "plugins": [_plugin_facts(registry, each) for each in plugins],
        "provided": [provided_facts(kind, each) for kind, each in things],
    }


def _plugin_facts(registry: Registry, record: PluginRecord) -> Facts:
    """Gather JSON-ready facts about a plugin: those of the list, and a summary of each object it provides."""
    summaries = {
        (catalog.kind, each.item.name): each.item.summary
        for catalog in registry.catalogs
        for each in catalog
        if (each.distribution, each.entry_point) == (record.distribution, record.entry_point)
    }
    provides = [{"kind": kind, "name": name, "summary": text} for (kind, name), text in summaries.items()]
    return record_facts(record) | {"provides": provides}


def provided_facts(kind: str, provided: Provided[Any]) -> Facts:
    """Gather JSON-ready facts about an object that a plugin provides."""
    item = provided.item
    facts = {
        "kind": kind,
        "name": item.name,
        "summary": item.summary,
        "distribution": provided.distribution,
        "entry_point": provided.entry_point,
    }
    if kind == "mechanism":
        return facts | {"fields": _fields(item.spec), "documentation": inspect.getdoc(item.spec) or ""}
    if kind == "goal":
        return facts | {"common_fields": list(item.fields), "fields": _fields(item.parameters)}
    if kind == "benchmark":
        return facts | {"package": item.package, "folder": item.folder}
    missing = missing_libraries(get_registry(), provided)
    install = {"needs": f"{listed(missing)}: {install_extra(provided)}"} if missing else {}
    return facts | {"target": item.target} | install | _imported(kind, item.target)


def _imported(kind: str, target: str) -> Facts:
    """Import a target; return its documentation and arguments, or why it cannot be imported."""
    try:
        if kind not in WITH_ARGUMENTS:
            return {"documentation": inspect.getdoc(load_object(target)) or ""}
        constructor = load_callable(target)
        arguments = [attrs.asdict(each) for each in list_arguments(constructor)]
    except PluginFault as error:
        return {"import_error": str(error)}
    return {"arguments": arguments, "documentation": inspect.getdoc(constructor) or ""}


def _fields(spec: type | None) -> list[Facts]:
    """List the fields that a task file may set."""
    from gridworld.task.attrs_schema import Definitions

    schemas, required = ({}, []) if spec is None else Definitions({}, {}).fields(spec)
    return [
        {"name": name, "accepts": _accepts(schema), "required": name in required, "default": schema.get("default")}
        for name, schema in schemas.items()
    ]


def _accepts(schema: Facts) -> str:
    """Describe a JSON schema in a few words."""
    if "enum" in schema:
        choices = ["null" if each is None else str(each) for each in schema["enum"]]
        if len(choices) <= MOST_CHOICES:
            return ", ".join(choices)
        return f"{len(choices)} words, such as {listed(choices[:3])}; 'multinet tasks schema' has all"
    if schema.get("$ref") == "#/$defs/Position":
        return "cell [x, y]"
    if "anyOf" in schema:
        return " or ".join(_accepts(each) for each in schema["anyOf"])
    named = schema.get("type", "anything")
    words = named if isinstance(named, str) else " or ".join(named)
    if words == "array" and "items" in schema and schema["items"]:
        words = f"list of {_accepts(schema['items'])}"
    limits = [f"{sign} {schema[key]}" for key, sign in LIMITS.items() if key in schema]
    return " ".join([words, *limits])


def _print_facts(title: str, facts: Facts) -> None:
    """Print short facts as a list, then tables and documentation; empty facts are left out."""
    echo(Styled(visible_line(title), bold=True))
    listed_facts = {
        name.replace("_", " "): _in_words(value)
        for name, value in facts.items()
        if name not in {*COLUMNS, *SHOWN_APART} and value not in (None, "", [], {})
    }
    print_facts(listed_facts)
    for name, headings in COLUMNS.items():
        rows = facts.get(name)
        if rows and isinstance(rows[0], dict):
            columns = [Column(heading, prose=key in PROSE) for key, heading in headings.items()]
            echo()
            print_table(columns, [[_cell(row, key) for key in headings] for row in rows])
    if facts.get("documentation"):
        literal_free = LITERAL.sub(r"'\1'", facts["documentation"])
        echo(f"\n{literal_free}")
    echo()


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {each}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _cell(row: Facts, key: str) -> str:
    if key == "default" and row[key] is None:
        return "" if row.get("required") is False else "(required)"
    return str(row[key])
