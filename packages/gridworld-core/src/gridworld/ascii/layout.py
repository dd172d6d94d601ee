"""Parsing of a drawing into settings, map and legend, each with its line and column."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import attrs

from gridworld.errors import Problem
from gridworld.observations.character_map import FIXED_LEGEND, UNSEEN, WALL
from gridworld.support.files import JSONError, parse_json
from gridworld.support.wording import nearest_hint
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.looks import NUMBERS

LINE = re.compile(r"\s*(\S) = ")
GAP = re.compile(r"\s*")
WORD = re.compile(r'[^\s"{},]+')
ARROW, AND = "->", "and"
ARTICLES = ("a", "an", "the")


class LegendError(Exception):
    """A legend line cannot be parsed; `column` counts from 1."""

    def __init__(self, column: int, message: str) -> None:
        self.column = column
        super().__init__(message)


@attrs.frozen
class Word:
    """A word and its first column, counted from 1."""

    text: str
    column: int


@attrs.define
class LegendEntry:
    """One entity or mark described in a legend line."""

    column: int
    words: list[Word] = attrs.Factory(list)
    dots: int = 0
    """Number of dots that distinguish this entity from others of its kind; 0 without dots."""
    ids: list[Word] = attrs.Factory(list)
    controls: list[Word] = attrs.Factory(list)
    """Words after ``->`` for the controlled entities: characters of the map, or ids."""
    fields: dict[str, Any] = attrs.Factory(dict)

    @property
    def texts(self) -> list[str]:
        """Words of the entry in lower case."""
        return [word.text.lower() for word in self.words]


def is_legend(line: str) -> bool:
    """Whether a line belongs to a legend."""
    return LINE.match(line) is not None


def read_legend(line: str) -> tuple[str, list[LegendEntry]]:
    """Parse a legend line into its character and entries.

    Raises:
        LegendError: the line cannot be parsed.
    """
    start = LINE.match(line)
    assert start is not None
    things = list(_Scanner(line, start.end()).things())
    return start.group(1), things


class _Scanner:
    """Parses the entries of a legend line from left to right."""

    def __init__(self, line: str, start: int) -> None:
        self._line = line.rstrip()
        self._at = start

    def things(self) -> Iterator[LegendEntry]:
        """Yield the entries of the line, at least one."""
        while True:
            thing = LegendEntry(self._skip() + 1)
            more = self._read(thing)
            if not thing.words:
                raise LegendError(thing.column, "expected what the character stands for, such as 'red key'")
            _take_dots(thing)
            yield thing
            if not more:
                return

    def _read(self, thing: LegendEntry) -> bool:
        """Parse one entry; return whether another follows."""
        while self._skip() < len(self._line):
            if self._line.startswith(ARROW, self._at):
                self._at += len(ARROW)
                thing.controls += self._references()
            elif self._line[self._at] == '"':
                thing.ids.append(self._quoted())
            elif self._line[self._at] == "{":
                thing.fields |= self._json('fields as JSON, such as {"direction": 2}')
            else:
                word = self._word()
                if word.text.lower() == AND:
                    return True
                if thing.words or word.text.lower() not in ARTICLES:
                    thing.words.append(word)
        return False

    def _references(self) -> list[Word]:
        found = []
        while True:
            self._skip()
            found.append(self._quoted() if self._line.startswith('"', self._at) else self._word())
            if not self._line.startswith(",", self._skip()):
                return found
            self._at += 1

    def _quoted(self) -> Word:
        column = self._at + 1
        return Word(self._json('an id in quotation marks, such as "lever"'), column)

    def _word(self) -> Word:
        match = WORD.match(self._line, self._at)
        if match is None:
            found = f", got '{self._line[self._at]}'" if self._at < len(self._line) else ", and the line ends"
            raise LegendError(self._at + 1, f"expected a word{found}")
        column, self._at = self._at + 1, match.end()
        return Word(match.group(), column)

    def _json(self, expected: str) -> Any:
        try:
            value, self._at = DECODER.raw_decode(self._line, self._at)
        except (ValueError, RecursionError) as error:
            raise LegendError(self._at + 1, f"expected {expected}") from error
        return value

    def _skip(self) -> int:
        """Skip whitespace; return the new index."""
        match = GAP.match(self._line, self._at)
        assert match is not None
        self._at = match.end()
        return self._at


DECODER = json.JSONDecoder()


def _take_dots(thing: LegendEntry) -> None:
    """Move ``with two dots`` from the words to `dots`."""
    texts = thing.texts
    if len(texts) > 3 and texts[-3] == "with" and texts[-1] in ("dot", "dots") and texts[-2] in NUMBERS:
        thing.dots = NUMBERS.index(texts[-2])
        del thing.words[-3:]


NAMES = {
    "task": "task_id",
    "tier": "difficulty_tier",
    "budget": "max_steps",
    "goal": "goal.type",
    "observability": "rules.observability",
}
"""Task field paths by their names in ``multinet tasks show``."""
TEXTS = ("task_id", "version", "description", "goal.type", "rules.observability", "rules.switch_type")
"""Fields with text values, which need not be JSON."""
TOLD_ELSEWHERE = ("mission", "size", "mechanisms", "hidden", "dependency chain", "distractors")
"""Rows of ``multinet tasks show`` that are derived or abbreviated, and therefore ignored."""
FIELDS = tuple(field.name for field in attrs.fields(TaskSpecification))
COMMENT = ";"
SETTING = re.compile(r"(?P<name>[A-Za-z_$][\w.$-]*(?: [a-z]+)?)\s*:(?:\s+|$)(?P<value>.*)")
FACT = re.compile(r"  (?P<name>[a-z]+(?: [a-z]+)?) {2,}(?P<value>\S.*)")
CONTINUED = re.compile(r" {8,}(?P<value>\S.*)")
SENTENCES = "You are at column "
"""Start of the text view's sentences, which repeat the map and are ignored."""
EXPECTED = (
    "expected 'name: value', a row of the map, which begins with '#', or a line of the legend such as 'A = red key'"
)


@attrs.frozen
class TextPlace:
    """A line and column in a text, counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


@attrs.frozen
class Setting:
    """The value of a task field, with its place."""

    place: TextPlace
    value: Any


@attrs.frozen
class LegendLine:
    """The meaning of one map character, as given by its legend line."""

    place: TextPlace
    things: tuple[LegendEntry, ...]

    def place_of(self, column: int) -> TextPlace:
        """Return the place of a column in this line."""
        return attrs.evolve(self.place, column=column)


@attrs.define
class Layout:
    """The parts of a drawing."""

    settings: dict[str, Setting] = attrs.Factory(dict)
    """Settings by path of the field."""
    rows: list[str] = attrs.Factory(list)
    first_row: TextPlace = TextPlace(1, 1)
    """Place of the top left cell."""
    legend: dict[str, LegendLine] = attrs.Factory(dict)
    problems: list[Problem] = attrs.Factory(list)

    def place_of(self, cell: Position) -> TextPlace:
        """Return the place of a lattice cell in the text."""
        return TextPlace(self.first_row.line + cell.y, self.first_row.column + cell.x)

    def report(self, place: TextPlace, message: str) -> None:
        """Add a problem at a place."""
        self.problems.append(Problem(str(place), message))


def read_layout(text: str) -> Layout:
    """Split a drawing into its parts, collecting problems instead of raising."""
    return _Lines(text).read()


class _Lines:
    """Reads a drawing line by line."""

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
                self._layout.report(TextPlace(number, len(line) - len(line.lstrip()) + 1), EXPECTED)
        if not self._layout.rows and not self._layout.problems:
            self._layout.report(TextPlace(len(self._lines) or 1, 1), f"there is no map; its rows begin with '{WALL}'")
        return self._layout

    def _read_legend(self, number: int, line: str) -> None:
        character, _, meaning = line.strip().partition(" = ")
        if FIXED_LEGEND.get(character) == meaning.strip():
            return
        try:
            character, things = read_legend(line)
        except LegendError as error:
            self._layout.report(TextPlace(number, error.column), str(error))
            return
        if character in self._layout.legend:
            first = self._layout.legend[character].place.line
            self._layout.report(
                TextPlace(number, line.index(character) + 1), f"'{character}' is explained in line {first}"
            )
            return
        self._layout.legend[character] = LegendLine(TextPlace(number, line.index(character) + 1), tuple(things))

    def _read_map(self, number: int, line: str, rest: Iterator[tuple[int, str]]) -> None:
        if self._layout.rows:
            self._layout.report(TextPlace(number, 1), f"there is a map in line {self._layout.first_row.line} already")
            return
        indent = len(line) - len(line.lstrip())
        self._layout.first_row = TextPlace(number, indent + 1)
        self._layout.rows.append(line[indent:])
        width = len(line) - indent
        for below, row in rest:
            if not row or row.lstrip().startswith(COMMENT):
                break
            self._layout.rows.append(row[indent:])
            if len(row) - indent != width or row[:indent].strip():
                message = f"a row of {max(len(row) - indent, 0)} cells, expected {width} as in the first one"
                self._layout.report(TextPlace(below, min(len(row), indent + width) + 1), message)

    def _read_setting(self, number: int, line: str, last_fact: str | None) -> bool:
        """Read a setting or a row of the facts table; return False for any other line."""
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
            self._set(
                path, match["value"], TextPlace(number, match.start("value") + 1), TextPlace(number, match.start() + 1)
            )
        return True

    def _set(self, path: str, text: str, place: TextPlace, start: TextPlace) -> None:
        if path.partition(".")[0] not in FIELDS:
            hint = nearest_hint(path, (*NAMES, *FIELDS))
            self._layout.report(start, f"unknown field '{path}'{hint}; known: {', '.join((*NAMES, *FIELDS))}")
        elif path in self._layout.settings:
            self._layout.report(start, f"'{path}' is set in line {self._layout.settings[path].place.line} already")
        else:
            try:
                self._layout.settings[path] = Setting(place, _value(path, text))
            except JSONError as error:
                there = attrs.evolve(place, column=place.column + error.position)
                self._layout.report(there, f"broken JSON: {error.problem}")


def _value(path: str, text: str) -> Any:
    """Parse a value as JSON or plain text; raises JSONError for invalid JSON."""
    if path in TEXTS and not text.startswith('"'):
        return text
    try:
        return parse_json(text)
    except JSONError as error:
        if text.startswith(("{", "[", '"')) or not error.place:
            raise
        return text
