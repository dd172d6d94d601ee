"""The state of a world: everything that actions can change, as a small immutable tuple."""

from collections.abc import Hashable
from typing import NamedTuple

NOTHING = -1
"""Value of `State.carried` when the hand is empty."""

GONE = -1
"""Position of an entity that is carried or used up."""


new_tuple = tuple.__new__
"""``new_tuple(State, fields)`` makes a named tuple twice as fast as its constructor."""


class Status:
    """Status of an episode, as plain integers, since the kernel reads it in every step."""

    RUNNING = 0
    SUCCEEDED = 1
    DIED = 2

    NAMES = ("running", "succeeded", "died")
    """Names of the values, for digests and messages."""


class State(NamedTuple):
    """A snapshot of a world; hashable and immutable: its methods return a new one.

    The first six fields determine what can happen next; `key` is what a search compares.
    """

    cell: int
    """The agent's cell."""
    heading: int
    """The agent's heading."""
    carried: int
    """The index of the carried entity, or `NOTHING`."""
    values: tuple[int, ...]
    """Value of each entity, as an index into its mechanism type's `values`."""
    places: tuple[int, ...]
    """Cell of each movable entity, or `GONE`; movable entities come first among the entities."""
    memory: Hashable = ()
    """The goal's memory: empty, or a small hashable value that JSON can hold."""
    steps: int = 0
    """Number of actions since the start of the episode."""
    status: int = Status.RUNNING
    """A value of `Status`."""
    discovered: int = 0
    """Bit set of discovered hidden entities; affects only what is shown."""

    @property
    def key(self) -> tuple[int, int, int, tuple[int, ...], tuple[int, ...], Hashable]:
        """Identity of the state, ignoring time."""
        return self[:6]

    def at(self, cell: int) -> "State":
        """Return a copy with the agent on another cell."""
        _, heading, carried, values, places, memory, steps, status, discovered = self
        return new_tuple(State, (cell, heading, carried, values, places, memory, steps, status, discovered))

    def facing(self, heading: int) -> "State":
        """Return a copy with the agent facing another heading."""
        cell, _, carried, values, places, memory, steps, status, discovered = self
        return new_tuple(State, (cell, heading, carried, values, places, memory, steps, status, discovered))

    def holding(self, entity: int) -> "State":
        """Return a copy with another entity, or `NOTHING`, in the agent's hand."""
        cell, heading, _, values, places, memory, steps, status, discovered = self
        return new_tuple(State, (cell, heading, entity, values, places, memory, steps, status, discovered))

    def with_value(self, entity: int, value: int) -> "State":
        """Return a copy with a new value of one entity."""
        return self.with_values((*self.values[:entity], value, *self.values[entity + 1 :]))

    def with_values(self, values: tuple[int, ...]) -> "State":
        """Return a copy with new values of all entities."""
        cell, heading, carried, _, places, memory, steps, status, discovered = self
        return new_tuple(State, (cell, heading, carried, values, places, memory, steps, status, discovered))

    def with_place(self, entity: int, cell: int) -> "State":
        """Return a copy with one movable entity on another cell, or `GONE`."""
        at, heading, carried, values, places, memory, steps, status, discovered = self
        places = (*places[:entity], cell, *places[entity + 1 :])
        return new_tuple(State, (at, heading, carried, values, places, memory, steps, status, discovered))

    def after(self, steps: int) -> "State":
        """Return a copy with another step count."""
        cell, heading, carried, values, places, memory, _, status, discovered = self
        return new_tuple(State, (cell, heading, carried, values, places, memory, steps, status, discovered))

    def remembering(self, memory: Hashable) -> "State":
        """Return a copy with another memory of the goal."""
        return self if memory == self.memory else self._replace(memory=memory)

    def ended(self, status: int) -> "State":
        """Return a copy with another `Status`."""
        return self._replace(status=status)

    def having_discovered(self, entities: int) -> "State":
        """Return a copy with further hidden entities, a bit set, marked as discovered."""
        return self._replace(discovered=self.discovered | entities)
