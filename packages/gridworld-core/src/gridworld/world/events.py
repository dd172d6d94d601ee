"""What a step did: typed records that reward, history, statistics and drawing read.

`cells` of an event are the cells whose look may have changed; `sentence` tells it in words, given a function from an
entity's id to its description ("red key"). Entities are named by their ids.
"""

from collections.abc import Callable

import attrs

__all__ = [
    "Bumped",
    "Changed",
    "Closed",
    "Died",
    "Discovered",
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


Name = Callable[[str], str]


@attrs.frozen
class Event:
    """The base of all events."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells whose look may have changed."""
        return ()

    @property
    def subject(self) -> str | None:
        """The id of the thing that changed, if it was a thing and not the agent."""
        return None

    def sentence(self, name: Name) -> str:
        """What happened, as words that can follow "you" or stand alone."""
        return type(self).__name__.lower()


@attrs.frozen
class Turned(Event):
    """The agent turned on its cell; `right` tells the sense."""

    cell: int
    right: bool

    @property
    def cells(self) -> tuple[int, ...]:
        """The agent's cell."""
        return (self.cell,)

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"turned {'right' if self.right else 'left'}"


@attrs.frozen
class Moved(Event):
    """The agent moved to a neighbouring cell."""

    origin: int
    target: int

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell left and the cell entered."""
        return (self.origin, self.target)

    def sentence(self, name: Name) -> str:
        """In words."""
        return "moved one cell forward"


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

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"were teleported by the {name(self.entity)}"


@attrs.frozen
class Bumped(Event):
    """The agent tried to move and could not; `entity` is what stopped it, None for a wall."""

    entity: str | None

    def sentence(self, name: Name) -> str:
        """In words."""
        return "bumped into a wall" if self.entity is None else f"bumped into the {name(self.entity)}"


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

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"pushed the {name(self.entity)}"


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

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"picked up the {name(self.entity)}"


@attrs.frozen
class Dropped(_AtCell):
    """The agent put down what it held."""

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"dropped the {name(self.entity)}"


@attrs.frozen
class KeyUsed(Event):
    """A key was used up by a door."""

    entity: str

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"used up the {name(self.entity)}"


@attrs.frozen
class _OnCells(Event):
    entity: str
    at: tuple[int, ...]

    @property
    def subject(self) -> str:
        """The thing."""
        return self.entity

    @property
    def cells(self) -> tuple[int, ...]:
        """All cells of the thing."""
        return self.at


@attrs.frozen
class Unlocked(_OnCells):
    """A locked door was unlocked; `Opened` follows."""

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"unlocked the {name(self.entity)}"


@attrs.frozen
class Opened(_OnCells):
    """A door or gate opened."""

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"the {name(self.entity)} opened"


@attrs.frozen
class Closed(_OnCells):
    """A door or gate shut."""

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"the {name(self.entity)} closed"


@attrs.frozen
class Switched(_OnCells):
    """A switch went on or off."""

    on: bool

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"the {name(self.entity)} went {'on' if self.on else 'off'}"


@attrs.frozen
class Discovered(_OnCells):
    """A hidden mechanism was discovered, and is shown from now on."""

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"discovered the {name(self.entity)}"


@attrs.frozen
class Changed(_OnCells):
    """A thing took the state named `value`: for mechanisms that no other event fits."""

    value: str

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"the {name(self.entity)} is now {self.value}"


@attrs.frozen
class NoEffect(Event):
    """The action changed nothing; `reason` says why, in words that follow "nothing happened: "."""

    reason: str

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"nothing happened: {self.reason}"


@attrs.frozen
class Waited(Event):
    """The agent chose to do nothing."""

    def sentence(self, name: Name) -> str:
        """In words."""
        return "waited"


@attrs.frozen
class Died(Event):
    """A hazard ended the episode."""

    entity: str

    def sentence(self, name: Name) -> str:
        """In words."""
        return f"died on the {name(self.entity)}"


@attrs.frozen
class Succeeded(Event):
    """The goal was reached."""

    def sentence(self, name: Name) -> str:
        """In words."""
        return "reached the goal of the mission"
