"""``multinet plugins``, ``list`` and ``show``: installed plugins, and all there is to tell of one."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import typer

from gridworld.errors import GridworldError, PluginFault, UnknownNameError
from gridworld.support.wording import listed, visible_line
from multinet_eval.cli.commands import (
    REQUIRED,
    DisablePlugin,
    PluginFile,
    StrictPlugins,
    argument,
    command,
    load_plugins,
)
from multinet_eval.cli.echo import echo, echo_json, styled
from multinet_eval.cli.options import AsJson
from multinet_eval.cli.table import Cell, Column, numeric, print_facts, print_table

if TYPE_CHECKING:
    from gridworld.plugins import PluginRecord, Provided, Registry


@command()
def list_plugins(
    context: typer.Context,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
    plugin_file: PluginFile = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """List every plugin: its distribution, version, entry point and what it provides, and the failures."""
    called = context.invoked_subcommand
    if called is None:
        load_plugins(disable_plugin, plugin_file, strict_plugins)
        _list(as_json)
    elif any(context.params.values()):  # an option in front of a subcommand would be lost
        raise typer.BadParameter(f"options of '{called}' go after it: multinet plugins {called} --help")


@command(plugins="loaded or fail")
def list_plugins_command(as_json: AsJson = False) -> None:
    """List every plugin: its distribution, version, entry point and what it provides, and the failures."""
    _list(as_json)


def _list(as_json: bool) -> None:
    from gridworld.plugins import get_registry

    registry = get_registry()
    if as_json:
        echo_json(_as_dict(registry))
    else:
        _print(registry)


def _as_dict(registry: Registry) -> dict[str, Any]:
    return {
        "plugins": [_record_dict(record) for record in registry.plugins],
        "conflicts": [
            {"kind": kind, "name": name, "providers": providers} for kind, name, providers in registry.conflicts()
        ],
        "renamed": [
            {"kind": kind, "name": each.given_name, "listed_as": each.item.name} for kind, each in registry.renamed()
        ],
    }


def _record_dict(record: PluginRecord) -> dict[str, Any]:
    plain = attrs.asdict(record, filter=attrs.filters.exclude("cost", "disabled_by", "file"))
    plain["provides"] = [{"kind": kind, "name": name} for kind, name in record.provides]
    plain |= cost_facts(record)
    if record.failure:
        plain["advice"] = _advice(record)
    return plain


def _advice(record: PluginRecord) -> dict[str, str]:
    return {
        "disable": f"--disable-plugin {record.distribution}",
        "uninstall": f"pip uninstall {record.distribution}",
    }


STYLES = {"loaded": "green", "disabled": "yellow", "failed": "red"}


def _print(registry: Registry) -> None:
    columns = [
        Column("Distribution"),
        Column("Version", 1),
        Column("Entry point"),
        Column("Status"),
        numeric("Load (ms)", 2),
        Column("Provides", prose=True),
    ]
    print_table(columns, [_cells(record) for record in registry.plugins])
    for record in registry.plugins:
        if record.cost.warning:
            echo(styled("slow to load", "yellow"), f": {record.qualified_name}: {record.cost.warning}")
    for record in registry.failures:
        _print_failure(record)
    for kind, name, providers in registry.conflicts():
        echo(
            styled("conflict", "red"),
            f": {kind} '{name}' is provided by {' and '.join(providers)}; write one of these to choose",
        )
    for kind, each in registry.renamed():
        echo(
            styled("renamed", "yellow"),
            f": {kind} '{each.given_name}' of {each.distribution} is called {each.item.name}, since "
            f"{registry.catalog(kind).provider(each.given_name).distribution} has a {kind} '{each.given_name}'",
        )


def _cells(record: PluginRecord) -> list[Cell]:
    taken = "" if record.status == "disabled" else f"{record.cost.milliseconds:.1f}"
    status = styled(record.status, STYLES[record.status])
    return [record.distribution, record.version, record.entry_point, status, taken, _provided(record)]


def _provided(record: PluginRecord) -> str:
    by_kind: dict[str, list[str]] = {}
    for kind, name in record.provides:
        by_kind.setdefault(kind, []).append(name)
    return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in by_kind.items())


def _print_failure(record: PluginRecord) -> None:
    assert record.failure is not None
    advice = _advice(record)
    title = f"{record.distribution} {record.version}, entry point {record.entry_point} ({record.module})"
    echo(styled("failed", "red"), f": {title}")
    echo(f"  phase: {record.failure.phase}")
    echo(f"  error: {record.failure.error}")
    if record.failure.place:
        echo(f"  at: {record.failure.place}")
    echo(f"  to disable it: {advice['disable']}  (or GRIDWORLD_DISABLE_PLUGINS={record.distribution})")
    echo(f"  to remove it:  {advice['uninstall']}")


Facts = dict[str, Any]


def cost_facts(record: PluginRecord) -> Facts:
    """What it took to load a plugin."""
    return {
        "load_ms": None if record.status == "disabled" else record.cost.milliseconds,
        "heavy_imports": list(record.cost.heavy),
        "warning": record.cost.warning,
    }


def plugin_facts(registry: Registry, record: PluginRecord) -> Facts:
    """Everything about one plugin."""
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
    """Where a module's source would be; nothing is imported to find out."""
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
    """The requirements of a distribution on the toolkit's distributions, as its metadata have them."""
    from importlib.metadata import distribution

    from gridworld.plugins.catalog import canonical_name
    from gridworld.plugins.known_plugins import TOOLKIT

    required = distribution(name).requires or []
    names = [re.split(r"[^\w.-]", text.strip(), maxsplit=1)[0] for text in required]
    return [text for text, each in zip(required, names, strict=True) if canonical_name(each) in TOOLKIT]


def thing_facts(registry: Registry, kind: str, provided: Provided[Any]) -> Facts:
    """Everything about one thing that a plugin provides."""
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
    """Something that is named by an import string, such as an executor. To know more of it, it is imported."""
    from gridworld.support.import_strings import load_object

    try:
        documentation, problem = inspect.getdoc(load_object(item.target)) or "", None
    except PluginFault as error:
        documentation, problem = "", str(error)
    return {"target": item.target, "import_error": problem, "documentation": documentation}


def _made_by_constructor(item: Any) -> Facts:
    """A model, backend, observer, generator or importer: what its constructor takes, too."""
    from gridworld.plugins.arguments import list_arguments
    from gridworld.support.import_strings import load_callable

    facts = _imported(item)
    try:
        taken = list_arguments(load_callable(item.target))
    except PluginFault as error:
        return {**facts, "import_error": str(error), "arguments": []}
    return {**facts, "arguments": [attrs.asdict(argument) for argument in taken]}


def _plain_fields(item: Any) -> Facts:
    """The fields of a descriptor that can be printed as they are."""
    fields = attrs.asdict(item, recurse=False)
    return {name: value for name, value in fields.items() if isinstance(value, str | int | float) and name not in TOLD}


TOLD = ("name", "summary")
"""What is told of everything."""


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
    from gridworld.suites.recipes import benchmark_recipes

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
    "command": _imported,
    "executor": _imported,
    "generator": _made_by_constructor,
    "goal": _goal,
    "importer": _made_by_constructor,
    "mechanism": _mechanism,
    "metric": _imported,
    "model": _made_by_constructor,
    "observer": _made_by_constructor,
    "page": _imported,
    "protocol": _made_by_constructor,
    "probe": _imported,
}
"""Kind to what there is to tell of one beyond its name, summary and origin, where that is not its plain fields."""


def _fields(kind: type) -> list[Facts]:
    """The fields that a task file may give."""
    from gridworld.task.attrs_schema import Definitions

    schemas, required = Definitions({}, {}).fields(kind)
    return [
        {"name": name, "accepts": _accepts(schema), "required": name in required, "default": schema.get("default")}
        for name, schema in schemas.items()
    ]


def _accepts(schema: Facts) -> str:
    """A schema in a few words."""
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
"""So many choices are told; of more, such as the colours of CSS, some."""
LIMITS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}


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


@command(plugins="loaded")
def show_plugin(
    name: str = argument(
        REQUIRED, "A distribution, a plugin (distribution/entry point), or something that is provided.", metavar="NAME"
    ),
    as_json: AsJson = False,
) -> None:
    """Show everything about a plugin or a provided thing: where it comes from, what it takes, what it does.

    Of a model, backend or observer, its constructor's arguments are listed; to know them, it is imported.
    """
    found = _find(name)
    if as_json:
        echo_json(found)
    else:
        _print_found(found)


def _find(name: str) -> dict[str, list[Facts]]:
    """All that has the name.

    Raises:
        UnknownNameError: nothing has it.
    """
    from gridworld.plugins import get_registry
    from gridworld.plugins.catalog import canonical_name
    from gridworld.plugins.known_plugins import advice_for_any_kind

    registry, canonical = get_registry(), canonical_name(name)
    plugins = [each for each in registry.plugins if canonical in (each.distribution, each.qualified_name)]
    things = [(catalog.kind, each) for catalog in registry.catalogs for each in catalog.meant_by(name)]
    if not plugins and not things:
        raise UnknownNameError("plugin or provided thing", name, _known(registry), advice_for_any_kind(name))
    return {
        "plugins": [plugin_facts(registry, each) for each in plugins],
        "provided": [thing_facts(registry, kind, each) for kind, each in things],
    }


def _known(registry: Registry) -> list[str]:
    distributions = {record.distribution for record in registry.plugins}
    return sorted(distributions.union(*(catalog.names() for catalog in registry.catalogs)))


def _print_found(found: dict[str, list[Facts]]) -> None:
    for plugin in found["plugins"]:
        _print_facts(f"plugin {plugin['distribution']}/{plugin['entry_point']}", plugin)
    for thing in found["provided"]:
        _print_facts(f"{thing['kind']} {thing['name']}", thing)


def _print_facts(title: str, facts: Facts) -> None:
    """The facts that fit a line as a list, then the tables, then the documentation; what is empty is left out."""
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
        literal_free = LITERAL.sub(r"'\1'", facts["documentation"])
        echo(f"\n{literal_free}")
    echo()


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {each}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _print_rows(headings: dict[str, str], rows: Iterable[Facts]) -> None:
    columns = [Column(heading, prose=key in PROSE) for key, heading in headings.items()]
    echo()
    print_table(columns, [[_cell(row, key) for key in headings] for row in rows])


def _cell(row: Facts, key: str) -> str:
    if key == "default" and row[key] is None:
        return "" if row.get("required") is False else "(required)"
    return str(row[key])
