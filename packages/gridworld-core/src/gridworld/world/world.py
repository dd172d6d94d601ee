"""A task compiled against a topology: immutable tables, made once and shared by every episode."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import attrs

from gridworld.errors import InvalidTaskError
from gridworld.support.bounded_cache import BoundedCache
from gridworld.task.catalogs import Catalogs, NamedTypes, Vocabulary
from gridworld.task.validation import find_problems
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.events import Event, Moved
from gridworld.world.goal_type import GoalType
from gridworld.world.marks import Mark, Marker, mark_cells, number_things
from gridworld.world.mechanism_type import CarryHook, MechanismType, NextValue
from gridworld.world.placement import find_placement_problems, find_topology_problems
from gridworld.world.seams import Seam, kept_seams, sealed_exits
from gridworld.world.state import NOTHING, State
from gridworld.world.topology import NO_CELL, Topology
from gridworld.world.traits import Trait

__all__ = ["Entity", "World", "build_world"]


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
    """How many dots it shares with its target, see `gridworld.world.marks`; 0 for what has none."""
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
    """The sealed seams (`gridworld.world.seams`), to be drawn as thin walls; nothing passes, nor does sight."""
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

    def __reduce__(self) -> tuple[Any, ...]:
        """A world is compiled anew where it is unpickled, with the same types whatever plugins are registered there."""
        firsts = {name: self.by_id[specs[0].id] for name, specs in self.task.mechanisms.groups()}
        types = {name: entity.type for name, entity in firsts.items()}
        owners = {name: entity.owner for name, entity in firsts.items()}
        return _rebuild_world, (self.task, self.topology, types, owners, self.goal_type, self.start)

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


def _rebuild_world(
    task: TaskSpecification,
    topology: Topology,
    types: dict[str, MechanismType],
    owners: dict[str, str],
    goal_type: GoalType,
    start: State,
) -> World:
    """A pickled world; its start has been settled by `gridworld.world.rules.compile_world`."""
    world = build_world(task, topology, Vocabulary(types, {task.goal.type: goal_type}, owners))
    return attrs.evolve(world, start=start)


def build_world(task: TaskSpecification, topology: Topology, catalogs: Catalogs) -> World:
    """Compile a task; the start state is not yet settled (see `gridworld.world.rules.compile_world`).

    Raises:
        InvalidTaskError: the task is invalid, with every problem named.
    """
    problems = find_problems(task, catalogs) or find_topology_problems(task, topology)
    if problems:
        raise InvalidTaskError(problems, task.task_id)
    goal_type = catalogs.goals.get(task.goal.type)
    markers = goal_type.markers(task)
    entities = _place_entities(task, topology, catalogs.mechanisms, markers)
    by_id = {entity.id: entity for entity in entities}
    barring = tuple(_barring(entities))
    seams = kept_seams(topology, task.maze.wall_cells().union(*(places for _, places in barring)))
    movable_count = sum(1 for entity in entities if _is_movable(entity.type, entity.spec))
    world = World(
        task=task,
        topology=topology,
        goal_type=goal_type,
        entities=entities,
        by_id=by_id,
        headings=topology.heading_count,
        exits=sealed_exits(topology, seams),
        seams=seams,
        barring=barring,
        left=topology.left,
        right=topology.right,
        walls=frozenset(cell for position in task.maze.wall_cells() for cell in topology.patches[position]),
        marks=dict(mark_cells(markers, topology, by_id)),
        visited=None,
        fixed_at=_fixed_table(entities[movable_count:], topology),
        traits=tuple(
            tuple(int(entity.type.traits(entity.spec, name)) for name in entity.type.values) for entity in entities
        ),
        sensing=tuple((entity, entity.type.sense) for entity in entities if entity.type.sense),
        deriving=tuple((entity, entity.type.derive) for entity in entities if entity.type.derive),
        carrying=tuple((entity, entity.type.carries) for entity in entities if entity.type.carries),
        ticking=tuple((entity, entity.type.tick) for entity in entities if entity.type.tick),
        reactive=any(map(_is_reactive, entities)),
        numbered=tuple(entity.index for entity in entities if entity.type.numbered),
        deadly=any(entity.type.possible_traits(entity.spec) & Trait.DEADLY for entity in entities),
        hidden=sum(1 << entity.index for entity in entities if entity.id in task.rules.hidden_mechanisms),
        start=_start_state(task, topology, entities, movable_count),
        max_steps=task.max_steps,
        reached=lambda state: False,
        remember=None,
    )
    problems = find_placement_problems(world)
    if problems:
        raise InvalidTaskError(problems, task.task_id)
    remember = goal_type.remember(world) if goal_type.remember else None
    start = world.start.remembering(goal_type.initial_memory(world))
    return attrs.evolve(
        world, start=start, reached=goal_type.reached(world), remember=remember, visited=_visited(world)
    )


def _visited(world: World) -> Callable[[Hashable], frozenset[int]] | None:
    visited, patches = world.goal_type.visited, world.topology.patches
    if visited is None:
        return None

    @lru_cache(maxsize=256)
    def cells(memory: Hashable, typed: str) -> frozenset[int]:
        return frozenset(cell for position in visited(world, memory) for cell in patches[position])

    return lambda memory: cells(memory, repr(memory))  # True, 1 and 1.0 are one key to the cache


def _is_reactive(entity: Entity) -> bool:
    kind = entity.type
    return any((kind.sense, kind.derive, kind.carries, kind.tick))


def _is_movable(mechanism: MechanismType, spec: Any) -> bool:
    return bool(mechanism.possible_traits(spec) & Trait.MOVABLE)


def _barring(entities: Sequence[Entity]) -> Iterator[tuple[int, tuple[Position, ...]]]:
    for entity in entities:
        if entity.type.fills_patch and entity.type.possible_traits(entity.spec) & Trait.SOLID:
            yield entity.index, tuple(entity.type.positions(entity.spec).values())


def _place_entities(
    task: TaskSpecification, topology: Topology, types: NamedTypes[MechanismType], markers: Sequence[Marker]
) -> tuple[Entity, ...]:
    owners = {types.get(name).name: types.describe(name) for name, _ in task.mechanisms.groups()}
    listed = [
        (mechanism, mechanism.completed(spec, task.rules))
        for name, specs in task.mechanisms.groups()
        for mechanism in [types.get(name)]
        for spec in specs
    ]
    listed.sort(key=lambda pair: _canonical_place(*pair))
    index_of = {spec.id: index for index, (_, spec) in enumerate(listed)}
    numbers = number_things(markers, {spec.id: mechanism.color(spec) for mechanism, spec in listed})
    controllers: dict[str, list[int]] = {}
    for mechanism, spec in listed:
        for target in mechanism.controls(spec):
            controllers.setdefault(target, []).append(index_of[spec.id])
    return tuple(
        Entity(
            index=index,
            id=spec.id,
            type=mechanism,
            spec=spec,
            color=mechanism.color(spec),
            cells=_cells_taken(mechanism, spec, topology),
            anchors=tuple(topology.anchor(position) for position in mechanism.positions(spec).values()),
            controllers=tuple(sorted(controllers.get(spec.id, ()))),
            number=numbers.get(spec.id, 0),
            owner=owners[mechanism.name],
        )
        for index, (mechanism, spec) in enumerate(listed)
    )


def _canonical_place(mechanism: MechanismType, spec: Any) -> tuple[Any, ...]:
    """Where an entity comes among the others: movable ones first, and never as a file lists or names them."""
    return not _is_movable(mechanism, spec), mechanism.name, tuple(mechanism.positions(spec).values())


def _cells_taken(mechanism: MechanismType, spec: Any, topology: Topology) -> tuple[int, ...]:
    patches = [topology.patches[position] for position in mechanism.positions(spec).values()]
    return tuple(cell for patch in patches for cell in (patch if mechanism.fills_patch else patch[:1]))


def _fixed_table(fixed: Sequence[Entity], topology: Topology) -> tuple[int, ...]:
    table = [NOTHING] * topology.cell_count
    for entity in fixed:
        for cell in entity.cells:
            table[cell] = entity.index
    return tuple(table)


def _start_state(task: TaskSpecification, topology: Topology, entities: Sequence[Entity], movable_count: int) -> State:
    return State(
        cell=topology.anchor(task.maze.start),
        heading=0,
        carried=NOTHING,
        values=tuple(entity.type.initial_value(entity.spec, task.rules, entity.owner) for entity in entities),
        places=tuple(entity.cells[0] for entity in entities[:movable_count]),
    )
