"""``multinet plugins show``: the origin, arguments and documentation of a plugin, or of an object it provides."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import GridworldError, PluginFault, UnknownNameError
from gridworld.plugins import PluginRecord, Provided, Registry, get_registry
from gridworld.plugins.arguments import list_arguments
from gridworld.plugins.catalog import canonical_name
from gridworld.support.import_strings import load_callable, load_object
from gridworld.support.wording import listed, visible_line
from multinet_eval.cli.commands import REQUIRED, argument, command
from multinet_eval.cli.echo import echo, echo_json, styled
from multinet_eval.cli.options import AsJson
from multinet_eval.cli.table import Column, print_facts, print_table

Facts = dict[str, Any]


def plugin_facts(registry: Registry, record: PluginRecord) -> Facts:
    """Gather JSON-ready facts about a plugin."""
    provided = [
        {"kind": catalog.kind, "name": each.item.name, "summary": each.item.summary}
        for catalog in registry.catalogs
        for each in catalog
        if (each.distribution, each.entry_point) == (record.distribution, record.entry_point)
    ]
    return {
        **_origin(record),
        "failure": attrs.asdict(record.failure) if record.failure else None,
        "heavy_imports": list(record.cost.heavy),
        "warning": record.cost.warning,
        "provides": provided,
    }


def _origin(record: PluginRecord) -> Facts:
    return {
        "distribution": record.distribution,
        "version": record.version,
        "entry_point": record.entry_point,
        "module": record.module,
        "file": record.file or _module_file(record.module.partition(":")[0]),
        "requires_toolkit": [] if record.file else _required_of_toolkit(record.distribution),
        "status": record.status,
        "load_ms": None if record.status == "disabled" else record.cost.milliseconds,
    }


def _module_file(module: str) -> str | None:
    """Find the path of a module's source, without importing the module."""
    package, *rest = module.split(".")
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None or not rest:
        return spec.origin if spec else None
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    ends = (Path(*rest).with_suffix(".py"), Path(*rest, "__init__.py"))
    return next((str(folder / end) for folder in folders for end in ends if (folder / end).is_file()), None)


def _required_of_toolkit(name: str) -> list[str]:
    """List a distribution's requirements on the toolkit's distributions, as in its metadata."""
    from importlib.metadata import distribution

    from gridworld.plugins.known_plugins import TOOLKIT

    required = distribution(name).requires or []
    names = [re.split(r"[^\w.-]", text.strip(), maxsplit=1)[0] for text in required]
    return [text for text, each in zip(required, names, strict=True) if canonical_name(each) in TOOLKIT]


def provided_facts(registry: Registry, kind: str, provided: Provided[Any]) -> Facts:
    """Gather JSON-ready facts about an object that a plugin provides."""
    plugin = (provided.distribution, provided.entry_point)
    record = next(each for each in registry.plugins if (each.distribution, each.entry_point) == plugin)
    item = provided.item
    return {
        "kind": kind,
        "name": item.name,
        "qualified_name": provided.qualified_name,
        "summary": item.summary,
        **_origin(record),
        **FURTHER.get(kind, _plain_fields)(item),
    }


def _imported(item: Any) -> Facts:
    """Return the target of an import string, and its documentation, for which the target is imported."""
    try:
        documentation, problem = inspect.getdoc(load_object(item.target)) or "", None
    except PluginFault as error:
        documentation, problem = "", str(error)
    return {"target": item.target, "import_error": problem, "documentation": documentation}


def _made_by_constructor(item: Any) -> Facts:
    """Gather the facts of `_imported`, and the arguments of the constructor."""
    facts = _imported(item)
    try:
        taken = list_arguments(load_callable(item.target))
    except PluginFault as error:
        return {**facts, "import_error": str(error), "arguments": []}
    return {**facts, "arguments": [attrs.asdict(argument) for argument in taken]}


def _plain_fields(item: Any) -> Facts:
    """Return the printable fields of a descriptor, except its name and summary."""
    fields = attrs.asdict(item, recurse=False)
    excluded = ("name", "summary")
    return {
        name: value for name, value in fields.items() if isinstance(value, str | int | float) and name not in excluded
    }


def _mechanism(item: Any) -> Facts:
    from gridworld.world.mechanism_type import MECHANISM_HOOKS

    has = attrs.asdict(item, recurse=False)
    return {
        "noun": item.noun,
        "fields": _fields(item.spec),
        "values": list(item.values),
        "hooks": [hook for hook in MECHANISM_HOOKS if has[hook] is not None],
        "fills_patch": item.fills_patch,
        "documentation": inspect.getdoc(item.spec) or "",
    }


def _goal(item: Any) -> Facts:
    return {
        "common_fields": list(item.fields),
        "parameters": _fields(item.parameters) if item.parameters else [],
        "timed": item.timed or item.only_at_last_step,
    }


def _benchmark(item: Any) -> Facts:
    from gridworld.suites import benchmark_place, load_folder
    from gridworld.suites.named import benchmark_recipes

    facts: Facts = {"package": item.package, "folder": item.folder, "recipes": [], "tasks": [], "error": None}
    try:
        recipes = benchmark_recipes(item)
        if recipes:
            return facts | {"recipes": [f"{recipe.count} of {recipe.family}" for recipe in recipes]}
        return facts | {"tasks": [task.task_id for task in load_folder(benchmark_place(item))]}
    except GridworldError as error:
        return facts | {"error": str(error)}


FURTHER: dict[str, Callable[[Any], Facts]] = {
    "backend": _made_by_constructor,
    "benchmark": _benchmark,
    "generator": _made_by_constructor,
    "goal": _goal,
    "importer": _made_by_constructor,
    "mechanism": _mechanism,
    "metric": _imported,
    "model": _made_by_constructor,
    "observer": _made_by_constructor,
    "protocol": _made_by_constructor,
    "probe": _imported,
}
"""Facts for each kind, beyond name, summary and origin; other kinds have their plain fields."""


def _fields(kind: type) -> list[Facts]:
    """List the fields that a task file may set."""
    from gridworld.task.attrs_schema import Definitions

    schemas, required = Definitions({}, {}).fields(kind)
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


MOST_CHOICES = 20
"""Maximum number of choices listed in full."""
LIMITS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}


COLUMNS = {
    "arguments": {"name": "Argument", "type": "Type", "default": "Default"},
    "fields": {"name": "Field", "accepts": "Accepts", "default": "Default"},
    "parameters": {"name": "Parameter", "accepts": "Accepts", "default": "Default"},
    "provides": {"kind": "Kind", "name": "Name", "summary": "Summary"},
}
"""Facts shown as tables, with the headings of their columns."""


LITERAL = re.compile(r"``(.+?)``", re.DOTALL)

PROSE = ("type", "accepts", "default", "summary")
"""Columns that wrap."""

SHOWN_APART = ("kind", "name", "documentation")
"""Facts shown in the title or at the end."""


@command(plugins="loaded")
def show_plugin(
    name: str = argument(REQUIRED, "A plugin, its distribution, or the name of what it provides.", metavar="NAME"),
    as_json: AsJson = False,
) -> None:
    """Show where a plugin or a provided object comes from, its arguments and documentation.

    Models, backends, observers and the like are imported to list their constructor's arguments.
    """
    found = _find(name)
    if as_json:
        echo_json(found)
    else:
        _print_found(found)


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
        "plugins": [plugin_facts(registry, each) for each in plugins],
        "provided": [provided_facts(registry, kind, each) for kind, each in things],
    }


def _print_found(found: dict[str, list[Facts]]) -> None:
    for plugin in found["plugins"]:
        _print_facts(f"plugin {plugin['distribution']}/{plugin['entry_point']}", plugin)
    for thing in found["provided"]:
        _print_facts(f"{thing['kind']} {thing['name']}", thing)


def _print_facts(title: str, facts: Facts) -> None:
    """Print short facts as a list, then tables and documentation; empty facts are left out."""
    echo(styled(visible_line(title), bold=True))
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
