"""Wording of messages: printable single lines, lists, suggestions and install commands."""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from urllib.parse import unquote, urlsplit

LONGEST_MESSAGE = 200
"""Maximum number of characters of external text shown in one line."""
MOST_NUMBERS = 10
"""Maximum number of numbers listed in one message."""
MOST_LINES = 20
"""Maximum number of problems listed in one message."""
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Control characters except tab and line feed, invisible and direction-changing characters, and lone surrogates.

Zero-width joiners are kept: some languages and emoji are spelled with them."""
BREAKS = re.compile("[\t\n]")
POSSIBLE_CREDENTIAL = re.compile(r"(?=.*[a-z])(?=.*[0-9]).{16,}|.{32,}", re.IGNORECASE | re.DOTALL)
"""A path segment that is long and contains letters and digits, or is very long."""
SOUND_LIKE_CONSONANTS = ("eu", "one-", "one ", "uni", "use")
"""Beginnings of words that begin with a vowel, but not when spoken."""


def one_line(text: str) -> str:
    """Collapse all whitespace to single spaces."""
    return " ".join(text.split())


def shorten(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """Put a text on one line and truncate it with an ellipsis after `longest` characters."""
    line = one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def counted(number: int, noun: str) -> str:
    """Format a number with its noun, such as ``1 task`` or ``2 tasks``; only for plurals in s."""
    return f"{number} {noun}{'s' * (number != 1)}"


def with_article(name: str) -> str:
    """Put the indefinite article before a name: ``a key``, ``an orange key``, ``a one-way floor``."""
    sounds_like_vowel = name.startswith(tuple("aeiou")) and not name.startswith(SOUND_LIKE_CONSONANTS)
    return f"an {name}" if sounds_like_vowel else f"a {name}"


def listed(words: Sequence[str], conjunction: str = "and") -> str:
    """Join words as in a sentence: ``a, b and c``."""
    *others, last = words
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def first_numbers(numbers: Sequence[int]) -> str:
    """List up to ten numbers, followed by dots if there are more: ``0, 1, 2, ...``."""
    return ", ".join(map(str, numbers[:MOST_NUMBERS])) + ", ..." * (len(numbers) > MOST_NUMBERS)


def first_lines(texts: Iterable[object]) -> Iterator[str]:
    """Yield the first `MOST_LINES` texts, such as problems, and the number of the others if there are any."""
    rest = iter(texts)
    yield from map(str, islice(rest, MOST_LINES))
    more = sum(1 for _ in rest)
    if more:
        yield f"and {more:,} more"


def make_visible(text: str) -> str:
    r"""Escape everything that a terminal would not show as text, using Python's escapes: ``\x1b``.

    Line feeds and tabs stay. The result can be encoded as UTF-8.
    """
    return INVISIBLE.sub(_escaped, text)


def visible_line(text: str) -> str:
    r"""Escape as `make_visible` does, including tabs and line feeds (``\t``, ``\n``); for names and ids."""
    return BREAKS.sub(_escaped, make_visible(text))


def _escaped(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode("ascii")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most similar to `name`; None if none is similar."""
    by_folded = {candidate.casefold(): candidate for candidate in known}
    matches = get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.5)
    return by_folded[matches[0]] if matches else None


def nearest_hint(name: str, known: Iterable[str]) -> str:
    """Return a suggestion such as `` (did you mean 'x'?)``, or an empty string."""
    match = nearest(name, known)
    return f" (did you mean '{match}'?)" if match else ""


def how_to_install(distribution: str, extra: str | None = None) -> str:
    """Return the commands that install a distribution, with any extra, from the package index and from a clone."""
    quote, wanted = ("", distribution) if extra is None else ("'", f"{distribution}[{extra}]")
    return f"pip install {quote}{wanted}{quote} (in a clone: pip install {quote}./packages/{wanted}{quote})"


def credentials_in_path(address: str) -> list[str]:
    """Find path segments of an HTTP address that look like credentials; none for any other text."""
    if not address.startswith(("http://", "https://")):
        return []
    return [segment for segment in urlsplit(address).path.split("/") if POSSIBLE_CREDENTIAL.fullmatch(unquote(segment))]
