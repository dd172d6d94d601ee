"""JSON Schemas of attrs classes, matching how `gridworld.task.reading` reads them.

A schema reflects annotations, known converters and known validators. Custom converters and validators are ignored, so
the schema may accept more than the reader does.
"""

import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import product
from typing import Any, Literal, Union, get_args, get_origin
from urllib.parse import quote

import attrs

from gridworld.task.colors import (
    ANY_COLORS,
    COLOR_NAMES,
    parse_any_color,
    parse_color,
    parse_optional_any_color,
    parse_optional_color,
)
from gridworld.task.meanings import DIRECTION_WORDS, parse_direction
from gridworld.task_spec import OneOf, Position

Schema = dict[str, Any]
"""A JSON Schema or a subschema."""

NOTES: Schema = {"^(_|x-)": {}}
"""Keys that a reader ignores (`gridworld.task.older_files.is_leftover`)."""
COLOR: Schema = {"enum": [*COLOR_NAMES, "gray"]}
ANY_COLOR: Schema = {"enum": sorted({*ANY_COLORS, *(name.replace("grey", "gray") for name in ANY_COLORS)})}
POSITION: Schema = {
    "description": "A lattice cell; (0, 0) is the top left one, x grows to the right and y downwards.",
    "anyOf": [
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}], "items": False, "minItems": 2},
        {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
            "required": ["x", "y"],
            "patternProperties": NOTES,
            "additionalProperties": False,
        },
    ],
}
POSITION_REFERENCE: Schema = {"$ref": "#/$defs/Position"}
SCALARS: dict[Any, Schema] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    type(None): {"type": "null"},
}
CONVERTERS: dict[Any, Schema] = {
    parse_color: COLOR,
    parse_optional_color: {"enum": [*COLOR["enum"], None]},
    parse_any_color: ANY_COLOR,
    parse_optional_any_color: {"enum": [*ANY_COLOR["enum"], None]},
    parse_direction: {"enum": [*range(len(DIRECTION_WORDS)), *DIRECTION_WORDS]},
}
"""Schemas of known converters."""
OPERATORS = {">=": "minimum", ">": "exclusiveMinimum", "<=": "maximum", "<": "exclusiveMaximum"}


class Definitions:
    """Schemas of attrs classes, each made once; `schemas` becomes the ``$defs`` of the document.

    Args:
        special: types with hand-written schemas.
        limits: keywords by (class, field) that override the keywords of the field's type.
    """

    def __init__(self, special: Mapping[Any, Schema], limits: Mapping[tuple[type, str], Schema]) -> None:
        self.schemas: dict[str, Schema] = {"Position": POSITION}
        self._special = {**SCALARS, Position: POSITION_REFERENCE, Any: {}, **special}
        self._limits = limits

    def refer(self, kind: Any) -> Schema:
        """Return a reference to the definition of an attrs class, made on first use."""
        name = self.name_of(kind)
        if name not in self.schemas:
            self.schemas[name] = {}  # a placeholder, for a class that contains itself
            description = inspect.cleandoc(kind.__doc__ or "")
            self.schemas[name] = closed_object(*self.fields(kind), description=description)
        return {"$ref": f"#/$defs/{quote(name)}"}

    @staticmethod
    def name_of(kind: Any) -> str:
        """Return the name of the definition of an attrs class."""
        return f"{kind.__module__}.{kind.__qualname__}"

    def define(self, name: str, schema: Schema) -> Schema:
        """Add a definition under the given name, and return a reference to it."""
        self.schemas[name] = schema
        return {"$ref": f"#/$defs/{quote(name)}"}

    def fields(self, kind: Any) -> tuple[dict[str, Schema], list[str]]:
        """Return the schemas of a class's fields by name, and the names of required fields."""
        listed = attrs.fields(attrs.resolve_types(kind))
        schemas = {field.name: self._field(kind, field) for field in listed}
        return schemas, [field.name for field in listed if field.default is attrs.NOTHING]

    def _field(self, kind: Any, field: "attrs.Attribute[Any]") -> Schema:
        schema = self.of(field.type)
        if field.converter in CONVERTERS:
            schema = CONVERTERS[field.converter]
        elif field.validator is not None:
            schema = _both(schema, _validated(field.validator))
        schema = {**schema, **self._limits.get((kind, field.name), {})}
        return {**schema, "default": field.default} if type(field.default) in (str, int, bool) else schema

    def of(self, kind: Any) -> Schema:
        """Return the schema of an annotation; ``{}``, which accepts anything, for an unknown annotation."""
        if kind in self._special:
            return self._special[kind]
        if attrs.has(kind):
            return self.refer(kind)
        make = ORIGINS.get(get_origin(kind))
        return make(self, get_args(kind)) if make else {}


def closed_object(properties: Mapping[str, Schema], required: Iterable[str], description: str = "") -> Schema:
    """Make the schema of an object with only the given properties, and notes."""
    described = {"description": description} if description else {}
    return {
        **described,
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "patternProperties": NOTES,
        "additionalProperties": False,
    }


def or_null(schema: Schema) -> Schema:
    """Make a schema that also accepts null."""
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]} if schema else {}


def _both(first: Schema, second: Schema) -> Schema:
    if "enum" in second:
        return second if "enum" not in first else {"allOf": [first, second]}
    return {"allOf": [first, second]} if first.keys() & second.keys() else {**first, **second}


def _tuple(definitions: Definitions, types_in: tuple[Any, ...]) -> Schema:
    if len(types_in) == 2 and types_in[1] is Ellipsis:
        return {"type": "array", "items": definitions.of(types_in[0])}
    places = [definitions.of(each) for each in types_in]
    return {"type": "array", "prefixItems": places, "items": False, "minItems": len(places)}


def _mapping(definitions: Definitions, types_in: tuple[Any, ...]) -> Schema:
    return {"type": "object", "additionalProperties": definitions.of(types_in[1])}


def _union(definitions: Definitions, types_in: tuple[Any, ...]) -> Schema:
    others = [definitions.of(each) for each in types_in if each is not type(None)]
    schema = others[0] if len(others) == 1 else {"anyOf": others}
    return or_null(schema) if type(None) in types_in else schema


ORIGINS: dict[Any, Callable[[Definitions, tuple[Any, ...]], Schema]] = {
    tuple: _tuple,
    list: lambda definitions, types_in: {"type": "array", "items": definitions.of(types_in[0])},
    dict: _mapping,
    Mapping: _mapping,
    Literal: lambda definitions, choices: {"enum": list(choices)},
    Union: _union,
    types.UnionType: _union,
}


def _validated(validator: Any) -> Schema:
    """Return the schema constraints that a known validator imposes."""
    make = VALIDATORS.get(type(validator))
    return make(validator) if make else {}


def _all(validator: Any) -> Schema:
    schema: Schema = {}
    for each in validator._validators:
        schema = _both(schema, _validated(each))
    return schema


def _among(validator: Any) -> Schema:
    options = validator.options
    choices = sorted(options, key=str) if isinstance(options, Set) else list(options)
    return {"enum": choices} if all(type(each) in SCALARS for each in choices) else {}


_validators = attrs.validators
VALIDATORS: dict[type, Callable[[Any], Schema]] = {
    OneOf: lambda validator: {"enum": list(validator.choices)},
    type(_validators.in_(())): _among,
    type(_validators.and_()): _all,
    type(_validators.optional(OneOf(()))): lambda validator: or_null(_validated(validator.validator)),
    type(_validators.ge(0)): lambda validator: {OPERATORS[validator.compare_op]: validator.bound},
    type(_validators.min_len(0)): lambda validator: dict.fromkeys(("minItems", "minLength"), validator.min_length),
    type(_validators.max_len(0)): lambda validator: dict.fromkeys(("maxItems", "maxLength"), validator.max_length),
    type(_validators.deep_iterable(OneOf(()))): lambda validator: {"items": _validated(validator.member_validator)},
}
"""Schema constraints by class of validator; attrs has no public names for these classes."""


SAMPLE_COLOR = "blue"
"""Colour of sample entries that can have any of the six."""
MOST_ENTRIES = 500
"""Maximum number of sample entries per type."""


@attrs.frozen
class Entry:
    """A sample entry of a task file."""

    spec: Any
    fields: dict[str, Any]
    """Its values of the fields with few choices, and its colour."""
    color_field: str | None
    """The field that can have any of the six colours; None if the entry has none."""


class Entries:
    """Sample entries of a mechanism type that differ in the fields with few choices.

    Args:
        kind: the attrs class of the entries.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        defaults = {field.name: field.default for field in attrs.fields(kind)}
        schemas, required = Definitions({}, {}).fields(kind)
        self._choices: dict[str, list[Any]] = {}
        self._color_field: str | None = None
        for name, schema in schemas.items():
            choices = list(_few_choices(schema))
            if set(COLOR_NAMES) <= {each for each in choices if isinstance(each, str)}:
                self._color_field = name
            elif choices:
                self._choices[name] = sorted(choices, key=lambda choice: choice != defaults[name])
        self.position_fields = tuple(name for name in required if schemas[name] == POSITION_REFERENCE)
        """Names of the required fields that hold a lattice cell."""

    def listed(self) -> Iterator[Entry]:
        """Yield up to `MOST_ENTRIES` entries, the most common first; none if the class requires other fields."""
        color = {} if self._color_field is None else {self._color_field: SAMPLE_COLOR}
        places = dict.fromkeys(self.position_fields, Position(0, 0))
        combinations = product(*self._choices.values())
        for values, _ in zip(combinations, range(MOST_ENTRIES), strict=False):
            fields = dict(zip(self._choices, values, strict=True))
            try:
                spec = self._kind(id="x", **places, **fields, **color)
            except (TypeError, ValueError):
                return
            yield Entry(spec, {**fields, **color}, self._color_field)


def _few_choices(schema: Schema) -> Iterator[Any]:
    """Yield the values of a field with few choices: the values of an enumeration, both booleans, null."""
    for option in schema.get("anyOf", [schema]):
        if "enum" in option:
            yield from option["enum"]
        elif option.get("type") == "boolean":
            yield from (True, False)
        elif option.get("type") == "null":
            yield None
