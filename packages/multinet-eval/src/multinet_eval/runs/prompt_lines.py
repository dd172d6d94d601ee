"""Prompts in few bytes: a text is a list of the lines that it is made of, each of which is written once an episode.

The first prompt of an episode is kept whole, by its digest, beside the episodes: most of its lines come again in all
others. `PromptWriter` and `PromptReader` number the lines alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from gridworld.world.digest import text_digest

__all__ = ["PROMPT_VERSION", "PromptReader", "PromptWriter", "Text"]

PROMPT_VERSION = 2
"""How lines are numbered. In version 1 all roles have one numbering, in which no line is twice."""


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
        self._roles: dict[str, _RoleWriter] = {}
        self._last: Sequence[tuple[str, str]] | None = None
        """The texts of the prompt that was written last."""
        self._again: str | None = None
        """How it is written when it comes again; made when it does."""

    def write(self, texts: Sequence[tuple[str, str]]) -> str:
        """The prompt, role and text of each of its parts, as JSON: for each text its role, and its lines.

        A line is a new one's text or a known one's number among those of its role, a pair of numbers stands for all
        from the first to the last, and an object ``{"text": digest}`` for all lines of a kept text. Lines are numbered
        as they are written, those of kept texts too.
        """
        if texts != self._last:
            write = self._kept if self._last is None else self._written
            self._last, self._again = texts, None
            return _prompt_text(write(role, text) for role, text in texts)
        if self._again is None:
            self._again = _prompt_text(self._written(role, text) for role, text in texts)
        return self._again

    def _kept(self, role: str, text: str) -> str:
        """A text of the first prompt, which is kept whole."""
        digest = text_digest(text)
        self._keep(digest, text)
        self._role(role).number(text.split("\n"))
        return f'[{encode_basestring(role)},{{"text":"{digest}"}}]'

    def _written(self, role: str, text: str) -> str:
        return f"[{encode_basestring(role)},{self._role(role).write(text)}]"

    def _role(self, role: str) -> _RoleWriter:
        if role not in self._roles:
            self._roles[role] = _RoleWriter()
        return self._roles[role]


def _prompt_text(texts: Iterable[str]) -> str:
    return f"[{','.join(texts)}]"


class _RoleWriter:
    """Writes the texts of one role."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        """The lines by their numbers."""
        self._numbers: dict[str, int] = {}
        """Line to the first of its numbers."""
        self._last = ""
        """The text that was written last."""
        self._again: str | None = None
        """How it is written when it comes again; made when it does."""

    def number(self, lines: Iterable[str]) -> None:
        """Give numbers to lines."""
        for line in lines:
            self._numbers.setdefault(line, len(self._lines))
            self._lines.append(line)

    def write(self, text: str) -> str:
        """The lines of a text, as JSON without brackets around it."""
        if text != self._last:
            self._last, self._again = text, None
            return ",".join(self._places(text.split("\n")))
        if self._again is None:
            self._again = ",".join(self._places(text.split("\n")))
        return self._again

    def _places(self, lines: Iterable[str]) -> Iterator[str]:
        """Each line, or run of lines with consecutive numbers, as JSON.

        Of the numbers of a line, the next one is chosen, or the one after it, where one line was replaced by another.
        """
        known, first, end, after = self._lines, 0, 0, 0
        for line in lines:
            if end < len(known) and known[end] == line:
                end += 1
                continue
            if first < end:
                yield _run(first, end)
                after = end + 1
            number = after if after < len(known) and known[after] == line else self._numbers.get(line)
            if number is None:
                self.number([line])
                first = end = after
                after += 1
                yield encode_basestring(line)
            else:
                first, end = number, number + 1
        if first < end:
            yield _run(first, end)


def _run(first: int, end: int) -> str:
    return str(first) if first + 1 == end else f"[{first},{end - 1}]"


class PromptReader:
    """Reads what a `PromptWriter` has written, in the same order.

    Args:
        find: from a digest to the text that was kept by it.
        version: that of the header, or of the line that says that the episode goes on; 1 where there is none.

    Raises:
        ValueError: the version is a newer one.
    """

    def __init__(self, find: Callable[[str], str], version: int = PROMPT_VERSION) -> None:
        if version > PROMPT_VERSION:
            raise ValueError(f"prompts are written in version {version}; this program reads up to {PROMPT_VERSION}")
        self._find = find
        self._version = version
        self._roles: dict[str, list[str]] = {}

    def read(self, prompt: Iterable[Sequence[Any]]) -> list[Text]:
        """The texts of a prompt.

        Raises:
            ValueError: it is not the form of a prompt.
        """
        return [Text(role, "\n".join(self._lines(role, places))) for role, *places in prompt]

    def _lines(self, role: str, places: Iterable[Any]) -> Iterator[str]:
        numbered = self._roles.setdefault(role if self._version > 1 else "", [])
        for place in places:
            match place:
                case int():
                    yield numbered[place]
                case [first, last]:
                    yield from numbered[first : last + 1]
                case str():
                    yield from self._number(numbered, [place])
                case _:
                    yield from self._number(numbered, self._find(place["text"]).split("\n"))

    def _number(self, numbered: list[str], lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            if self._version > 1 or line not in numbered:
                numbered.append(line)
            yield line
