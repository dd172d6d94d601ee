"""Texts of others, made fit for one line, and for a terminal; and numbers of things."""

import re
from collections.abc import Sequence

__all__ = [
    "LONGEST_MESSAGE",
    "counted",
    "first_numbers",
    "listed",
    "make_visible",
    "one_line",
    "shorten",
    "visible_line",
]

LONGEST_MESSAGE = 200
"""How many characters of somebody else's text stand in one line."""

MOST_NUMBERS = 10
"""How many numbers stand in one message."""

INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Control characters but tab and line feed, what changes the direction of a text or is not seen at all, and halves of
characters. Zero-width joiners are not among them: words of some languages and emoji are spelled with them."""
BREAKS = re.compile("[\t\n]")


def one_line(text: str) -> str:
    """A text with single spaces in place of line breaks, tabs and several spaces, and none around it."""
    return " ".join(text.split())


def shorten(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """A text on one line, cut off with dots where it has more than `longest` characters."""
    line = one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def counted(number: int, noun: str) -> str:
    """A number of things, such as ``1 task`` or ``2 tasks``; the noun's plural ends in s."""
    return f"{number} {noun}{'s' * (number != 1)}"


def listed(words: Sequence[str], conjunction: str = "and") -> str:
    """Words as a sentence lists them: ``a, b and c``."""
    *others, last = words
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def first_numbers(numbers: Sequence[int]) -> str:
    """Numbers, of many the first and dots: ``0, 1, 2, ...``."""
    return ", ".join(map(str, numbers[:MOST_NUMBERS])) + ", ..." * (len(numbers) > MOST_NUMBERS)


def make_visible(text: str) -> str:
    r"""A text that does to a terminal nothing but show letters: control characters as Python escapes, such as ``\x1b``.

    Lines stay lines; the result can be encoded as UTF-8. What is visible already stays as it is.
    """
    return INVISIBLE.sub(_escaped, text)


def visible_line(text: str) -> str:
    r"""The same on one line: tabs and line feeds, too, become ``\t`` and ``\n``. For names and ids."""
    return BREAKS.sub(_escaped, make_visible(text))


def _escaped(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode("ascii")
