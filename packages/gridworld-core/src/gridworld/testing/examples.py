"""Example task file entries, derived from a plugin's attrs class.

The JSON Schema of the class says what each field accepts. A field with a default is omitted or varied; a required one
gets a value that its schema allows. The plugin itself decides which of the entries are valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, product
from typing import Any

from gridworld.task.attrs_schema import Definitions, Schema
from gridworld.testing.conformance import NeedsExamples
from gridworld.testing.stage import COMPANION_IDS, ENTRY_CELLS

__all__ = ["derive_entries", "telling"]

MAX_TRIES = 1000
"""Maximum number of entries."""
MAX_CHOICES = 3
"""Maximum number of enumeration values to try for a field."""

LEFT_OUT = object()
"""Marks a field that is omitted from an entry."""


def derive_entries(kind: type) -> Iterator[dict[str, Any]]:
    """Yield candidate entries of an attrs class, the simplest first; some may be invalid.

    Raises:
        NeedsExamples: a required field has a schema from which no value can be made.
    """
    schemas, required = Definitions({}, {}).fields(kind)
    maker = _Maker()
    choices = {name: _choices(maker, name, schema, name in required) for name, schema in schemas.items()}
    for values in islice(product(*choices.values()), MAX_TRIES):
        yield {name: value for name, value in zip(choices, values, strict=True) if value is not LEFT_OUT}


def _choices(maker: _Maker, name: str, schema: Schema, required: bool) -> list[Any]:
    if name == "id":
        return ["example"]
    made = maker.values(schema)
    if required and not made:
        raise NeedsExamples(
            f"no example can be made: the schema of the required field `{name}` is not enough ({schema})",
            "subclass the kit in your tests and set `examples`",
        )
    return made if required else [LEFT_OUT, *(value for value in made if value != schema.get("default", LEFT_OUT))]


class _Maker:
    """Makes values that a schema accepts; never repeats a lattice cell."""

    def __init__(self) -> None:
        self._cells = iter([list(cell) for cell in ENTRY_CELLS])

    def values(self, schema: Schema) -> list[Any]:
        """Return some values that a schema accepts; empty for an unsupported schema."""
        if "enum" in schema:
            return list(schema["enum"])[:MAX_CHOICES]
        if schema.get("$ref") == "#/$defs/Position":
            return list(islice(self._cells, 1))
        if "anyOf" in schema:
            return [value for each in schema["anyOf"] for value in self.values(each)]
        if "allOf" in schema:
            return min((self.values(each) for each in schema["allOf"]), key=len)
        named = schema.get("type", [])
        return [value for name in ([named] if isinstance(named, str) else named) for value in PLAIN[name](self, schema)]

    def numbers(self, schema: Schema) -> list[Any]:
        """Return the smallest number that the schema allows, and the next."""
        least = schema.get("minimum", 1)
        return [least, least + 1]

    def lists(self, schema: Schema) -> list[Any]:
        """Return lists with one item, and the empty list if the schema allows it."""
        if "prefixItems" in schema:
            columns = [self.values(each)[:1] for each in schema["prefixItems"]]
            return [list(values) for values in product(*columns)]
        return [[], *([value] for value in self.values(schema["items"]))]


PLAIN: dict[str, Callable[[_Maker, Schema], list[Any]]] = {
    "string": lambda maker, schema: [*COMPANION_IDS, "red"],
    "integer": _Maker.numbers,
    "number": _Maker.numbers,
    "boolean": lambda maker, schema: [False, True],
    "null": lambda maker, schema: [],
    "array": _Maker.lists,
    "object": lambda maker, schema: [],
}


def telling(entries: Iterable[Mapping[str, Any]], count: int) -> list[Mapping[str, Any]]:
    """Return at most `count` entries, in order, each with a field value that no earlier entry has."""
    chosen: list[Mapping[str, Any]] = []
    known: set[tuple[str, str]] = set()
    for entry in entries:
        pairs = {(name, repr(value)) for name, value in entry.items()}
        if not pairs <= known and len(chosen) < count:
            chosen.append(entry)
            known |= pairs
    return chosen
