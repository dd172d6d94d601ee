"""What a step did: typed records that reward, history, statistics and drawing read.

`cells` of an event are the cells whose look may have changed. Entities are named by their ids.
"""

import attrs

__all__ = [
    "Bumped",
    "Changed",
    "Closed",
    "Died",
    "Dropped",
    "Event",
    "KeyUsed",
    "Moved",
    "NoEffect",
    "Opened",
    "PickedUp",
    "Pushed",
    "Succeeded",
    "Switched",
    "Teleported",
    "Turned",
    "Unlocked",
    "Waited",
]


@attrs.frozen
class Event:
    """The base of all events."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells whose look may have changed."""
        return ()


@attrs.frozen
class Turned(Event):
    """The agent turned on its cell; `right` tells the sense."""

    cell: int
    right: bool

    @property
    def cells(self) -> tuple[int, ...]:
        """The agent's cell."""
        return (self.cell,)


@attrs.frozen
class Moved(Event):
    """The agent moved to a neighbouring cell."""

    origin: int
    target: int

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell left and the cell entered."""
        return (self.origin, self.target)


@attrs.frozen
class Teleported(Event):
    """A teleporter put the agent elsewhere."""

    entity: str
    origin: int
    target: int

    @property
    def cells(self) -> tuple[int, ...]:
        """Both ends."""
        return (self.origin, self.target)


@attrs.frozen
class Bumped(Event):
    """The agent tried to move and could not; `entity` is what stopped it, None for a wall."""

    entity: str | None


@attrs.frozen
class Pushed(Event):
    """The agent pushed a thing one cell on."""

    entity: str
    origin: int
    target: int

    @property
    def cells(self) -> tuple[int, ...]:
        """Where it was and where it is."""
        return (self.origin, self.target)


@attrs.frozen
class _AtCell(Event):
    entity: str
    cell: int

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell of the thing."""
        return (self.cell,)


@attrs.frozen
class PickedUp(_AtCell):
    """The agent took a thing into its hand."""


@attrs.frozen
class Dropped(_AtCell):
    """The agent put down what it held."""


@attrs.frozen
class KeyUsed(Event):
    """A key was used up by a door."""

    entity: str


@attrs.frozen
class _OnCells(Event):
    entity: str
    at: tuple[int, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        """All cells of the thing."""
        return self.at


@attrs.frozen
class Unlocked(_OnCells):
    """A locked door was unlocked; `Opened` follows."""


@attrs.frozen
class Opened(_OnCells):
    """A door or gate opened."""


@attrs.frozen
class Closed(_OnCells):
    """A door or gate shut."""


@attrs.frozen
class Switched(_OnCells):
    """A switch went on or off."""

    on: bool


@attrs.frozen
class Changed(_OnCells):
    """A thing took the state named `value`: for mechanisms that no other event fits."""

    value: str


@attrs.frozen
class NoEffect(Event):
    """The action changed nothing; `reason` says why, in words that follow "nothing happened: "."""

    reason: str


@attrs.frozen
class Waited(Event):
    """The agent chose to do nothing."""


@attrs.frozen
class Died(Event):
    """A hazard ended the episode."""

    entity: str


@attrs.frozen
class Succeeded(Event):
    """The goal was reached."""
