"""Compact prompts: a text is a list of lines, each of which is written only once per episode.

The first prompt of an episode is stored whole in a file named after its digest, since most of its lines recur in other
episodes. `PromptWriter` and `PromptReader` number the lines in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from gridworld.world.digest import text_digest

NUMBERING_VERSION = 3
"""Version of the numbering.

In version 2, the lines of a repeated request that does not count were numbered but not written; in version 1, all roles
also shared one numbering without repeated lines.
"""
MOST_LINES, MOST_CHARACTERS = 100_000, 20_000_000
"""Limits above which a prompt counts as damaged: a few bytes could expand to more than fits into memory."""
LOST = "(this line was not recorded)"
"""Placeholder for a prompt line that an older version did not write."""


class Text(NamedTuple):
    """One text of a prompt."""

    role: str
    """Role, such as ``system``; for a model without a prompt, the name of the text, such as ``mission``."""
    text: str


class PromptWriter:
    """Writes the prompts of one episode.

    Args:
        keep: stores a text in a file named after its digest.
    """

    def __init__(self, keep: Callable[[str, str], None]) -> None:
        self._keep = keep
        self._roles: dict[str, _RoleWriter] = {}
        self._has_begun = False

    def write(self, texts: Sequence[tuple[str, str]]) -> str:
        """Write a prompt, given the role and text of each part, as JSON: for each text its role and its lines.

        A line is the text of a new line, or the number of a known one of the same role. A pair of numbers stands for
        all lines from the first to the last, and an object ``{"text": digest}`` for all lines of a stored text. Lines
        are numbered in the order of writing, including the lines of stored texts.
        """
        write = self._written if self._has_begun else self._kept
        self._has_begun = True
        return f"[{','.join(write(role, text) for role, text in texts)}]"

    def _kept(self, role: str, text: str) -> str:
        """Write a text of the first prompt, which is stored whole."""
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


class _RoleWriter:
    """Writes the texts of one role."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        """Lines by their numbers."""
        self._numbers: dict[str, int] = {}
        """First number of each line."""
        self._last: str | None = None
        """The last text written, if any."""
        self._repeated: str | None = None
        """JSON for a repetition of the last text, once it has been repeated."""

    def number(self, lines: Iterable[str]) -> None:
        """Give each line a number."""
        for line in lines:
            self._numbers.setdefault(line, len(self._lines))
            self._lines.append(line)

    def write(self, text: str) -> str:
        """Write the lines of a text as JSON, without brackets around them."""
        if text == self._last and self._repeated is not None:
            return self._repeated
        places = ",".join(self._places(text.split("\n")))
        self._last, self._repeated = text, places if text == self._last else None
        return places

    def _places(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield each line, or range of consecutively numbered lines, as JSON.

        If a line has several numbers, the one that continues the range is used; after a replaced line, the one after
        next.
        """
        known, first, end, after = self._lines, 0, 0, 0
        for line in lines:
            if end < len(known) and known[end] == line:
                end += 1
                continue
            if first < end:
                yield _range(first, end)
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
            yield _range(first, end)


def _range(first: int, end: int) -> str:
    return str(first) if first + 1 == end else f"[{first},{end - 1}]"


class PromptReader:
    """Reads the prompts of a `PromptWriter`, in the same order.

    Older versions numbered lines that they did not write. If a later prompt refers to such a line, it reads as `LOST`.

    Args:
        find: returns the stored text with a digest; None for a missing text.
        version: version of the numbering in the episode's last ``header`` or ``resumed`` line; 1 if the line has none.

    Raises:
        ValueError: the version is newer than this program's.
    """

    def __init__(self, find: Callable[[str], str | None], version: int = NUMBERING_VERSION) -> None:
        if version > NUMBERING_VERSION:
            raise ValueError(f"prompts are written in version {version}; this program reads up to {NUMBERING_VERSION}")
        self._find = find
        self._version = version
        self._roles: dict[str, _NumberedLines] = {}
        self._misses_prompt = False

    @property
    def lost(self) -> dict[str, set[int]]:
        """Numbers, from 0, of the `LOST` lines of each role; in version 1, the only role is ``""``."""
        return {role: each.lost for role, each in self._roles.items() if each.lost}

    def skip(self) -> None:
        """Skip the prompt of a repeated request that does not count, which older versions do not write.

        Raises:
            ValueError: prompts of this version are written with all requests.
        """
        if self._version >= 3:
            raise ValueError("it has no prompt")
        self._misses_prompt = True

    def read(self, prompt: Sequence[Sequence[Any]]) -> list[Text]:
        """Read the texts of a prompt; raises ValueError if the prompt has another form."""
        for role, *places in prompt:
            lines = self._lines_of(role)
            lines.complete &= not self._misses_prompt
            lines.most = max([lines.most, *map(_last_number, places)])
        self._misses_prompt = False
        if all(isinstance(place, int | list) for _, *places in prompt for place in places):
            for role, *_ in prompt:  # the missing prompt again, which refers to all of its lines
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
                    raise ValueError(f"expected a line, a number, a pair of numbers or a kept text, got {place}")

    def _number(self, numbered: _NumberedLines, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            if numbered.complete and (self._version > 1 or line not in numbered.lines):
                numbered.lines.append(line)
            yield line


class _NumberedLines:
    """Known lines of one role, by number."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.complete = True
        """Whether the next new line gets the next number; otherwise its number is unknown."""
        self.most = -1
        """The highest number seen in any prompt."""
        self.lost: set[int] = set()

    def at(self, number: int) -> str:
        """Return the line with a number; raises ValueError for an unknown number."""
        if 0 <= number < len(self.lines):
            if self.lines[number] is LOST:
                self.lost.add(number)
            return self.lines[number]
        if self.complete or number < 0:
            raise ValueError(f"expected the number of a line, less than {len(self.lines)}, got {number}")
        self.lost.add(number)
        return LOST

    def complete_with_lost(self) -> None:
        """Fill in the missing lines as `LOST`."""
        if not self.complete:
            self.lines += [LOST] * (self.most + 1 - len(self.lines))
            self.complete = True


def _last_number(place: Any) -> int:
    """Return the highest number in a part of a prompt; -1 for none."""
    match place:
        case int(number) | [int(), int(number)]:
            if number >= MOST_LINES:
                raise ValueError(
                    f"expected the number of a line, less than {MOST_LINES}, got one of {len(str(number))} digits"
                )
            return number
    return -1
