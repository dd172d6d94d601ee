"""State spaces: which states a search distinguishes, and the steps between them.

A state of a space is a kernel state with data kept by the search. It is stored as two numbers: one for its
`Configuration`, which is everything but the agent's pose, and one for the pose.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import IntEnum
from typing import Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.errors import ArgumentError
from gridworld.world.events import Event
from gridworld.world.rules import transition
from gridworld.world.state import State, Status, new_tuple
from gridworld.world.topology import NO_CELL
from gridworld.world.world import World

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

UNLIMITED = 2**62
"""A step budget larger than any search can use."""

SEARCH_ORDER = (
    Action.MOVE_FORWARD,
    Action.TURN_LEFT,
    Action.TURN_RIGHT,
    Action.TOGGLE,
    Action.PICKUP,
    Action.DROP,
    Action.DONE,
)
"""Order of the actions: of several shortest plans the first in this order is found, so that plans read naturally."""

BYTES_PER_CONFIGURATION, BYTES_PER_NUMBER = 350, 8
"""Measured memory of a numbered configuration, and of each value and position in it, in bytes."""


def require_compiled(world: object) -> None:
    """Raise an error for anything but a compiled task.

    Raises:
        ArgumentError: the world is not a compiled task; the message says how to compile one.
    """
    if not isinstance(world, World):
        expected = "expected a World, as compile_world(task, topology) makes of a task"
        raise ArgumentError(f"world: {type(world).__name__} is not a compiled task, {expected}")


def without_budget(world: World) -> World:
    """Return the world without a step budget."""
    return attrs.evolve(world, max_steps=UNLIMITED)


def unbudgeted(world: World) -> World:
    """Return the world without a step budget, unless its goal depends on the number of steps."""
    return world if world.goal_type.timed else without_budget(world)


def state_key(world: World, state: State) -> Hashable:
    """Return the key that identifies a state in a search; includes the time only if the goal depends on it."""
    return state if world.goal_type.timed else state.key


# --- Constraints -----------------------------------------------------------------------------------------------------

PathConstraint = Callable[[State, Hashable], Hashable]
"""``(next state, memory) -> memory`` along a path, starting with memory 0; None forbids the step.

Paths to the same state are distinguished by their memories. A constraint must not depend on properties that the space
ignores: the step count and what has been discovered.
"""

Property = Callable[[State], bool]
"""Predicate on running states that ignores the step count."""


@attrs.frozen
class EntityPredicate:
    """A `PathConstraint` or `Property` that depends on entities and the status, but not on the agent."""

    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        """Return the result of the function."""
        return self.function(*arguments)


class TouchPredicate(EntityPredicate):
    """An entity predicate that depends only on which entities have been touched, not on where they were moved."""


# --- Numbers for states ----------------------------------------------------------------------------------------------


class Configuration(NamedTuple):
    """A state without the agent's pose and the time."""

    carried: int
    values: tuple[int, ...]
    places: tuple[int, ...]
    memory: Hashable
    """Memory of the goal."""
    discovered: int
    """Bit set of discovered hidden entities; 0 if the search does not distinguish states by it."""
    kept: Hashable
    """Data that the search keeps with the state."""


class PoseChange(IntEnum):
    """Effect of an action on the pose alone."""

    STAY = 0
    LEFT = 1
    RIGHT = 2
    AHEAD = 3


class Poses:
    """The poses of a world: ``number = place * headings + heading``, where places number the cells that are not walls.

    Args:
        world: the compiled task.
    """

    def __init__(self, world: World) -> None:
        headings, cells = world.headings, world.topology.cell_count
        is_floor = np.ones(cells, dtype=bool)
        is_floor[list(world.walls)] = False
        floor = np.flatnonzero(is_floor)
        place_of = np.full(cells, -1, dtype=np.int64)
        place_of[floor] = np.arange(len(floor))
        self.headings = headings
        self.cells: list[int] = floor.tolist()
        """Cell of each place."""
        self.place_of: list[int] = place_of.tolist()
        """Place of each cell, -1 for a wall."""
        self.count = len(floor) * headings
        self.here: Ints = np.repeat(np.arange(len(floor)), headings)
        """Place of the agent in each pose."""
        exits = _rows(world.exits, cells)[floor].ravel()
        self.ahead: Ints = np.where(exits == NO_CELL, -1, place_of[exits])
        """Place in front in each pose, -1 for a wall or the edge of the lattice."""
        heading = np.tile(np.arange(headings), len(floor))
        same = np.arange(self.count)
        turned = [self.here * headings + _rows(turns, cells)[floor].ravel() for turns in (world.left, world.right)]
        onward = np.where(self.ahead < 0, same, self.ahead * headings + heading)
        self.after: Ints = np.stack([same, *turned, onward])
        """Pose after each `PoseChange`, shape (4, poses)."""

    def number(self, cell: int, heading: int) -> int:
        """Return the number of a pose."""
        return self.place_of[cell] * self.headings + heading

    def cell_and_heading(self, pose: int) -> tuple[int, int]:
        """Return the cell and the heading of a pose."""
        place, heading = divmod(pose, self.headings)
        return self.cells[place], heading


def _rows(table: tuple[int, ...], cells: int) -> Ints:
    return np.array(table, dtype=np.int64).reshape(cells, -1)


class Configurations:
    """Configurations, numbered in the order in which they are met.

    Args:
        poses: poses of the world.
        entities: number of movable entities.
    """

    def __init__(self, poses: Poses, entities: int) -> None:
        self._place_of = poses.place_of
        self._met: list[Configuration] = []
        self._numbers: dict[Configuration, int] = {}
        self._places = np.full((16, entities), -1, dtype=np.int32)

    def __len__(self) -> int:
        return len(self._met)

    def __getitem__(self, number: int) -> Configuration:
        return self._met[number]

    @property
    def memory(self) -> int:
        """Estimated memory in bytes."""
        if not self._met:
            return self._places.nbytes
        numbers = len(self._met[0].values) + len(self._met[0].places)
        return self._places.nbytes + len(self._met) * (BYTES_PER_CONFIGURATION + BYTES_PER_NUMBER * numbers)

    def since(self, first: int) -> list[Configuration]:
        """Return the configurations numbered `first` and above."""
        return self._met[first:]

    def known(self, configuration: Configuration) -> int:
        """Return the number of a configuration; -1 if it has not been met."""
        return self._numbers.get(configuration, -1)

    def number(self, configuration: Configuration) -> int:
        """Return the number of a configuration, assigning a new one if necessary."""
        number = self._numbers.get(configuration)
        if number is None:
            number = self._numbers[configuration] = len(self._met)
            self._met.append(configuration)
            if number == len(self._places):
                self._places = doubled(self._places)
            self._places[number] = [self._place_of[cell] if cell >= 0 else -1 for cell in configuration.places]
        return number

    def places(self, numbers: Any) -> NDArray[np.int32]:
        """Return the places of the movable entities, -1 for one without a position; shape (numbers, entities)."""
        places: NDArray[np.int32] = self._places[numbers]
        return places


def doubled(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array extended by as many zeros."""
    return np.concatenate([array, np.zeros_like(array)])


# --- Spaces ----------------------------------------------------------------------------------------------------------

Step = tuple[State, Hashable, tuple[Event, ...]]
"""Outcome of an action: the state, the data kept with it, and the events."""


class StateSpace:
    """The states of a world, regardless of time and of what has been discovered.

    Args:
        world: the compiled task, without a timed goal.
    """

    depends_on_agent = False
    """Whether the space adds rules that depend on the agent's position or heading."""

    depends_on_entities = False
    """Whether the space adds rules that depend on entities' values and positions."""

    slots: tuple[Action, ...] = SEARCH_ORDER
    """Actions in order of expansion, each repeated once per possible outcome."""

    def __init__(self, world: World) -> None:
        self.world = without_budget(world)

    def first(self, state: State) -> tuple[State, Hashable]:
        """Return a start state with the data kept there."""
        return state, 0

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """Return the outcomes of an action; none if it is forbidden."""
        now, events = transition(self.world, state, action)
        return ((now, kept, events),)

    def configuration(self, state: State, kept: Hashable) -> Configuration:
        """Return the configuration of a state."""
        _, _, carried, values, places, memory, _, _, _ = state
        return new_tuple(Configuration, (carried, values, places, memory, 0, kept))

    def state(self, configuration: Configuration, cell: int, heading: int) -> tuple[State, Hashable]:
        """Return the state with a configuration and a pose, with the data kept there."""
        carried, values, places, memory, discovered, kept = configuration
        fields = (cell, heading, carried, values, places, memory, 0, Status.RUNNING, discovered)
        return new_tuple(State, fields), kept


class DiscoveringSpace(StateSpace):
    """A space that also distinguishes states by what has been discovered."""

    def configuration(self, state: State, kept: Hashable) -> Configuration:
        """Return the configuration of a state."""
        _, _, carried, values, places, memory, _, _, discovered = state
        return new_tuple(Configuration, (carried, values, places, memory, discovered, kept))


class BudgetedSpace(StateSpace):
    """A space whose states end with the budget but are not distinguished by step count."""

    def __init__(self, world: World) -> None:
        self.world = world

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """Return the outcomes of an action; none if it ends the budget without success."""
        now, events = transition(self.world, state, action)
        return () if not now.status and self.world.is_over(now) else ((now, kept, events),)


class TimedSpace(BudgetedSpace):
    """A space that distinguishes states by step count; they end with the budget."""

    def first(self, state: State) -> tuple[State, Hashable]:
        """Return a start state with its number of steps."""
        return state, state.steps

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """Return the outcomes of an action; none if it ends the budget without success."""
        return tuple((now, now.steps, events) for now, _, events in super().steps(state, kept, action))

    def state(self, configuration: Configuration, cell: int, heading: int) -> tuple[State, Hashable]:
        """Return the state with a configuration and a pose, with its number of steps."""
        state, kept = super().state(configuration, cell, heading)
        assert isinstance(kept, int)
        return state._replace(steps=kept), kept


class _NarrowedSpace(StateSpace):
    """Wraps another space and changes some of its steps with a function.

    Args:
        space: the other space.
        function: changes the steps.
    """

    def __init__(self, space: StateSpace, function: Callable[..., Any]) -> None:
        self.world, self.slots = space.world, space.slots
        self.depends_on_agent = space.depends_on_agent or not isinstance(function, EntityPredicate)
        self.depends_on_entities = True
        self._space = space

    def first(self, state: State) -> tuple[State, Hashable]:
        """Return a start state."""
        return self._space.first(state)

    def configuration(self, state: State, kept: Hashable) -> Configuration:
        """Return the configuration of a state."""
        return self._space.configuration(state, kept)

    def state(self, configuration: Configuration, cell: int, heading: int) -> tuple[State, Hashable]:
        """Return the state with a configuration and a pose."""
        return self._space.state(configuration, cell, heading)


class ConstrainedSpace(_NarrowedSpace):
    """Wraps another space and applies a path constraint, whose memory becomes part of the state.

    Args:
        space: the other space.
        constraint: forbids steps.
    """

    def __init__(self, space: StateSpace, constraint: PathConstraint) -> None:
        super().__init__(space, constraint)
        self._constraint = constraint

    def first(self, state: State) -> tuple[State, Hashable]:
        """Return a start state."""
        first, kept = self._space.first(state)
        return first, (0, kept)

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """Return the steps that are not forbidden."""
        assert isinstance(kept, tuple)
        memory, inner = kept
        allowed = []
        for now, following, events in self._space.steps(state, inner, action):
            remembered = self._constraint(now, memory)
            if remembered is not None:
                allowed.append((now, (remembered, following), events))
        return tuple(allowed)

    def configuration(self, state: State, kept: Hashable) -> Configuration:
        """Return the configuration of a state."""
        assert isinstance(kept, tuple)
        return self._space.configuration(state, kept[1])._replace(kept=kept)

    def state(self, configuration: Configuration, cell: int, heading: int) -> tuple[State, Hashable]:
        """Return the state with a configuration and a pose."""
        kept = configuration.kept
        assert isinstance(kept, tuple)
        state, _ = self._space.state(configuration._replace(kept=kept[1]), cell, heading)
        return state, kept


class UntilSpace(_NarrowedSpace):
    """Wraps another space so that its goal is a running state with a property.

    Args:
        space: the other space.
        until: the property.
    """

    def __init__(self, space: StateSpace, until: Property) -> None:
        super().__init__(space, until)
        self._until = until

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """Return the outcomes of an action; none if the goal of the task ends the episode."""
        found = []
        for now, following, events in self._space.steps(state, kept, action):
            if now.status != Status.SUCCEEDED:
                reached = not now.status and self._until(now)
                found.append((now.ended(Status.SUCCEEDED) if reached else now, following, events))
        return tuple(found)
