"""Prompts in few bytes: a text is a list of the lines that it is made of, each of which is written once an episode.

The first prompt of an episode is kept whole, by its digest, beside the episodes: most of its lines come again in all
others. `PromptWriter` and `PromptReader` number the lines alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from gridworld.world.digest import text_digest

__all__ = ["PromptReader", "PromptWriter", "Text"]

NO_NUMBER = -2
"""Before a line has come whose number another one could follow."""


class Text(NamedTuple):
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
        self._last: dict[tuple[int, str], str] = {}
        """Place in the prompt and role to the last text there."""
        self._again: dict[tuple[int, str], list[Any]] = {}
        """How the last text is written when it comes again; made when it does."""
        self._last_prompt: Sequence[tuple[str, str]] | None = None
        self._prompt_again: list[Any] | None = None

    def write(self, texts: Sequence[tuple[str, str]]) -> list[Any]:
        """The prompt, role and text of each of its parts, as JSON: for each text its role, and its lines.

        A line is a new one's text or a known one's number, a pair of numbers stands for all from the first to the
        last, and an object ``{"text": digest}`` for all lines of a kept text. As long as a prompt comes again, it is
        the same object.
        """
        again = texts == self._last_prompt
        if again and self._prompt_again is not None:
            return self._prompt_again
        written = [[role, *self._lines_of((place, role), text)] for place, (role, text) in enumerate(texts)]
        self._last_prompt, self._prompt_again = texts, written if again else None
        return written

    def _lines_of(self, place: tuple[int, str], text: str) -> list[Any]:
        last = self._last.get(place)
        if last == text:
            if place not in self._again:
                self._again[place] = self._written(text)
            return self._again[place]
        self._last[place] = text
        self._again.pop(place, None)
        return self._kept(text) if last is None else self._written(text)

    def _kept(self, text: str) -> list[Any]:
        """A text that is kept whole."""
        digest = text_digest(text)
        self._keep(digest, text)
        for line in text.split("\n"):
            self._numbers.setdefault(line, len(self._numbers))
        return [{"text": digest}]

    def _written(self, text: str) -> list[Any]:
        """A text by its lines, with runs of consecutive numbers as pairs."""
        numbers, written, run = self._numbers, list[Any](), [NO_NUMBER, NO_NUMBER]
        for line in text.split("\n"):
            number = numbers.get(line)
            if number is None:
                numbers[line] = len(numbers)
                written.append(line)
                run = [NO_NUMBER, NO_NUMBER]
            elif number == run[1] + 1:
                run[1] = number
            else:
                run = [number, number]
                written.append(run)
        return [each[0] if isinstance(each, list) and each[0] == each[1] else each for each in written]


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
