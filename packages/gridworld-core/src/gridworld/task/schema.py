"""JSON Schema of the task format, built from the attrs specifications and given mechanism and goal types.

It accepts what `gridworld.task.reading` reads, older formats included, within the ranges of
`gridworld.task.validation`. It differs from the reader in these points:

- It accepts ``7.0`` as an integer, ids that no mechanism has, invalid Unicode and duplicate keys.
- It accepts any ``color`` of a door, which only older files have; the reader requires the value of ``requires_key``.
- It accepts names of colours in lower case only.
- It accepts a qualified name only in the spelling of ``multinet plugins list``, in its shortest unambiguous form.
- It does not include checks by a plugin's own code (`gridworld.task.attrs_schema`).
"""

from __future__ import annotations

from inspect import getdoc
from typing import Any

from gridworld.task.attrs_schema import Definitions, Schema, closed_object, or_null
from gridworld.task.catalogs import Catalogs, NamedTypes
from gridworld.task.validation import GOAL_FIELDS, MAX_SIDE, MAX_STEPS, MAX_VIEW_SIZE, MIN_SIDE, MIN_VIEW_SIZE
from gridworld.task_spec import DependencyChain, GoalSpec, MazeLayout, MechanismSet, Rules, TaskSpecification

DIALECT = "https://json-schema.org/draft/2020-12/schema"
OPTIONAL_PARTS = ("mechanisms", "rules", "dependency_chain", "distractors", "metadata")
"""Parts of a task that may be null."""

UNUSED: dict[str, Schema] = {
    "target": {"type": "null"},
    "target_ids": {"type": "array", "maxItems": 0},
    "target_positions": {"type": "array", "maxItems": 0},
}
"""Schemas of common goal fields that a goal type does not use."""

LIMITS: dict[tuple[type, str], Schema] = {
    (TaskSpecification, "difficulty_tier"): {"minimum": 1},
    (TaskSpecification, "max_steps"): {"minimum": 1, "maximum": MAX_STEPS},
    (MazeLayout, "dimensions"): {
        "description": f"[width, height] in lattice cells, border included, {MIN_SIDE} to {MAX_SIDE} each.",
        "prefixItems": [{"type": "integer", "minimum": MIN_SIDE, "maximum": MAX_SIDE}] * 2,
    },
    (Rules, "view_size"): {
        "description": "An odd number.",
        "minimum": MIN_VIEW_SIZE,
        "maximum": MAX_VIEW_SIZE,
        "not": {"multipleOf": 2},
    },
    (DependencyChain, "depth"): {"minimum": 0},
}
"""Ranges required by validation."""


def task_schema(catalogs: Catalogs) -> dict[str, Any]:
    """Make the JSON Schema (draft 2020-12) of task files with the given mechanism and goal types."""
    parts = {MechanismSet: "mechanisms", MazeLayout: "maze", GoalSpec: "goal"}
    definitions = Definitions({kind: {"$ref": f"#/$defs/{name}"} for kind, name in parts.items()}, LIMITS)
    definitions.define("mechanisms", _mechanisms(definitions, catalogs.mechanisms))
    definitions.define("maze", _maze(definitions))
    definitions.define("goal", _goal(definitions, catalogs.goals))
    task = definitions.define("task", _task(definitions))
    return {
        "$schema": DIALECT,
        "title": "A task of multinet-gridworld",
        "if": {"type": "object", "required": ["TaskSpecification"]},
        "then": closed_object({"TaskSpecification": task, "$schema": {}}, ["TaskSpecification"]),
        "else": task,
        "$defs": definitions.schemas,
    }


def _task(definitions: Definitions) -> Schema:
    properties, required = definitions.fields(TaskSpecification)
    properties |= {name: or_null(properties[name]) for name in OPTIONAL_PARTS}
    mechanisms_in_the_maze = {
        "required": ["layout"],
        "anyOf": [{"required": ["mechanisms"]}, {"properties": {"layout": {"required": ["mechanisms"]}}}],
    }
    return {
        **closed_object(properties | {"$schema": {"deprecated": True}}, required, getdoc(TaskSpecification) or ""),
        "if": {"properties": {"maze": mechanisms_in_the_maze}},
        "then": {"properties": {"mechanisms": {"type": "null"}}},
    }


def _maze(definitions: Definitions) -> Schema:
    """Make the schema of the maze; in older files, ``maze.layout`` may hold its fields and the mechanisms."""
    properties, required = definitions.fields(MazeLayout)
    description = getdoc(MazeLayout) or ""
    further = properties | {"mechanisms": {"$ref": "#/$defs/mechanisms"}}
    layout = closed_object({name: {} for name in further}, [])
    in_either = [
        {"anyOf": [{"required": [name]}, {"properties": {"layout": _with(name, schema, name in required)}}]}
        for name, schema in further.items()
    ]
    return {
        "if": {"required": ["layout"]},
        "then": {**closed_object(further | {"layout": layout}, ["layout"], description), "allOf": in_either},
        "else": closed_object(properties, required, description),
    }


def _with(name: str, schema: Schema, required: bool) -> Schema:
    return {"properties": {name: schema}, "required": [name] if required else []}


def _mechanisms(definitions: Definitions, catalog: NamedTypes) -> Schema:
    entries = {
        name: {
            "description": mechanism.summary,
            "type": "array",
            "items": definitions.refer(mechanism.spec),
        }
        for names, mechanism in catalog.entries()
        for name in names
    }
    if "doors" in entries:  # older files give doors a ``color`` beside ``requires_key``
        door = definitions.schemas[definitions.name_of(catalog.get("doors").spec)]
        color = {**door["properties"].get("requires_key", {}), "deprecated": True}
        door["properties"] = {**door["properties"], "color": door["properties"].get("color", color)}
    plain_first = sorted(entries.items(), key=lambda entry: ("/" in entry[0], entry[0]))
    return closed_object(dict(plain_first), [], "The mechanisms of a task, by mechanism type.")


def _goal(definitions: Definitions, catalog: NamedTypes) -> Schema:
    """Make the schema of the goal, whose type determines its fields; older files call the type ``goal_type``."""
    every_name = (name for names, _ in catalog.entries() for name in names)
    names = sorted(every_name, key=lambda name: ("/" in name, name))
    return {
        "description": getdoc(GoalSpec) or "",
        "type": "object",
        "properties": {"type": {"enum": names}, "goal_type": {"enum": names}},
        "oneOf": [{"required": ["type"]}, {"required": ["goal_type"]}],
        "allOf": [_goal_of_type(definitions, goal, names) for names, goal in catalog.entries()],
    }


def _goal_of_type(definitions: Definitions, goal: Any, names: tuple[str, ...]) -> Schema:
    common, _ = definitions.fields(GoalSpec)
    used = {name: common[name] if name in goal.fields else UNUSED[name] for name in GOAL_FIELDS}
    own, required = definitions.fields(goal.parameters) if goal.parameters else ({}, [])
    older: dict[str, Schema] = {"goal_type": {}, "auxiliary_conditions": {"enum": [[], None]}}
    named = [{"properties": {field: {"enum": list(names)}}, "required": [field]} for field in ("type", "goal_type")]
    return {
        "if": {"anyOf": named},
        "then": closed_object({"type": {}, **used, **own, **older}, required, goal.summary),
    }
