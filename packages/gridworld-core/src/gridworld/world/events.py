"""What a step did: typed records that reward, history, statistics and drawing read.

Entities are named by their ids. `Event.cells` are the cells whose look may have changed, `Event.subject` is the thing
that changed, and `Event.sentence` tells it in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import attrs

Describe = Callable[[str], str]
"""From an entity's id to its description, such as ``red key``."""


_kinds: dict[str, type[Event]] = {}
"""Every class of events that has been imported, by the name under which records have it."""


def _kind_of(event: type[Event]) -> str:
    return event.__name__ if event.__module__ == __name__ else f"{event.__module__}:{event.__qualname__}"


_forms: dict[type[Any], tuple[str, tuple[str, ...]]] = {}
"""Class of events to what records call it, and the names of its fields."""


def _form_of(event: type[Any]) -> tuple[str, tuple[str, ...]]:
    if event not in _forms:
        _forms[event] = _kind_of(event), tuple(field.name for field in attrs.fields(event))
    return _forms[event]


_WITH_PARTS = (tuple, dict)


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _listed(inner) for name, inner in value.items()}
    return [_listed(inner) for inner in value] if isinstance(value, tuple) else value


def _tupled(value: Any) -> Any:
    return tuple(_tupled(inner) for inner in value) if isinstance(value, list) else value


@attrs.frozen
class Event:
    """The base of all events; without fields it says of the agent what `words` say."""

    words: ClassVar[str] = ""
    """The event in words; ``{thing}`` stands for the description of its entity."""

    effective: ClassVar[bool] = True
    """Whether an action that begins with this event has changed anything."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _kinds[_kind_of(cls)] = cls

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary: ``kind``, and the fields."""
        kind, names = _form_of(type(self))
        data: dict[str, Any] = {"kind": kind}
        for name in names:
            value = getattr(self, name)
            data[name] = _listed(value) if isinstance(value, _WITH_PARTS) else value
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Event:
        """The inverse of `to_dict`; an `UnknownEvent` where the event's class has not been imported.

        Raises:
            KeyError, TypeError: it is not what `to_dict` makes.
        """
        fields = {name: _tupled(value) for name, value in data.items() if name != "kind"}
        kind = _kinds.get(data["kind"])
        return UnknownEvent(data["kind"], tuple(fields.items())) if kind is None else kind(**fields)

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells whose look may have changed."""
        return ()

    @property
    def subject(self) -> str | None:
        """The id of the thing that changed, if it was a thing and not the agent."""
        return None

    @property
    def involves(self) -> str | None:
        """The id of the thing that took part: that was used, moved, changed, or did something to the agent.

        None where there was none, as for a bump or a discovery.
        """
        return None

    def sentence(self, describe: Describe) -> str:
        """The event in words; what the agent did is told without "you"."""
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
    """The agent turned on its cell; `right` tells the sense."""

    cell: int
    right: bool

    @property
    def cells(self) -> tuple[int, ...]:
        """The agent's cell."""
        return (self.cell,)

    def sentence(self, describe: Describe) -> str:
        """``turned left`` or ``turned right``."""
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
        """``moved one cell forward`` or ``moved one cell backward``."""
        return f"moved one cell {'backward' if self.backward else 'forward'}"


@attrs.frozen
class Bumped(Event):
    """The agent tried to move and could not; `entity` is what stopped it, None for a wall."""

    effective = False

    entity: str | None

    def sentence(self, describe: Describe) -> str:
        """What it bumped into."""
        return "bumped into a wall" if self.entity is None else f"bumped into the {describe(self.entity)}"


@attrs.frozen
class Waited(Event):
    """The agent chose to do nothing."""

    words = "waited"


@attrs.frozen
class NoEffect(Event):
    """The action changed nothing; `reason` says why."""

    effective = False

    reason: str

    def sentence(self, describe: Describe) -> str:
        """That nothing happened, and why."""
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
    """The agent took a thing into its hand."""

    words = "picked up the {thing}"


@attrs.frozen
class Dropped(_AtCell):
    """The agent put down what it held."""

    words = "dropped the {thing}"


@attrs.frozen
class Pushed(_ThingPassed):
    """The agent pushed a thing one cell on."""

    words = "pushed the {thing}"


@attrs.frozen
class Teleported(_ThingPassed):
    """A teleporter put the agent elsewhere."""

    words = "was put elsewhere by the {thing}"


@attrs.frozen
class Carried(Event):
    """Something carried the agent, or a thing, to a neighbouring lattice cell."""

    carrier: str
    """The id of what carries."""
    thing: str | None
    """The id of the thing that was carried; None for the agent."""
    origin: int
    target: int

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell left and the cell entered."""
        return (self.origin, self.target)

    @property
    def subject(self) -> str | None:
        """The thing that was carried, if it was not the agent."""
        return self.thing

    @property
    def involves(self) -> str:
        """What carries."""
        return self.carrier

    def sentence(self, describe: Describe) -> str:
        """Who or what was carried; the carrier is named only to the agent that stood on it."""
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
    """A door or gate shut."""

    words = "the {thing} closed"


@attrs.frozen
class Discovered(_ThingChanged):
    """A hidden mechanism was discovered, and is shown from now on."""

    words = "discovered the {thing}"

    @property
    def involves(self) -> None:
        """None: nothing happened but that it is shown."""


@attrs.frozen
class Switched(_ThingChanged):
    """A switch went on or off."""

    on: bool

    def sentence(self, describe: Describe) -> str:
        """Which switch, and whether on or off."""
        return f"the {describe(self.entity)} went {'on' if self.on else 'off'}"


@attrs.frozen
class Changed(_ThingChanged):
    """A thing took the state named `value`: for mechanisms that no other event fits."""

    value: str

    def sentence(self, describe: Describe) -> str:
        """Which thing, and its new state."""
        return f"the {describe(self.entity)} is now {self.value}"


@attrs.frozen
class UnknownEvent(Event):
    """An event of a recording whose class, a plugin's, has not been imported."""

    kind: str
    fields: tuple[tuple[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """What it was read from."""
        return {"kind": self.kind, **_listed(dict(self.fields))}

    def sentence(self, describe: Describe) -> str:
        """The name of its class."""
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
"""All events of the kernel; `UnknownEvent` stands for those of plugins. State tables store positions in this tuple."""


def cells_entered(events: Iterable[Event]) -> tuple[int, ...]:
    """The cells that the agent has come to, in order: by moving, by teleporters, and on what carries it."""
    return tuple(
        event.cells[-1]
        for event in events
        if isinstance(event, Moved | Teleported) or (isinstance(event, Carried) and event.thing is None)
    )
