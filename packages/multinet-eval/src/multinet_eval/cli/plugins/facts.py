"""What can be told of a plugin, and of each kind of thing that plugins provide; all of it can be printed as JSON."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.support.wording import listed

if TYPE_CHECKING:
    from gridworld.plugins import PluginRecord, Provided, Registry

__all__ = ["cost_facts", "plugin_facts", "thing_facts"]

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
        "file": _module_file(record.module.partition(":")[0]),
        "requires_core": _required_core(record.distribution),
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


def _required_core(name: str) -> list[str]:
    """What a distribution requires of the core, as its metadata have it."""
    from importlib.metadata import distribution

    from gridworld.plugins import CORE_DISTRIBUTION
    from gridworld.plugins.catalog import canonical_name

    required = distribution(name).requires or []
    names = [re.split(r"[^\w.-]", text.strip(), maxsplit=1)[0] for text in required]
    return [text for text, each in zip(required, names, strict=True) if canonical_name(each) == CORE_DISTRIBUTION]


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
    from gridworld.errors import PluginFault
    from gridworld.support.import_strings import load_object

    try:
        documentation, problem = inspect.getdoc(load_object(item.target)) or "", None
    except PluginFault as error:
        documentation, problem = "", str(error)
    return {"target": item.target, "import_error": problem, "documentation": documentation}


def _made_by_constructor(item: Any) -> Facts:
    """A model, backend, observer, generator or importer: what its constructor takes, too."""
    from gridworld.errors import PluginFault
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
    from gridworld.errors import GridworldError
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
