"""The nearest valid name, for error messages."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["nearest", "nearest_hint"]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, or None when nothing is like it."""
    by_folded = {candidate.casefold(): candidate for candidate in known}
    matches = get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.5)
    return by_folded[matches[0]] if matches else None


def nearest_hint(name: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` or the empty string."""
    match = nearest(name, known)
    return f" (did you mean '{match}'?)" if match else ""
