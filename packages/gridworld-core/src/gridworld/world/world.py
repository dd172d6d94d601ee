"""`World`: a task compiled on a topology, as immutable tables shared by all its episodes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import attrs

from gridworld.support.caches import BoundedCache
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.events import Event, Moved
from gridworld.world.goal_type import GoalType, Mark
from gridworld.world.mechanism_type import CarryHook, MechanismType, NextValue, Trait
from gridworld.world.state import NOTHING, State
from gridworld.world.topology import NO_CELL, Seam, Topology, kept_seams

SOLID, OPAQUE = int(Trait.SOLID), int(Trait.OPAQUE)
"""Traits as plain integers, since every step reads them and enum flags are slow."""

Setting = tuple[tuple[int, ...], tuple[int, ...], int]
"""Values, positions and discoveries of entities."""


@attrs.frozen(eq=False)
class Entity:
    """A mechanism of a task, placed on a topology."""

    index: int
    id: str
    type: MechanismType
    spec: Any
    color: str | None
    cells: tuple[int, ...]
    """All cells that the entity occupies at the start; a fixed entity never leaves them."""
    anchors: tuple[int, ...]
    """Anchor cells of the entity's positions, in the order of `MechanismType.positions`."""
    controllers: tuple[int, ...] = ()
    """Indices of the entities that control this one."""
    number: int = 0
    """Number of dots shared with the entity's target (`gridworld.world.goal_type.number_things`); 0 without dots."""

    def value_name(self, state: State) -> str:
        """Return the name of the entity's value in a state."""
        return self.type.values[state.values[self.index]]


@attrs.frozen(eq=False)
class World:
    """Everything about a task that actions cannot change; made by `gridworld.world.compilation`.

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
    """The sealed seams (`gridworld.world.topology`), drawn as thin walls; they block movement and sight."""
    barring: tuple[tuple[int, tuple[Position, ...]], ...]
    """The entities that can block whole lattice cells, with those lattice cells."""
    left: tuple[int, ...]
    right: tuple[int, ...]
    walls: frozenset[int]
    marks: Mapping[int, Mark]
    """The goal's mark on each marked cell; nothing can be dropped there, but blocks can be pushed there."""
    visited: Callable[[Hashable], frozenset[int]] | None
    """Returns the marked cells that count as visited from the goal's memory; None if marks never change."""
    fixed_at: tuple[int, ...]
    """Index of the fixed entity on each cell, or `NOTHING`."""
    traits: tuple[tuple[int, ...], ...]
    """`Trait` flags of each (entity, value) as an integer."""
    sensing: tuple[tuple[Entity, NextValue], ...]
    deriving: tuple[tuple[Entity, NextValue], ...]
    carrying: tuple[tuple[Entity, CarryHook], ...]
    ticking: tuple[tuple[Entity, NextValue], ...]
    reactive: bool
    """Whether any entity senses, derives, carries or ticks."""
    numbered: tuple[int, ...]
    """The entities that get a number when first seen."""
    deadly: bool
    """Whether any entity can be deadly."""
    hidden: int
    """Bit set of the entities that are hidden until discovered."""
    start: State
    max_steps: int
    reached: Callable[[State], bool]
    """Whether a state reaches the goal; call `gridworld.world.rules.is_reached`, which attributes exceptions."""
    remember: Callable[[State, tuple[Event, ...]], Hashable] | None
    """Updates the goal's memory after a step; None for a goal without memory."""
    _opaque: BoundedCache[Setting, frozenset[int]] = attrs.field(init=False, factory=BoundedCache)
    """Cached results of `opaque_cells`, by the parts of a state that they depend on."""

    def thing_at(self, state: State, cell: int) -> int:
        """Return the index of the entity on a cell, the movable one of two; `NOTHING` if there is none."""
        if cell in state.places:
            return state.places.index(cell)
        return self.fixed_at[cell]

    def traits_of(self, state: State, entity: int) -> int:
        """Return the `Trait` flags of an entity in a state as an integer."""
        return self.traits[entity][state.values[entity]]

    def things_at(self, state: State, cell: int) -> tuple[int, ...]:
        """Return the indices of all entities on a cell, the topmost first."""
        fixed = self.fixed_at[cell]
        below = () if fixed == NOTHING else (fixed,)
        return (state.places.index(cell), *below) if cell in state.places else below

    def refuses(self, state: State, entity: int, barring: int = SOLID) -> bool:
        """Whether an entity refuses a visitor that comes from the state's cell in the state's heading.

        Args:
            state: a state with the visitor's origin and direction of travel as the cell and heading of the agent. The
                visitor is the agent, or an entity that is pushed or carried.
            entity: the index of the entity on the entered cell.
            barring: `Trait` flags; an entity with one of them refuses every visitor.
        """
        if self.traits_of(state, entity) & barring:
            return True
        admits = self.entities[entity].type.admits
        return admits is not None and not admits(self, state, self.entities[entity])

    def obstacle_at(self, state: State, cell: int) -> Entity | None:
        """Return the entity that blocks a cell for an agent with the state's heading, or None."""
        for index in self.things_at(state, cell):
            if self.refuses(state, index):
                return self.entities[index]
        return None

    def is_free(self, state: State, cell: int) -> bool:
        """Whether an agent with the state's heading could step onto a cell."""
        return cell != NO_CELL and cell not in self.walls and self.obstacle_at(state, cell) is None

    def ahead(self, state: State) -> int:
        """Return the cell in front of the agent, across the edge that it faces; `NO_CELL` if there is none."""
        return self.exits[state.cell * self.headings + state.heading]

    def advanced(self, state: State) -> tuple[State, tuple[Event, ...]] | None:
        """Return the state with the agent one step ahead, and the event; None if the agent cannot step there."""
        beyond = self.ahead(state)
        return (state.at(beyond), (Moved(state.cell, beyond),)) if self.is_free(state, beyond) else None

    def is_hidden(self, state: State, entity: int) -> bool:
        """Whether an entity is hidden and has not been discovered."""
        return bool(self.hidden & ~state.discovered & 1 << entity)

    def is_occupied(self, state: State, cells: Sequence[int]) -> bool:
        """Whether the agent or a movable entity is on one of the cells."""
        return state.cell in cells or any(place in cells for place in state.places)

    def is_over(self, state: State) -> bool:
        """Whether the episode has ended, by success, death or truncation."""
        return state.status != 0 or state.steps >= self.max_steps

    def opaque_cells(self, state: State) -> frozenset[int]:
        """Return the cells that block sight: walls, opaque entities, and solid hidden ones, which look like walls."""
        known, setting = self._opaque, (state.values, state.places, state.discovered)
        cells = known.get(setting)
        if cells is None:
            blocking = (
                entity
                for entity in self.entities
                if self.traits_of(state, entity.index) & (SOLID if self.is_hidden(state, entity.index) else OPAQUE)
            )
            cells = self.walls.union(cell for entity in blocking for cell in self.cells_of(state, entity))
            known.put(setting, cells, sys.getsizeof(cells) + sum(map(sys.getsizeof, setting)))
        return cells

    def seams_in_sight(self, state: State) -> frozenset[Seam]:
        """Return the seams that block sight: hidden entities seal seams according to how they look."""
        if not self.hidden & ~state.discovered:
            return self.seams
        barriers = {place for index, places in self.barring if not self.is_hidden(state, index) for place in places}
        for entity in self.entities:
            if self.is_hidden(state, entity.index) and self.traits_of(state, entity.index) & SOLID:
                barriers.update(self.topology.lattice[cell] for cell in self.cells_of(state, entity))
        return kept_seams(self.topology, self.task.maze.wall_cells().union(barriers))

    def cells_of(self, state: State, entity: Entity) -> tuple[int, ...]:
        """Return the cells of an entity in a state; none while it is carried or used up."""
        if entity.index >= len(state.places):
            return entity.cells
        place = state.places[entity.index]
        return () if place == NO_CELL else (place,)
