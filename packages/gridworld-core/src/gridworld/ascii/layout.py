"""The lines of a drawing: its settings, the map and the legend, each with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import attrs

from gridworld.ascii.legend import LegendError, SaidThing, is_legend, read_legend
from gridworld.errors import Problem
from gridworld.observations.character_map import FIXED_LEGEND, UNSEEN, WALL
from gridworld.support.suggestions import nearest_hint
from gridworld.task_spec import Position, TaskSpecification

__all__ = ["NAMES", "TEXTS", "Layout", "Meaningful", "Place", "Setting", "read_layout"]

NAMES = {
    "task": "task_id",
    "tier": "difficulty_tier",
    "budget": "max_steps",
    "goal": "goal.type",
    "observability": "rules.observability",
}
"""The names that ``multinet tasks show`` uses for fields of a task file."""
TEXTS = ("task_id", "version", "description", "goal.type", "rules.observability", "rules.switch_type")
"""Fields that are texts, so that what they are set to need not be JSON."""
TOLD_ELSEWHERE = ("mission", "size", "mechanisms", "hidden", "dependency chain", "distractors")
"""What ``multinet tasks show`` tells that follows from the rest, or is too short to be read."""
FIELDS = tuple(field.name for field in attrs.fields(TaskSpecification))
COMMENT = ";"
SETTING = re.compile(r"(?P<name>[A-Za-z_$][\w.$-]*(?: [a-z]+)?)\s*:(?:\s+|$)(?P<value>.*)")
FACT = re.compile(r"  (?P<name>[a-z]+(?: [a-z]+)?) {2,}(?P<value>\S.*)")
CONTINUED = re.compile(r" {8,}(?P<value>\S.*)")
SENTENCES = "You are at column "
"""How the part of the text view begins that says all once more."""
EXPECTED = (
    "expected 'name: value', a row of the map, which begins with '#', or a line of the legend such as 'A = red key'"
)


@attrs.frozen
class Place:
    """A place in a text; both numbers count from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


@attrs.frozen
class Setting:
    """What a field is set to."""

    place: Place
    value: Any


@attrs.frozen
class Meaningful:
    """What a character of the map stands for."""

    place: Place
    things: tuple[SaidThing, ...]

    def place_of(self, column: int) -> Place:
        """A place in the line."""
        return attrs.evolve(self.place, column=column)


@attrs.define
class Layout:
    """The parts of a drawing."""

    settings: dict[str, Setting] = attrs.Factory(dict)
    """Path of a field to what it is set to."""
    rows: list[str] = attrs.Factory(list)
    first_row: Place = Place(1, 1)
    """Where the top left cell is."""
    legend: dict[str, Meaningful] = attrs.Factory(dict)
    problems: list[Problem] = attrs.Factory(list)

    def place_of(self, cell: Position) -> Place:
        """Where a cell is in the text."""
        return Place(self.first_row.line + cell.y, self.first_row.column + cell.x)

    def report(self, place: Place, message: str) -> None:
        """Note something that is wrong."""
        self.problems.append(Problem(str(place), message))


def read_layout(text: str) -> Layout:
    """Take a drawing apart; what is not understood is among the problems."""
    return _Lines(text).read()


class _Lines:
    """Goes through the lines of a drawing."""

    def __init__(self, text: str) -> None:
        self._lines = [line.rstrip() for line in text.removeprefix("\ufeff").splitlines()]
        self._layout = Layout()
        self._last_fact: str | None = None

    def read(self) -> Layout:
        numbered = enumerate(self._lines, start=1)
        for number, line in numbered:
            if line.startswith(SENTENCES):
                break
            fact, self._last_fact = self._last_fact, None
            if not line or line.lstrip().startswith(COMMENT):
                continue
            if is_legend(line):
                self._read_legend(number, line)
            elif line.lstrip().startswith((WALL, UNSEEN)):
                self._read_map(number, line, numbered)
            elif not self._read_setting(number, line, fact):
                self._layout.report(Place(number, len(line) - len(line.lstrip()) + 1), EXPECTED)
        if not self._layout.rows and not self._layout.problems:
            self._layout.report(Place(len(self._lines) or 1, 1), f"there is no map; its rows begin with '{WALL}'")
        return self._layout

    def _read_legend(self, number: int, line: str) -> None:
        character, _, meaning = line.strip().partition(" = ")
        if FIXED_LEGEND.get(character) == meaning.strip():
            return
        try:
            character, things = read_legend(line)
        except LegendError as error:
            self._layout.report(Place(number, error.column), str(error))
            return
        if character in self._layout.legend:
            first = self._layout.legend[character].place.line
            self._layout.report(Place(number, line.index(character) + 1), f"'{character}' is explained in line {first}")
            return
        self._layout.legend[character] = Meaningful(Place(number, line.index(character) + 1), tuple(things))

    def _read_map(self, number: int, line: str, rest: Iterator[tuple[int, str]]) -> None:
        if self._layout.rows:
            self._layout.report(Place(number, 1), f"there is a map in line {self._layout.first_row.line} already")
            return
        indent = len(line) - len(line.lstrip())
        self._layout.first_row = Place(number, indent + 1)
        self._layout.rows.append(line[indent:])
        width = len(line) - indent
        for below, row in rest:
            if not row or row.lstrip().startswith(COMMENT):
                break
            self._layout.rows.append(row[indent:])
            if len(row) - indent != width or row[:indent].strip():
                message = f"a row of {max(len(row) - indent, 0)} cells, expected {width} as in the first one"
                self._layout.report(Place(below, min(len(row), indent + width) + 1), message)

    def _read_setting(self, number: int, line: str, last_fact: str | None) -> bool:
        """Whether the line is one of a setting, or of the table of facts."""
        settings = self._layout.settings
        continued = CONTINUED.fullmatch(line)
        if last_fact is not None and continued is not None:
            self._last_fact = last_fact
            if last_fact in settings:
                longer = f"{settings[last_fact].value} {continued['value']}"
                settings[last_fact] = attrs.evolve(settings[last_fact], value=longer)
            return True
        fact = FACT.fullmatch(line)
        match = fact or SETTING.fullmatch(line)
        if match is None:
            return False
        path = NAMES.get(match["name"], match["name"])
        if fact is not None:
            self._last_fact = path
        if fact is None or fact["name"] not in TOLD_ELSEWHERE:
            self._set(path, match["value"], Place(number, match.start("value") + 1), Place(number, match.start() + 1))
        return True

    def _set(self, path: str, text: str, place: Place, start: Place) -> None:
        if path.partition(".")[0] not in FIELDS:
            hint = nearest_hint(path, (*NAMES, *FIELDS))
            self._layout.report(start, f"unknown field '{path}'{hint}; known: {', '.join((*NAMES, *FIELDS))}")
        elif path in self._layout.settings:
            self._layout.report(start, f"'{path}' is set in line {self._layout.settings[path].place.line} already")
        else:
            try:
                self._layout.settings[path] = Setting(place, _value(path, text))
            except json.JSONDecodeError as error:
                there = attrs.evolve(place, column=place.column + error.pos)
                self._layout.report(there, f"broken JSON: {error.msg}")
            except (ValueError, RecursionError) as error:
                self._layout.report(place, f"broken JSON: {error}")


def _value(path: str, text: str) -> Any:
    """What a field is set to: JSON, or the text itself.

    Raises:
        ValueError, RecursionError: it begins like JSON, and is none.
    """
    if path in TEXTS and not text.startswith('"'):
        return text
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError:
        if text.startswith(("{", "[", '"')):
            raise
        return text


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a number in JSON")
