"""Events of a step: typed records for rewards, history, statistics and drawing.

Entities are identified by their ids. `Event.cells` are the cells whose appearance may have changed, `Event.subject` is
the entity that changed, and `Event.sentence` describes the event in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import attrs

Describe = Callable[[str], str]
"""Maps an entity id to a description, such as ``red key``."""


_kinds: dict[str, type[Event]] = {}
"""Event classes imported so far, by their names in records."""


def _kind_of(event: type[Event]) -> str:
    return event.__name__ if event.__module__ == __name__ else f"{event.__module__}:{event.__qualname__}"


_forms: dict[type[Any], tuple[str, tuple[str, ...]]] = {}
"""Record name and field names of each event class."""


_WITH_PARTS = (tuple, dict)


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _listed(inner) for name, inner in value.items()}
    return [_listed(inner) for inner in value] if isinstance(value, tuple) else value


def _tupled(value: Any) -> Any:
    return tuple(_tupled(inner) for inner in value) if isinstance(value, list) else value


@attrs.frozen
class Event:
    """Base class of all events. An event without fields describes itself with `words`."""

    words: ClassVar[str] = ""
    """Text of the event; ``{thing}`` is replaced by the description of its entity."""

    effective: ClassVar[bool] = True
    """Whether an action whose first event is this one changed anything."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _kinds[_kind_of(cls)] = cls

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary: ``kind`` and the fields."""
        event = type(self)
        if event not in _forms:
            _forms[event] = _kind_of(event), tuple(field.name for field in attrs.fields(event))
        kind, names = _forms[event]
        data: dict[str, Any] = {"kind": kind}
        for name in names:
            value = getattr(self, name)
            data[name] = _listed(value) if isinstance(value, _WITH_PARTS) else value
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Event:
        """Restore an event from the result of `to_dict`; an `UnknownEvent` if its class has not been imported.

        Raises:
            KeyError, TypeError: the dictionary was not made by `to_dict`.
        """
        fields = {name: _tupled(value) for name, value in data.items() if name != "kind"}
        kind = _kinds.get(data["kind"])
        return UnknownEvent(data["kind"], tuple(fields.items())) if kind is None else kind(**fields)

    @property
    def cells(self) -> tuple[int, ...]:
        """Cells whose appearance may have changed."""
        return ()

    @property
    def subject(self) -> str | None:
        """Id of the entity that changed; None for the agent."""
        return None

    @property
    def involves(self) -> str | None:
        """Id of the entity that was used, moved or changed, or that acted on the agent; None if there is none.

        A bump and a discovery involve no entity.
        """
        return None

    def sentence(self, describe: Describe) -> str:
        """Describe the event in words; actions of the agent omit "you"."""
        return self.words


@attrs.frozen
class _WithThing(Event):
    entity: str

    @property
    def involves(self) -> str | None:
        return self.entity

    def sentence(self, describe: Describe) -> str:
        return self.words.format(thing=describe(self.entity))


@attrs.frozen
class _AtCell(_WithThing):
    cell: int

    @property
    def cells(self) -> tuple[int, ...]:
        return (self.cell,)


@attrs.frozen
class _ThingPassed(_WithThing):
    origin: int
    target: int

    @property
    def cells(self) -> tuple[int, ...]:
        return (self.origin, self.target)


@attrs.frozen
class _ThingChanged(_WithThing):
    at: tuple[int, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        return self.at

    @property
    def subject(self) -> str:
        return self.entity


@attrs.frozen
class Turned(Event):
    """The agent turned; `right` is the direction."""

    cell: int
    right: bool

    @property
    def cells(self) -> tuple[int, ...]:
        """The agent's cell."""
        return (self.cell,)

    def sentence(self, describe: Describe) -> str:
        """Return ``turned left`` or ``turned right``."""
        return f"turned {'right' if self.right else 'left'}"


@attrs.frozen
class Moved(Event):
    """The agent moved to a neighbouring cell."""

    origin: int
    target: int
    backward: bool = False

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell left and the cell entered."""
        return (self.origin, self.target)

    def sentence(self, describe: Describe) -> str:
        """Return ``moved one cell forward`` or ``moved one cell backward``."""
        return f"moved one cell {'backward' if self.backward else 'forward'}"


@attrs.frozen
class Bumped(Event):
    """The agent tried to move and could not; `entity` is the obstacle, None for a wall."""

    effective = False

    entity: str | None

    def sentence(self, describe: Describe) -> str:
        """Return ``bumped into a wall`` or ``bumped into the red door``."""
        return "bumped into a wall" if self.entity is None else f"bumped into the {describe(self.entity)}"


@attrs.frozen
class Waited(Event):
    """The agent chose to do nothing."""

    words = "waited"


@attrs.frozen
class NoEffect(Event):
    """The action changed nothing; `reason` explains why."""

    effective = False

    reason: str

    def sentence(self, describe: Describe) -> str:
        """Return ``nothing happened:`` with the reason."""
        return f"nothing happened: {self.reason}"


@attrs.frozen
class Succeeded(Event):
    """The goal was reached."""

    words = "reached the goal of the mission"


@attrs.frozen
class Died(_WithThing):
    """A hazard ended the episode."""

    words = "died on the {thing}"


@attrs.frozen
class KeyUsed(_WithThing):
    """A key was used up by a door."""

    words = "used up the {thing}"


@attrs.frozen
class PickedUp(_AtCell):
    """The agent took an entity into its hand."""

    words = "picked up the {thing}"


@attrs.frozen
class Dropped(_AtCell):
    """The agent put down the entity in its hand."""

    words = "dropped the {thing}"


@attrs.frozen
class Pushed(_ThingPassed):
    """The agent pushed an entity one cell further."""

    words = "pushed the {thing}"


@attrs.frozen
class Teleported(_ThingPassed):
    """A teleporter moved the agent to another cell."""

    words = "was put elsewhere by the {thing}"


@attrs.frozen
class Carried(Event):
    """The agent or an entity was carried to a neighbouring lattice cell."""

    carrier: str
    """Id of the carrying entity."""
    thing: str | None
    """Id of the carried entity; None for the agent."""
    origin: int
    target: int

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell left and the cell entered."""
        return (self.origin, self.target)

    @property
    def subject(self) -> str | None:
        """The carried entity; None for the agent."""
        return self.thing

    @property
    def involves(self) -> str:
        """The carrying entity."""
        return self.carrier

    def sentence(self, describe: Describe) -> str:
        """Describe the move of the rider; the carrier is named only if it carried the agent."""
        if self.thing is None:
            return f"was carried on by the {describe(self.carrier)}"
        return f"the {describe(self.thing)} was carried on"


@attrs.frozen
class Unlocked(_ThingChanged):
    """A locked door was unlocked; `Opened` follows."""

    words = "unlocked the {thing}"


@attrs.frozen
class Opened(_ThingChanged):
    """A door or gate opened."""

    words = "the {thing} opened"


@attrs.frozen
class Closed(_ThingChanged):
    """A door or gate closed."""

    words = "the {thing} closed"


@attrs.frozen
class Discovered(_ThingChanged):
    """A hidden mechanism was discovered; it is shown from now on."""

    words = "discovered the {thing}"

    @property
    def involves(self) -> None:
        """Always None, since a discovery changes only what is shown."""


@attrs.frozen
class Switched(_ThingChanged):
    """A switch was turned on or off."""

    on: bool

    def sentence(self, describe: Describe) -> str:
        """Return ``the red switch went on`` or ``... off``."""
        return f"the {describe(self.entity)} went {'on' if self.on else 'off'}"


@attrs.frozen
class Changed(_ThingChanged):
    """An entity changed to the state named `value`; for mechanisms without a more specific event."""

    value: str

    def sentence(self, describe: Describe) -> str:
        """Return ``the lamp is now lit``."""
        return f"the {describe(self.entity)} is now {self.value}"


@attrs.frozen
class UnknownEvent(Event):
    """A recorded event of a plugin's class that has not been imported."""

    kind: str
    fields: tuple[tuple[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the dictionary from which the event was read."""
        return {"kind": self.kind, **_listed(dict(self.fields))}

    def sentence(self, describe: Describe) -> str:
        """Return the name of the event's class."""
        return self.kind


EVENT_TYPES: tuple[type[Event], ...] = (
    Bumped,
    Carried,
    Changed,
    Closed,
    Died,
    Discovered,
    Dropped,
    KeyUsed,
    Moved,
    NoEffect,
    Opened,
    PickedUp,
    Pushed,
    Succeeded,
    Switched,
    Teleported,
    Turned,
    UnknownEvent,
    Unlocked,
    Waited,
)
"""All event classes of the kernel; plugins' events count as `UnknownEvent`. State tables store indices into this tuple.
"""


_BITS = {kind: 1 << number for number, kind in enumerate(EVENT_TYPES)}
_OTHER = _BITS[UnknownEvent]


def kinds_of(happened: Iterable[Event]) -> int:
    """Encode the kinds of a step's events as an integer below ``2**32``, one bit per kind."""
    bits = 0
    for event in happened:
        bits |= _BITS.get(type(event), _OTHER)
    return bits


def names_of(kinds: int) -> tuple[str, ...]:
    """Return the names of the event kinds whose bits are set, such as ``Moved``."""
    return tuple(kind.__name__ for number, kind in enumerate(EVENT_TYPES) if kinds >> number & 1)


def cells_entered(events: Iterable[Event]) -> tuple[int, ...]:
    """Return the cells that the agent has entered, in order: by moving, by teleporters and by being carried."""
    return tuple(
        event.cells[-1]
        for event in events
        if isinstance(event, Moved | Teleported) or (isinstance(event, Carried) and event.thing is None)
    )
