"""What is searched: the states of a world, and what a search makes of them.

A state of a space is a kernel state together with what the search keeps beside it. Apart from the agent's pose, all
that tells it from others is its `Configuration`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import attrs

from gridworld.actions import Action
from gridworld.errors import ArgumentError
from gridworld.world.events import Event
from gridworld.world.rules import transition
from gridworld.world.state import State, Status, new_tuple
from gridworld.world.world import World

__all__ = [
    "SEARCH_ORDER",
    "UNLIMITED",
    "BudgetedSpace",
    "Configuration",
    "DiscoveringSpace",
    "OfThings",
    "OfTouching",
    "Property",
    "StateSpace",
    "Step",
    "TimedSpace",
    "UntilSpace",
    "Watch",
    "WatchedSpace",
    "require_compiled",
    "timeless",
]

UNLIMITED = 2**62
"""More steps than any search will take."""

SEARCH_ORDER = (
    Action.MOVE_FORWARD,
    Action.TURN_LEFT,
    Action.TURN_RIGHT,
    Action.TOGGLE,
    Action.PICKUP,
    Action.DROP,
    Action.DONE,
)
"""Among plans of equal length the first in this order is found, so that plans read naturally."""


class Configuration(NamedTuple):
    """All of a state but the agent's pose and the time."""

    carried: int
    values: tuple[int, ...]
    places: tuple[int, ...]
    memory: Hashable
    """The goal's."""
    discovered: int
    """0 where a search does not tell states apart by it."""
    kept: Hashable
    """What the search keeps beside the state."""


Step = tuple[State, Hashable, tuple[Event, ...]]
"""What an action leads to: the state, what is kept from then on, and what happened."""

Watch = Callable[[State, Hashable], Hashable]
"""``(following state, memory) -> memory``: follows a search along each path, from a memory of 0; None forbids the step.

Two paths to one state are told apart by their memories. It has to depend on nothing that a search does not tell states
apart by: neither on the number of steps nor on what has been discovered.
"""

Property = Callable[[State], bool]
"""Of a running state, whatever its number of steps."""


@attrs.frozen
class OfThings:
    """A `Watch` or a `Property` that depends on the values and places of things and on the status, not on the agent.

    Searches make use of that.
    """

    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        """What the function says."""
        return self.function(*arguments)


class OfTouching(OfThings):
    """One that depends on nothing of things but whether they have been touched.

    So it is the same whether a thing that was moved lies somewhere or is nowhere in particular.
    """


def require_compiled(world: object) -> None:
    """Refuse what is no compiled task.

    Raises:
        ArgumentError: it is not; how to compile a task is said.
    """
    if not isinstance(world, World):
        expected = "expected a World, as compile_world(task, topology) makes of a task"
        raise ArgumentError(f"world: {type(world).__name__} is no compiled task, {expected}")


def timeless(world: World) -> World:
    """The world without a budget of steps."""
    return attrs.evolve(world, max_steps=UNLIMITED)


class StateSpace:
    """The states of a world, regardless of time and of what has been discovered.

    Args:
        world: the compiled task; its goal must not be timed.
    """

    regards_agent = False
    """Whether what the space adds to the kernel's rules depends on where the agent is or looks."""

    regards_things = False
    """Whether what the space adds to the kernel's rules depends on the values and places of things."""

    slots: tuple[Action, ...] = SEARCH_ORDER
    """The actions in the order in which they are tried, each as often as it can lead to different states."""

    def __init__(self, world: World) -> None:
        self.arena = timeless(world)

    def first(self, state: State) -> tuple[State, Hashable]:
        """A state to begin with, and what is kept there."""
        return state, 0

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """What an action can lead to; nothing if it is forbidden."""
        now, events = transition(self.arena, state, action)
        return ((now, kept, events),)

    def configuration(self, state: State, kept: Hashable) -> Configuration:
        """The configuration of a state."""
        _, _, carried, values, places, memory, _, _, _ = state
        return new_tuple(Configuration, (carried, values, places, memory, 0, kept))

    def state(self, configuration: Configuration, cell: int, heading: int) -> tuple[State, Hashable]:
        """The state with a configuration and a pose, and what is kept there."""
        carried, values, places, memory, discovered, kept = configuration
        fields = (cell, heading, carried, values, places, memory, 0, Status.RUNNING, discovered)
        return new_tuple(State, fields), kept


class DiscoveringSpace(StateSpace):
    """The states of a world, also told apart by what has been discovered."""

    def configuration(self, state: State, kept: Hashable) -> Configuration:
        """The configuration of a state."""
        _, _, carried, values, places, memory, _, _, discovered = state
        return new_tuple(Configuration, (carried, values, places, memory, discovered, kept))


class BudgetedSpace(StateSpace):
    """The states of a world, which end with the budget and yet are not told apart by the number of steps."""

    def __init__(self, world: World) -> None:
        self.arena = world

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """What an action can lead to; nothing if that is the end of the budget and no success."""
        now, events = transition(self.arena, state, action)
        return () if not now.status and self.arena.is_over(now) else ((now, kept, events),)


class TimedSpace(BudgetedSpace):
    """The states of a world told apart by the number of steps, which is kept; they end with the budget."""

    def first(self, state: State) -> tuple[State, Hashable]:
        """A state to begin with, and its number of steps."""
        return state, state.steps

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """What an action can lead to; nothing if that is the end of the budget and no success."""
        return tuple((now, now.steps, events) for now, _, events in super().steps(state, kept, action))

    def state(self, configuration: Configuration, cell: int, heading: int) -> tuple[State, Hashable]:
        """The state with a configuration and a pose, and its number of steps."""
        state, kept = super().state(configuration, cell, heading)
        assert isinstance(kept, int)
        return state._replace(steps=kept), kept


class _NarrowedSpace(StateSpace):
    """Another space, of whose steps something else is made.

    Args:
        space: the other one.
        function: what decides about its steps.
    """

    def __init__(self, space: StateSpace, function: Callable[..., Any]) -> None:
        self.arena, self.slots = space.arena, space.slots
        self.regards_agent = space.regards_agent or not isinstance(function, OfThings)
        self.regards_things = True
        self._space = space

    def first(self, state: State) -> tuple[State, Hashable]:
        """A state to begin with."""
        return self._space.first(state)

    def configuration(self, state: State, kept: Hashable) -> Configuration:
        """The configuration of a state."""
        return self._space.configuration(state, kept)

    def state(self, configuration: Configuration, cell: int, heading: int) -> tuple[State, Hashable]:
        """The state with a configuration and a pose."""
        return self._space.state(configuration, cell, heading)


class WatchedSpace(_NarrowedSpace):
    """Another space, in which a watch forbids steps depending on what has been before; its memory is kept, too.

    Args:
        space: the other one.
        watch: what it forbids.
    """

    def __init__(self, space: StateSpace, watch: Watch) -> None:
        super().__init__(space, watch)
        self._watch = watch

    def first(self, state: State) -> tuple[State, Hashable]:
        """A state to begin with."""
        first, kept = self._space.first(state)
        return first, (0, kept)

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """Those steps that are not forbidden."""
        assert isinstance(kept, tuple)
        memory, inner = kept
        allowed = []
        for now, following, events in self._space.steps(state, inner, action):
            remembered = self._watch(now, memory)
            if remembered is not None:
                allowed.append((now, (remembered, following), events))
        return tuple(allowed)

    def configuration(self, state: State, kept: Hashable) -> Configuration:
        """The configuration of a state."""
        assert isinstance(kept, tuple)
        return self._space.configuration(state, kept[1])._replace(kept=kept)

    def state(self, configuration: Configuration, cell: int, heading: int) -> tuple[State, Hashable]:
        """The state with a configuration and a pose."""
        kept = configuration.kept
        assert isinstance(kept, tuple)
        state, _ = self._space.state(configuration._replace(kept=kept[1]), cell, heading)
        return state, kept


class UntilSpace(_NarrowedSpace):
    """Another space, in which another goal counts: a running state with a property.

    Args:
        space: the other one.
        until: the property.
    """

    def __init__(self, space: StateSpace, until: Property) -> None:
        super().__init__(space, until)
        self._until = until

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """What an action can lead to; nothing if that is the end of the episode by the goal of the task."""
        found = []
        for now, following, events in self._space.steps(state, kept, action):
            if now.status != Status.SUCCEEDED:
                reached = not now.status and self._until(now)
                found.append((now.ended(Status.SUCCEEDED) if reached else now, following, events))
        return tuple(found)
