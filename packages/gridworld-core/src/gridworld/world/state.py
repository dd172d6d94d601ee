"""The state of a world: everything that actions can change, as one small immutable tuple."""

from collections.abc import Hashable
from typing import NamedTuple

__all__ = ["GONE", "NOTHING", "State", "Status", "new_tuple"]

NOTHING = -1
"""The value of `State.carried` when the hand is empty."""

GONE = -1
"""The place of a thing that is carried or used up."""


new_tuple = tuple.__new__
"""``new_tuple(State, fields)`` makes a named tuple in half of the time that its own constructor takes."""


class Status:
    """How an episode stands. Plain integers, because the kernel looks at them in every step."""

    RUNNING = 0
    SUCCEEDED = 1
    DIED = 2

    NAMES = ("running", "succeeded", "died")
    """The names of the three, for digests and messages."""


class State(NamedTuple):
    """A snapshot of a world; hashable, and never changed: the methods return a new one.

    The first six fields decide what can happen next; `key` is what a search compares.
    """

    cell: int
    """The agent's cell."""
    heading: int
    """The agent's heading."""
    carried: int
    """The index of the carried entity, or `NOTHING`."""
    values: tuple[int, ...]
    """One value for each entity, an index into its mechanism type's `values`."""
    places: tuple[int, ...]
    """The cell of each movable entity (these come first among the entities), or `GONE`."""
    memory: Hashable = ()
    """What the goal remembers of the episode: empty, or a small hashable value that JSON can hold."""
    steps: int = 0
    """Actions since the start of the episode."""
    status: int = Status.RUNNING
    """One of `Status`."""
    discovered: int = 0
    """One bit for each entity, set when a hidden one has been discovered; it changes nothing but what is shown."""

    @property
    def key(self) -> tuple[int, int, int, tuple[int, ...], tuple[int, ...], Hashable]:
        """What tells this state apart from others regardless of time."""
        return self[:6]

    def at(self, cell: int) -> "State":
        """The agent elsewhere."""
        _, heading, carried, values, places, memory, steps, status, discovered = self
        return new_tuple(State, (cell, heading, carried, values, places, memory, steps, status, discovered))

    def facing(self, heading: int) -> "State":
        """The agent with another heading."""
        cell, _, carried, values, places, memory, steps, status, discovered = self
        return new_tuple(State, (cell, heading, carried, values, places, memory, steps, status, discovered))

    def holding(self, entity: int) -> "State":
        """The agent with another thing, or `NOTHING`, in its hand."""
        cell, heading, _, values, places, memory, steps, status, discovered = self
        return new_tuple(State, (cell, heading, entity, values, places, memory, steps, status, discovered))

    def with_value(self, entity: int, value: int) -> "State":
        """One entity with another value."""
        return self.with_values((*self.values[:entity], value, *self.values[entity + 1 :]))

    def with_values(self, values: tuple[int, ...]) -> "State":
        """All entities with other values."""
        cell, heading, carried, _, places, memory, steps, status, discovered = self
        return new_tuple(State, (cell, heading, carried, values, places, memory, steps, status, discovered))

    def with_place(self, entity: int, cell: int) -> "State":
        """One movable entity elsewhere, or `GONE`."""
        at, heading, carried, values, places, memory, steps, status, discovered = self
        places = (*places[:entity], cell, *places[entity + 1 :])
        return new_tuple(State, (at, heading, carried, values, places, memory, steps, status, discovered))

    def after(self, steps: int) -> "State":
        """The same after another number of steps."""
        cell, heading, carried, values, places, memory, _, status, discovered = self
        return new_tuple(State, (cell, heading, carried, values, places, memory, steps, status, discovered))

    def remembering(self, memory: Hashable) -> "State":
        """The goal with another memory."""
        return self if memory == self.memory else self._replace(memory=memory)

    def ended(self, status: int) -> "State":
        """The episode with another `Status`."""
        return self._replace(status=status)

    def having_discovered(self, entities: int) -> "State":
        """More hidden entities discovered, given as bits."""
        return self._replace(discovered=self.discovered | entities)
