"""A task compiled against a topology: immutable tables, made once and shared by every episode."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import attrs

from gridworld.support.bounded_cache import BoundedCache
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.events import Event, Moved
from gridworld.world.goal_type import GoalType, Mark
from gridworld.world.mechanism_type import CarryHook, MechanismType, NextValue, Trait
from gridworld.world.state import NOTHING, State
from gridworld.world.topology import NO_CELL, Seam, Topology, kept_seams

SOLID, OPAQUE = int(Trait.SOLID), int(Trait.OPAQUE)
"""Plain integers, because flags of `enum` are slow and these are asked in every step."""

Setting = tuple[tuple[int, ...], tuple[int, ...], int]
"""The values and places of things, and those that have been discovered."""


@attrs.frozen(eq=False)
class Entity:
    """One mechanism of a task, placed on a topology."""

    index: int
    id: str
    type: MechanismType
    spec: Any
    color: str | None
    cells: tuple[int, ...]
    """All cells that it takes at the start; for a fixed entity, for good."""
    anchors: tuple[int, ...]
    """The anchor cells of its positions, in the order of `MechanismType.positions`."""
    controllers: tuple[int, ...] = ()
    """The entities that control this one."""
    number: int = 0
    """How many dots it shares with its target, see `gridworld.world.goal_type`; 0 for what has none."""
    owner: str = ""
    """What messages call its type, such as ``mechanism 'ice' (my-distribution)``."""

    def value_name(self, state: State) -> str:
        """The name of the state that it is in."""
        return self.type.values[state.values[self.index]]


@attrs.frozen(eq=False)
class World:
    """Everything about a task that actions cannot change.

    Tables over (cell, heading) are flat, indexed by ``cell * headings + heading``. Movable entities come first, so that
    an entity's index is also its index in `State.places`.
    """

    task: TaskSpecification
    topology: Topology
    goal_type: GoalType
    entities: tuple[Entity, ...]
    by_id: dict[str, Entity]
    headings: int
    exits: tuple[int, ...]
    seams: frozenset[Seam]
    """The sealed seams (`gridworld.world.topology`), to be drawn as thin walls; nothing passes, nor does sight."""
    barring: tuple[tuple[int, tuple[Position, ...]], ...]
    """The entities that can bar the whole of the lattice cells that they take, with these."""
    left: tuple[int, ...]
    right: tuple[int, ...]
    walls: frozenset[int]
    marks: Mapping[int, Mark]
    """The cells that the goal marks: not free floor, but blocks may be pushed there."""
    visited: Callable[[Hashable], frozenset[int]] | None
    """From the goal's memory to the marked cells that are done with; None where no mark ever is."""
    fixed_at: tuple[int, ...]
    """Cell to the index of the fixed entity there, or `NOTHING`."""
    traits: tuple[tuple[int, ...], ...]
    """(entity, value) to its `Trait` flags as an integer."""
    sensing: tuple[tuple[Entity, NextValue], ...]
    deriving: tuple[tuple[Entity, NextValue], ...]
    carrying: tuple[tuple[Entity, CarryHook], ...]
    ticking: tuple[tuple[Entity, NextValue], ...]
    reactive: bool
    """Whether anything in this world senses, derives, carries or ticks."""
    numbered: tuple[int, ...]
    """The entities that get a number when they are first shown."""
    deadly: bool
    """Whether anything in this world can be deadly."""
    hidden: int
    """One bit for each entity that is hidden until it is discovered."""
    start: State
    max_steps: int
    reached: Callable[[State], bool]
    remember: Callable[[State, tuple[Event, ...]], Hashable] | None
    """What the goal remembers after a step; None for a goal without memory."""
    _opaque: BoundedCache[Setting, frozenset[int]] = attrs.field(init=False, factory=BoundedCache)
    """`opaque_cells` as found so far, by all of a state that they depend on."""

    def thing_at(self, state: State, cell: int) -> int:
        """The index of the entity on a cell, the movable one where there are two, or `NOTHING`."""
        if cell in state.places:
            return state.places.index(cell)
        return self.fixed_at[cell]

    def traits_of(self, state: State, entity: int) -> int:
        """The `Trait` flags of an entity in its present state."""
        return self.traits[entity][state.values[entity]]

    def things_at(self, state: State, cell: int) -> tuple[int, ...]:
        """The indices of all entities on a cell, the topmost first."""
        fixed = self.fixed_at[cell]
        below = () if fixed == NOTHING else (fixed,)
        return (state.places.index(cell), *below) if cell in state.places else below

    def refuses(self, state: State, entity: int, barring: int = SOLID) -> bool:
        """Whether an entity keeps off its cell what comes from the state's cell in the direction of its heading.

        Args:
            state: the agent, or what is pushed or carried in its stead, on the cell it comes from.
            entity: what lies on the cell that is entered.
            barring: the `Trait` flags with one of which it refuses whatever comes.
        """
        if self.traits_of(state, entity) & barring:
            return True
        admits = self.entities[entity].type.admits
        return admits is not None and not admits(self, state, self.entities[entity])

    def obstacle_at(self, state: State, cell: int) -> Entity | None:
        """The entity that keeps an agent with the state's heading from stepping onto a cell, if any does."""
        for thing in self.things_at(state, cell):
            if self.refuses(state, thing):
                return self.entities[thing]
        return None

    def is_free(self, state: State, cell: int) -> bool:
        """Whether an agent with the state's heading could step onto a cell."""
        return cell != NO_CELL and cell not in self.walls and self.obstacle_at(state, cell) is None

    def advanced(self, state: State) -> tuple[State, tuple[Event, ...]] | None:
        """The agent one cell further in the direction of its heading, and the event; None where it could not step."""
        beyond = self.exits[state.cell * self.headings + state.heading]
        return (state.at(beyond), (Moved(state.cell, beyond),)) if self.is_free(state, beyond) else None

    def is_hidden(self, state: State, entity: int) -> bool:
        """Whether an entity is one of the hidden ones and has not been discovered."""
        return bool(self.hidden & ~state.discovered & 1 << entity)

    def is_occupied(self, state: State, cells: Sequence[int]) -> bool:
        """Whether the agent or a movable thing is on one of the cells."""
        return state.cell in cells or any(place in cells for place in state.places)

    def is_over(self, state: State) -> bool:
        """Whether the episode has ended, by success, death or truncation."""
        return state.status != 0 or state.steps >= self.max_steps

    def opaque_cells(self, state: State) -> frozenset[int]:
        """The cells that block sight: walls, opaque things, and solid ones that still look like wall."""
        known, setting = self._opaque, (state.values, state.places, state.discovered)
        cells = known.get(setting)
        if cells is None:
            cells = self._find_opaque(state)
            known.put(setting, cells, sys.getsizeof(cells) + sum(map(sys.getsizeof, setting)))
        return cells

    def _find_opaque(self, state: State) -> frozenset[int]:
        shut = (
            cell
            for entity in self.entities
            if self._blocks_sight(state, entity.index)
            for cell in self.cells_of(state, entity)
        )
        return self.walls.union(shut)

    def _blocks_sight(self, state: State, entity: int) -> bool:
        traits = self.traits_of(state, entity)
        return bool(traits & (SOLID if self.is_hidden(state, entity) else OPAQUE))

    def seams_in_sight(self, state: State) -> frozenset[Seam]:
        """The seams that block sight: hidden things seal those that they would if they were what they look like."""
        if not self.hidden & ~state.discovered:
            return self.seams
        barriers = {place for thing, places in self.barring if not self.is_hidden(state, thing) for place in places}
        for entity in self.entities:
            if self.is_hidden(state, entity.index) and self.traits_of(state, entity.index) & SOLID:
                barriers.update(self.topology.lattice[cell] for cell in self.cells_of(state, entity))
        return kept_seams(self.topology, self.task.maze.wall_cells().union(barriers))

    def cells_of(self, state: State, entity: Entity) -> tuple[int, ...]:
        """The cells where an entity is now; none while it is carried or used up."""
        if entity.index >= len(state.places):
            return entity.cells
        place = state.places[entity.index]
        return () if place == NO_CELL else (place,)
