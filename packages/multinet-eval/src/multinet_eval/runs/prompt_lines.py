"""Prompts in few bytes: a text is a list of the lines that it is made of, each of which is written once an episode.

The first prompt of an episode is kept whole, by its digest, beside the episodes: most of its lines come again in all
others. `PromptWriter` and `PromptReader` number the lines alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import attrs

from gridworld.world.digest import text_digest

__all__ = ["PromptReader", "PromptWriter", "Text"]


@attrs.frozen
class Text:
    """One text of a prompt."""

    role: str
    """Whose it is, such as ``system``; or what it is, for a model that has no prompt: ``mission``, ``history``."""
    text: str


class PromptWriter:
    """Writes the prompts of one episode.

    Args:
        keep: keeps a text by its digest.
    """

    def __init__(self, keep: Callable[[str, str], None]) -> None:
        self._keep = keep
        self._numbers: dict[str, int] = {}
        self._last: dict[tuple[int, str], tuple[str, list[Any]]] = {}

    def write(self, texts: Iterable[Text]) -> list[Any]:
        """The prompt as JSON: for each text its role, and its lines.

        A line is a new one's text or a known one's number, a pair of numbers stands for all from the first to the
        last, and an object ``{"text": digest}`` for all lines of a kept text.
        """
        return [[each.role, *self._lines_of((place, each.role), each.text)] for place, each in enumerate(texts)]

    def _lines_of(self, place: tuple[int, str], text: str) -> list[Any]:
        if place not in self._last:
            digest = text_digest(text)
            self._keep(digest, text)
            self._number(text.split("\n"))
            written: list[Any] = [{"text": digest}]
        elif self._last[place][0] == text:
            return self._last[place][1]
        else:
            written = _joined(self._place(line) for line in text.split("\n"))
        # When the text comes again, all its lines have numbers.
        self._last[place] = (text, _joined(self._numbers[line] for line in text.split("\n")))
        return written

    def _place(self, line: str) -> int | str:
        number = self._numbers.get(line)
        if number is None:
            self._number([line])
            return line
        return number

    def _number(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._numbers.setdefault(line, len(self._numbers))


class PromptReader:
    """Reads what a `PromptWriter` has written, in the same order.

    Args:
        find: from a digest to the text that was kept by it.
    """

    def __init__(self, find: Callable[[str], str]) -> None:
        self._find = find
        self._lines: list[str] = []
        self._known: set[str] = set()

    def read(self, prompt: Iterable[Sequence[Any]]) -> list[Text]:
        """The texts of a prompt.

        Raises:
            ValueError: it is not the form of a prompt.
        """
        return [Text(role, "\n".join(line for each in places for line in self._read(each))) for role, *places in prompt]

    def _read(self, place: Any) -> list[str]:
        if isinstance(place, int):
            return [self._lines[place]]
        if isinstance(place, str):
            return self._number([place])
        if isinstance(place, dict):
            return self._number(self._find(place["text"]).split("\n"))
        first, last = place
        return self._lines[first : last + 1]

    def _number(self, lines: list[str]) -> list[str]:
        for line in lines:
            if line not in self._known:
                self._known.add(line)
                self._lines.append(line)
        return lines


def _joined(places: Iterable[int | str]) -> list[Any]:
    """The same with runs of consecutive numbers as pairs."""
    joined: list[Any] = []
    for place in places:
        last = joined[-1] if joined else None
        if isinstance(place, int) and isinstance(last, list) and last[1] == place - 1:
            last[1] = place
        elif isinstance(place, int):
            joined.append([place, place])
        else:
            joined.append(place)
    return [each[0] if isinstance(each, list) and each[0] == each[1] else each for each in joined]
