"""`GroundWords`: how a backend draws what no plugin draws, in words."""

from __future__ import annotations

import attrs

__all__ = ["LETTERED", "GroundWords"]


@attrs.frozen
class GroundWords:
    """Words that follow a name and a colon, without a full stop; empty where there is nothing to tell."""

    wall: str = ""
    floor: str = ""
    agent: str = ""
    """How it is seen where it is, and which way it faces."""
    goal: str = ""
    """The place that the agent has to reach."""
    target: str = ""
    """What else a goal marks: where a block belongs, where to have been."""
    unseen: str = ""
    remembered: str = ""
    """What was seen earlier and is not in view now."""
    held: str = ""
    """Where what the agent carries is shown."""
    things: str = ""
    """What all things have, whatever they are."""


LETTERED = (
    "each has a letter on or beside it, the same for all that are alike, which can be another one in the next picture"
)
"""Of the style with letters."""
