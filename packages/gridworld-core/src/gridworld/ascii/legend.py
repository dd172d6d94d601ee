"""One line of a legend: what a character of the map stands for.

    A = red key
    B = yellow one-shot switch "lever" -> C
    C = gate
    D = blue block and target of E
    E = belts {"direction": 2}

There may be several things on one cell, with ``and`` between them. Each is words, then what words do not say: ids in
quotation marks, after ``->`` what a switch controls, and in braces the fields of the task file as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import attrs

from gridworld.world.names import NUMBERS

__all__ = ["LegendError", "SaidThing", "Word", "is_legend", "read_legend"]

LINE = re.compile(r"\s*(\S) = ")
GAP = re.compile(r"\s*")
WORD = re.compile(r'[^\s"{},]+')
ARROW, AND = "->", "and"
ARTICLES = ("a", "an", "the")


class LegendError(Exception):
    """Something in a line that is not understood; `column` counts from 1."""

    def __init__(self, column: int, message: str) -> None:
        self.column = column
        super().__init__(message)


@attrs.frozen
class Word:
    """A word, and the column in which it begins."""

    text: str
    column: int


@attrs.define
class SaidThing:
    """What a line says of one thing."""

    column: int
    words: list[Word] = attrs.Factory(list)
    dots: int = 0
    """The number of dots that tell it from others of its kind; 0 for none."""
    ids: list[Word] = attrs.Factory(list)
    controls: list[Word] = attrs.Factory(list)
    """Characters of the map, or ids."""
    fields: dict[str, Any] = attrs.Factory(dict)

    @property
    def texts(self) -> list[str]:
        """The words alone, in lower case."""
        return [word.text.lower() for word in self.words]


def is_legend(line: str) -> bool:
    """Whether a line is one of a legend."""
    return LINE.match(line) is not None


def read_legend(line: str) -> tuple[str, list[SaidThing]]:
    """The character that a line is about, and the things that it stands for.

    Raises:
        LegendError: the line cannot be understood.
    """
    start = LINE.match(line)
    assert start is not None
    things = list(_Scanner(line, start.end()).things())
    return start.group(1), things


class _Scanner:
    """Reads a line from left to right."""

    def __init__(self, line: str, start: int) -> None:
        self._line = line.rstrip()
        self._at = start

    def things(self) -> Iterator[SaidThing]:
        """The things of the line, of which there is at least one."""
        while True:
            thing = SaidThing(self._skip() + 1)
            more = self._read(thing)
            if not thing.words:
                raise LegendError(thing.column, "expected what the character stands for, such as 'red key'")
            _take_dots(thing)
            yield thing
            if not more:
                return

    def _read(self, thing: SaidThing) -> bool:
        """Read one thing; whether another follows."""
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
            raise LegendError(self._at + 1, f"expected a word{self._instead()}")
        column, self._at = self._at + 1, match.end()
        return Word(match.group(), column)

    def _instead(self) -> str:
        return f", got '{self._line[self._at]}'" if self._at < len(self._line) else ", and the line ends"

    def _json(self, expected: str) -> Any:
        try:
            value, self._at = DECODER.raw_decode(self._line, self._at)
        except (ValueError, RecursionError) as error:
            raise LegendError(self._at + 1, f"expected {expected}") from error
        return value

    def _skip(self) -> int:
        """Go on to what is no blank; where that is."""
        match = GAP.match(self._line, self._at)
        assert match is not None
        self._at = match.end()
        return self._at


DECODER = json.JSONDecoder()


def _take_dots(thing: SaidThing) -> None:
    """Take ``with two dots`` out of the words."""
    texts = thing.texts
    if len(texts) > 3 and texts[-3] == "with" and texts[-1] in ("dot", "dots") and texts[-2] in NUMBERS:
        thing.dots = NUMBERS.index(texts[-2])
        del thing.words[-3:]
