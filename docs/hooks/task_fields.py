"""The tables of a task file's fields, made from its JSON Schema."""

import json
from collections.abc import Iterator
from typing import Any

from gridworld.plugins import get_registry
from gridworld.task.colors import ANY_COLORS, COLOR_NAMES
from gridworld.task.schema import task_schema

__all__ = ["field_tables", "schema_text"]

POINTER = "#/$defs/"
WORDS = {
    "Position": "`[x, y]`",
    "maze": "[object](#maze)",
    "mechanisms": "object: mechanism type to a list of [entries](#mechanismsblocks)",
    "goal": "[object](#goal)",
    "gridworld.task_spec.Rules": "[object](#rules)",
    "gridworld.task_spec.DependencyChain": "[object](#dependency_chain)",
    "gridworld.task_spec.DependencyStep": "[objects](#dependency_chainsequence)",
    "gridworld.task_spec.Distractor": "[objects](#distractors)",
}
SECTIONS = {
    "The task": "task",
    "maze": "maze",
    "rules": "gridworld.task_spec.Rules",
    "dependency_chain": "gridworld.task_spec.DependencyChain",
    "dependency_chain.sequence[]": "gridworld.task_spec.DependencyStep",
    "distractors[]": "gridworld.task_spec.Distractor",
}


def schema_text() -> str:
    """The schema as ``multinet tasks schema`` prints it."""
    return json.dumps(task_schema(get_registry()), indent=2) + "\n"


def field_tables() -> str:
    """A section for each part of a task file."""
    definitions = task_schema(get_registry())["$defs"]
    return "\n".join(_sections(definitions))


def _sections(definitions: dict[str, Any]) -> Iterator[str]:
    for heading, name in SECTIONS.items():
        schema = definitions[name].get("else", definitions[name]) if name == "maze" else definitions[name]
        yield f"### {_heading(heading)}\n\n{_prose(schema)}\n\n{_table(schema)}\n"
        if name == "maze":
            yield from _mechanisms(definitions)
            yield from _goals(definitions["goal"])


def _heading(text: str) -> str:
    return text if " " in text else f"`{text}`"


def _mechanisms(definitions: dict[str, Any]) -> Iterator[str]:
    for name, entry in definitions["mechanisms"]["properties"].items():
        if "/" not in name:
            schema = definitions[entry["items"]["$ref"].removeprefix(POINTER)]
            yield f"### `mechanisms.{name}[]`\n\n{entry['description']} {_prose(schema)}\n\n{_table(schema)}\n"


def _goals(goal: dict[str, Any]) -> Iterator[str]:
    yield "### `goal`\n\nWhat has to be achieved. `type` is required; which other fields there are depends on it.\n"
    yield "| `type` | fields | what has to be done |\n|---|---|---|"
    for branch in goal["allOf"]:
        name = branch["if"]["anyOf"][0]["properties"]["type"]["enum"][0]
        properties = branch["then"]["properties"].items()
        used = [f"`{field}`: {_kind(schema)}" for field, schema in properties if _usable(field, schema)]
        yield f"| `{name}` | {'<br>'.join(used) or 'none'} | {branch['then']['description']} |"
    yield ""


def _usable(field: str, schema: dict[str, Any]) -> bool:
    """Whether this goal type has the field at all; older spellings are left out."""
    empty = schema.get("type") == "null" or schema.get("maxItems") == 0
    return field not in ("type", "goal_type", "auxiliary_conditions") and not empty


def _prose(schema: dict[str, Any]) -> str:
    """The description, line breaks and doubled backticks undone."""
    paragraphs = schema.get("description", "").replace("``", "`").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _table(schema: dict[str, Any]) -> str:
    fields = {name: field for name, field in schema["properties"].items() if not field.get("deprecated")}
    rows = [_row(name, field, name in schema["required"]) for name, field in fields.items()]
    return "\n".join(["| field | value | default |", "|---|---|---|", *rows])


def _row(name: str, field: dict[str, Any], required: bool) -> str:
    described = f" {_prose(field)}" if field.get("description") else ""
    limit = f", at least {field['minimum']}" if "minimum" in field else ""
    default = "**required**" if required else _default(field)
    return f"| `{name}` | {_kind(field)}{limit}{'.' if described else ''}{described} | {default} |"


def _default(field: dict[str, Any]) -> str:
    return f"`{json.dumps(field['default'])}`" if "default" in field else ""


def _kind(schema: dict[str, Any]) -> str:
    """A few words for what a value has to be."""
    if "$ref" in schema:
        return WORDS[schema["$ref"].removeprefix(POINTER)]
    if set(ANY_COLORS) <= set(schema.get("enum", ())):
        return "a color name of CSS, such as " + ", ".join(f'`"{name}"`' for name in (*COLOR_NAMES, "white", "black"))
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"] if value != "gray")
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each) for each in schema["anyOf"]))
    kinds = schema.get("type", "anything")
    return " or ".join(_of_type(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _of_type(kind: str, schema: dict[str, Any]) -> str:
    if kind == "array":
        return f"list of {_kind(schema['items'])}" if schema.get("items") else "two integers"
    return "`null`" if kind == "null" else kind
