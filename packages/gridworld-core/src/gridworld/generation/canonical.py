"""Digests of tasks: the canonical form, equal for equivalent tasks, and the seal of a set of tasks.

Two tasks have the same canonical form if rotating and mirroring the lattice, renaming mechanisms and exchanging colours
turn one into the other. Budgets, ids, descriptions, metadata and seeds are ignored, as are dependency chains and
distractors, which only describe the task. On tilings other than squares most of these symmetries change how a task is
played, so there tasks of one form are close relatives, not duplicates. Mechanisms and goals declare which of their
fields hold directions, ids and colours (`gridworld.task.meanings`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import attrs

from gridworld.generation.budgets import is_timed
from gridworld.plugins import get_registry
from gridworld.task.meanings import DIRECTION_WORDS, ORDERED, Meaning, meaning_of
from gridworld.task_spec import GoalSpec, Position, TaskSpecification
from gridworld.world.square import DIRECTIONS

Symmetry = Callable[[Position], Position]
DIGEST_SIZE = 16


def canonical_form(task: TaskSpecification) -> str:
    """Return 32 hexadecimal digits, equal for equivalent tasks; raises `UnknownNameError` for an unknown goal type."""
    forms = [_Form(task, symmetry).text() for symmetry in _symmetries(*task.maze.dimensions)]
    return hashlib.blake2b(min(forms).encode(), digest_size=DIGEST_SIZE).hexdigest()


def _symmetries(width: int, height: int) -> Iterator[Symmetry]:
    """Yield the eight symmetries that map a rectangle to itself or to its transpose."""
    for columns in (range(width), range(width - 1, -1, -1)):
        for rows in (range(height), range(height - 1, -1, -1)):
            yield partial(_moved, columns, rows)
            yield partial(_transposed, columns, rows)


def _moved(columns: range, rows: range, cell: Position) -> Position:
    return Position(columns[cell.x], rows[cell.y])


def _transposed(columns: range, rows: range, cell: Position) -> Position:
    return Position(rows[cell.y], columns[cell.x])


class _Form:
    """A task under one symmetry, with mechanisms numbered by type and position, and colours by first occurrence."""

    def __init__(self, task: TaskSpecification, symmetry: Symmetry) -> None:
        self._task = task
        self._symmetry = symmetry
        self._colors: dict[str, int] = {}
        things = [(name, spec) for name, specs in task.mechanisms.groups() for spec in specs]
        self._things = sorted(things, key=lambda thing: (thing[0], self._places(thing[1])))
        self._number = {spec.id: number for number, (_, spec) in enumerate(self._things)}
        x, y = symmetry(Position(1, 1))
        ahead = [symmetry(Position(1 + dx, 1 + dy)) for dx, dy in DIRECTIONS]
        turned = [DIRECTIONS.index((cell.x - x, cell.y - y)) for cell in ahead]
        self._direction = dict(zip((*range(4), *DIRECTION_WORDS), turned * 2, strict=True))

    def text(self) -> str:
        """Return the task as a text without the ignored parts; the smallest text over all symmetries is canonical."""
        maze, steps = self._task.maze, self._task.max_steps if is_timed(self._task) else None
        corner = self._symmetry(Position(maze.width - 1, maze.height - 1))
        other = self._symmetry(Position(0, 0))
        sides = (abs(corner.x - other.x) + 1, abs(corner.y - other.y) + 1)
        walls = sorted(map(self._symmetry, maze.wall_cells()))
        things = [(name, self._fields(spec)) for name, spec in self._things]
        ends = (self._symmetry(maze.start), self._symmetry(maze.goal))
        return repr((sides, walls, ends, things, self._goal(self._task.goal), self._fields(self._task.rules), steps))

    def _places(self, spec: Any) -> list[Position]:
        values = attrs.asdict(spec, recurse=False).values()
        return [self._symmetry(value) for value in values if isinstance(value, Position)]

    def _fields(self, item: Any) -> list[Any]:
        return [self._value(getattr(item, each.name), each) for each in attrs.fields(type(item)) if each.name != "id"]

    def _goal(self, goal: GoalSpec) -> Any:
        ids = [self._plain(name, Meaning.REFERENCE) for name in goal.target_ids]
        places = [self._plain(place, None) for place in goal.target_positions]
        targets = sorted(zip(ids, places, strict=True)) if len(ids) == len(places) else (sorted(ids), sorted(places))
        parameters_class = get_registry().goals.get(goal.type).parameters
        fields = {} if parameters_class is None else attrs.fields_dict(parameters_class)
        parameters = sorted((name, self._value(value, fields.get(name))) for name, value in goal.parameters.items())
        return (goal.type, self._plain(goal.target, None), targets, parameters)

    def _value(self, value: Any, field: attrs.Attribute[Any] | None) -> Any:
        """Return the value of a field, with ids sorted unless the field is declared as ordered."""
        if field is None:
            return self._plain(value, None)
        meaning = meaning_of(field)
        plain = self._plain(value, meaning)
        unordered = meaning is Meaning.REFERENCE and isinstance(plain, list) and ORDERED not in field.metadata
        return sorted(plain, key=repr) if unordered else plain

    def _plain(self, value: Any, meaning: Meaning | None) -> Any:
        """Return a value with cells and directions transformed, and ids and colours replaced by numbers."""
        if isinstance(value, Position):
            return tuple(self._symmetry(value))
        if isinstance(value, tuple):
            return [self._plain(each, meaning) for each in value]
        if meaning is Meaning.DIRECTION:
            return self._direction.get(value, value)
        if meaning is Meaning.REFERENCE:
            return self._number.get(value, value)
        if meaning is Meaning.COLOR and value is not None:
            return ("color", self._colors.setdefault(value, len(self._colors)))
        return value


SEAL = re.compile(r"[0-9a-fA-F]{64}")


def seal(tasks: Iterable[TaskSpecification]) -> str:
    """Return the SHA-256 digest of the contents of tasks, certificates included: 64 hexadecimal digits.

    The seal proves that tasks are the announced ones. It ignores file names, their order and JSON formatting.
    """
    contents = sorted(json.dumps(task.to_dict(), sort_keys=True, ensure_ascii=True) for task in tasks)
    return hashlib.sha256("\n".join(contents).encode("ascii")).hexdigest()


def is_seal(text: str) -> bool:
    """Whether a text has the form of a seal."""
    return SEAL.fullmatch(text) is not None
