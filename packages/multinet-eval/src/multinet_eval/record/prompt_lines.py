"""Prompts in few bytes: a text is a list of the lines that it is made of, each of which is written once an episode.

The first prompt of an episode is kept whole, by its digest, beside the episodes: most of its lines come again in all
others. `PromptWriter` and `PromptReader` number the lines alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from gridworld.world.digest import text_digest

PROMPT_VERSION = 3
"""How lines are numbered. In version 2, those of a request that is made again and does not count were numbered, but not
written; in version 1, moreover, all roles have one numbering, in which no line is twice."""


MOST_LINES, MOST_CHARACTERS = 100_000, 20_000_000
"""Higher numbers of lines and longer prompts are damage: a few bytes could stand for more than fits into memory."""
LOST = "(this line was not recorded)"
"""Stands for a line of a prompt that an older version did not write."""


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

    Older versions numbered lines that they did not write. A `LOST` line stands for each of these that a later prompt
    refers to; all other lines are as they were.

    Args:
        find: from a digest to the text that was kept by it; None for a text that is missing.
        version: that of the header, or of the line that says that the episode goes on; 1 where there is none.

    Raises:
        ValueError: the version is a newer one.
    """

    def __init__(self, find: Callable[[str], str | None], version: int = PROMPT_VERSION) -> None:
        if version > PROMPT_VERSION:
            raise ValueError(f"prompts are written in version {version}; this program reads up to {PROMPT_VERSION}")
        self._find = find
        self._version = version
        self._roles: dict[str, _NumberedLines] = {}
        self._misses_prompt = False

    @property
    def lost(self) -> dict[str, set[int]]:
        """Role to the numbers of its `LOST` lines, from 0; version 1 has one numbering, of the role ``""``."""
        return {role: each.lost for role, each in self._roles.items() if each.lost}

    def skip(self) -> None:
        """Pass over the prompt of a request that was made again and does not count, which older versions lack.

        Raises:
            ValueError: prompts of this version are written with all requests.
        """
        if self._version >= 3:
            raise ValueError("it has no prompt")
        self._misses_prompt = True

    def read(self, prompt: Sequence[Sequence[Any]]) -> list[Text]:
        """The texts of a prompt.

        Raises:
            ValueError: it is not the form of a prompt.
        """
        for role, *places in prompt:
            lines = self._lines_of(role)
            lines.complete &= not self._misses_prompt
            lines.most = max([lines.most, *map(_last_number, places)])
        self._misses_prompt = False
        if all(isinstance(place, int | list) for _, *places in prompt for place in places):
            for role, *_ in prompt:  # the missing one once more, which refers to all of its lines
                self._lines_of(role).complete_with_lost()
        texts, left = [], MOST_CHARACTERS
        for role, *places in prompt:
            lines_of_text = []
            for line in self._texts(self._lines_of(role), places):
                left -= len(line) + 1
                if left < 0:
                    raise ValueError(f"expected a prompt of at most {MOST_CHARACTERS} characters")
                lines_of_text.append(line)
            texts.append(Text(role, "\n".join(lines_of_text)))
        return texts

    def _lines_of(self, role: str) -> _NumberedLines:
        return self._roles.setdefault(role if self._version > 1 else "", _NumberedLines())

    def _texts(self, lines: _NumberedLines, places: Iterable[Any]) -> Iterator[str]:
        for place in places:
            match place:
                case int():
                    yield lines.at(place)
                case [int(first), int(last)]:
                    yield from map(lines.at, range(first, last + 1))
                case str():
                    yield from self._number(lines, [place])
                case {"text": str(digest)}:
                    text = self._find(digest)
                    if text is None:
                        lines.complete = False
                        yield LOST
                    else:
                        yield from self._number(lines, text.split("\n"))
                case _:
                    raise ValueError(f"expected a line, the number of one, a pair of these or a kept text, got {place}")

    def _number(self, numbered: _NumberedLines, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            if numbered.complete and (self._version > 1 or line not in numbered.lines):
                numbered.lines.append(line)
            yield line


class _NumberedLines:
    """The lines of one role by their numbers, as far as they are known."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.complete = True
        """Whether the next new line has the next number; otherwise it has none that is known."""
        self.most = -1
        """The highest number that was referred to."""
        self.lost: set[int] = set()

    def at(self, number: int) -> str:
        """The line with a number; raises ValueError if there is none."""
        if 0 <= number < len(self.lines):
            if self.lines[number] is LOST:
                self.lost.add(number)
            return self.lines[number]
        if self.complete or number < 0:
            raise ValueError(f"expected the number of a line, less than {len(self.lines)}, got {number}")
        self.lost.add(number)
        return LOST

    def complete_with_lost(self) -> None:
        """Give the lines that are missing their numbers."""
        if not self.complete:
            self.lines += [LOST] * (self.most + 1 - len(self.lines))
            self.complete = True


def _last_number(place: Any) -> int:
    """The highest number that a part of a prompt refers to; -1 for none."""
    match place:
        case int(number) | [int(), int(number)]:
            if number >= MOST_LINES:
                raise ValueError(
                    f"expected the number of a line, less than {MOST_LINES}, got one of {len(str(number))} digits"
                )
            return number
    return -1
