"""Notes that a model leaves itself, cut to the length that they may have."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["with_note_cut"]

SHORT_ESCAPES = {'"': r"\"", "\\": r"\\", "/": r"\/", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
"""The escapes of JSON that are no number."""


def with_note_cut(reply: str, note: str, length: int) -> str:
    """A reply with the note in it cut, where it is too long.

    Args:
        reply: the whole reply, in which the note stands after the word "note", as it is or with escapes of JSON.
        note: the note.
        length: how many characters it may have.
    """
    if len(note) <= length:
        return reply
    # Everything before it is taken first, so that of several such texts it is the last one: answers end a reply.
    kept, left_out = _written(note[:length]), _written(note[length:])
    written = re.compile(rf"(.*(?i:note)\W*?{kept}){left_out}", re.DOTALL)
    return written.sub(r"\1", reply, count=1)


def _written(text: str) -> str:
    """The pattern of a text in any spelling that JSON allows."""
    return "".join(f"(?:{'|'.join(_spellings(character))})" for character in text)


def _spellings(character: str) -> Iterator[str]:
    yield re.escape(character)
    if character in SHORT_ESCAPES:
        yield re.escape(SHORT_ESCAPES[character])
    units = character.encode("utf-16-be", "surrogatepass")
    yield "".join(rf"\\u(?i:{units[start : start + 2].hex()})" for start in range(0, len(units), 2))
