"""Where two episodes of one task part ways."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import attrs

__all__ = ["Parting", "find_parting"]


@attrs.frozen
class Parting:
    """The first step in which two episodes do not do the same."""

    step: int
    """From 1."""
    first: str | None
    """What the first one does; None where it has ended."""
    second: str | None


def find_parting(first: Sequence[str], second: Sequence[str]) -> Parting | None:
    """Where two episodes that began alike part ways; None where all of their steps are the same.

    Up to there their worlds are the same, too, since the same actions do the same. Where one of them ends earlier, they
    part in the next step of the other.

    Args:
        first: what was done in each step, such as the names of the actions.
        second: the same of the other episode.
    """
    for step, (ours, theirs) in enumerate(zip_longest(first, second), start=1):
        if ours != theirs:
            return Parting(step, ours, theirs)
    return None
