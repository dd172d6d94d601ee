"""Texts of others, made fit for one line."""

__all__ = ["LONGEST_MESSAGE", "shorten"]

LONGEST_MESSAGE = 200
"""How many characters of somebody else's text stand in one line."""


def shorten(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """A text on one line, cut off with dots where it has more than `longest` characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
