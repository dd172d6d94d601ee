"""The kinds of events of a step as bits of one integer."""

from __future__ import annotations

from collections.abc import Iterable

from gridworld.world import events
from gridworld.world.events import Event

__all__ = ["EVENT_KINDS", "kinds_of", "names_of"]

EVENT_KINDS: tuple[type[Event], ...] = tuple(getattr(events, name) for name in events.__all__ if name != "Event")
"""Bit number to the class of events that it stands for; `UnknownEvent` stands for all that plugins define."""

_BITS = {kind: 1 << number for number, kind in enumerate(EVENT_KINDS)}
_OTHER = _BITS[events.UnknownEvent]


def kinds_of(happened: Iterable[Event]) -> int:
    """The bits of all kinds of events among those of a step, below ``2**32``."""
    bits = 0
    for event in happened:
        bits |= _BITS.get(type(event), _OTHER)
    return bits


def names_of(kinds: int) -> tuple[str, ...]:
    """The names of the kinds whose bits are set, such as ``Moved``."""
    return tuple(kind.__name__ for number, kind in enumerate(EVENT_KINDS) if kinds >> number & 1)
