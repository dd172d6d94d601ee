"""What a thing is like to the kernel: solid, opaque, deadly, ..."""

from enum import IntFlag

__all__ = ["Trait"]


class Trait(IntFlag):
    """Flags of a thing in one of its states."""

    NONE = 0
    SOLID = 1
    """The agent cannot step in."""
    OPAQUE = 2
    """Blocks sight."""
    DEADLY = 4
    """Ends the episode of an agent that stands on it."""
    PORTABLE = 8
    """Can be picked up."""
    PUSHABLE = 16
    """Can be pushed by walking into it."""
    TAKES_BLOCKS = 32
    """A block can be pushed onto it."""
    TOGGLED_UNDERFOOT = 64
    """Answers to a toggle by the agent that stands on it."""
    ACTIVE = 128
    """What it controls is switched on."""
    MOVABLE = PORTABLE | PUSHABLE
    """Its place is part of the state."""
