"""Kits that try examples on the stage, and examples that are derived from a plugin's attrs class.

The JSON Schema of the class says what each field accepts. A field with a default is omitted or varied; a required one
gets a value that its schema allows. The plugin itself decides which of the entries are valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import islice, product
from typing import Any, ClassVar

from gridworld.task.attrs_schema import Definitions, Schema
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import Conformance, Entry, Undecided, calling
from gridworld.testing.stage import COMPANION_IDS, ENTRY_CELLS, every_topology
from gridworld.world import World, compile_world

MAX_TRIES = 1000
"""Maximum number of entries."""
MAX_CHOICES = 3
"""Maximum number of enumeration values to try for a field."""
LEFT_OUT = object()
"""Marks a field that is omitted from an entry."""


class ExampleConformance(Conformance):
    """A kit that tries each example on the stage (`gridworld.testing.stage`), on every installed tiling."""

    examples: ClassVar[Sequence[Entry]] = ()
    """Entries as in a task file, within the cells (1, 1) to (6, 4); by default they are derived from the fields."""

    _derived: ClassVar[tuple[Any, list[Entry]]] = (None, [])

    def task_with(self, entry: Entry, **rules: Any) -> TaskSpecification:
        """Return the task in which an example is tested; override it for examples that do not fit the stage."""
        raise NotImplementedError

    def derive(self, item: Any) -> list[Entry]:
        """Return examples of the object under test."""
        raise NotImplementedError

    def entries(self) -> list[Entry]:
        """Return the examples, given or derived; these are derived once per kit.

        Raises:
            Undecided: no example is given and none can be derived.
        """
        if self.examples:
            return list(self.examples)
        kit, item = type(self), self.resolve()
        if "_derived" not in vars(kit) or kit._derived[0] is not item:
            kit._derived = (item, self.derive(item))
        return deepcopy(kit._derived[1])

    def tasks(self) -> list[TaskSpecification]:
        """Return one task for each example."""
        return [self.task_with(entry) for entry in self.entries()]

    def worlds(self) -> Iterator[World]:
        """Yield the task of each example, compiled on every installed tiling."""
        for task in self.tasks():
            for topology in every_topology(*task.maze.dimensions):
                with calling(f"compiling '{task.task_id}' on {topology.name}"):
                    world = compile_world(task, topology)
                yield world


def derive_entries(kind: type) -> Iterator[dict[str, Any]]:
    """Yield candidate entries of an attrs class, the simplest first; some may be invalid.

    Raises:
        Undecided: a required field has a schema from which no value can be made.
    """
    schemas, required = Definitions({}, {}).fields(kind)
    cells = iter([list(cell) for cell in ENTRY_CELLS])  # so that no two fields hold the same cell
    choices: dict[str, list[Any]] = {}
    for name, schema in schemas.items():
        made = ["example"] if name == "id" else _values(schema, cells)
        if name not in required:
            made = [LEFT_OUT, *(value for value in made if value != schema.get("default", LEFT_OUT))]
        elif not made:
            raise Undecided(
                f"no example can be made: the schema of the required field `{name}` is not enough ({schema}); "
                "subclass the kit in your tests and set `examples`"
            )
        choices[name] = made
    for values in islice(product(*choices.values()), MAX_TRIES):
        yield {name: value for name, value in zip(choices, values, strict=True) if value is not LEFT_OUT}


def _values(schema: Schema, cells: Iterator[list[int]]) -> list[Any]:
    """Return some values that a schema accepts; none for an unsupported schema."""
    if "enum" in schema:
        return list(schema["enum"])[:MAX_CHOICES]
    if schema.get("$ref") == "#/$defs/Position":
        return list(islice(cells, 1))
    if "anyOf" in schema:
        return [value for each in schema["anyOf"] for value in _values(each, cells)]
    if "allOf" in schema:
        return min((_values(each, cells) for each in schema["allOf"]), key=len)
    if "prefixItems" in schema:
        return [list(values) for values in product(*(_values(each, cells)[:1] for each in schema["prefixItems"]))]
    if "items" in schema:
        return [[], *([value] for value in _values(schema["items"], cells))]
    named, least = schema.get("type", []), schema.get("minimum", 1)
    numbers = [least, least + 1]
    plain = {"string": [*COMPANION_IDS, "red"], "integer": numbers, "number": numbers, "boolean": [False, True]}
    return [value for name in ([named] if isinstance(named, str) else named) for value in plain.get(name, [])]


def telling(entries: Iterable[Entry], count: int) -> list[Entry]:
    """Return at most `count` entries, in order, each with a field value that no earlier entry has."""
    chosen: list[Entry] = []
    known: set[tuple[str, str]] = set()
    for entry in entries:
        pairs = {(name, repr(value)) for name, value in entry.items()}
        if not pairs <= known and len(chosen) < count:
            chosen.append(entry)
            known |= pairs
    return chosen
