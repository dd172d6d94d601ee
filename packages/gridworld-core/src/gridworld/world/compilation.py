"""Compilation of a task on a tiling into a `World`: builds tables, checks the placement, and settles the start."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import attrs

from gridworld.errors import InvalidTaskError, Problem
from gridworld.task.catalogs import Catalogs, GivenTypes, NamedTypes
from gridworld.task.validation import find_problems
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.goal_type import GoalType, Mark, Marker, number_things
from gridworld.world.mechanism_type import MechanismType, Trait
from gridworld.world.owned_hooks import made_hook, plain
from gridworld.world.rules import UnsettledFault, is_reached, settle
from gridworld.world.state import NOTHING, State
from gridworld.world.topology import NO_CELL, Topology, kept_seams, sealed_exits
from gridworld.world.world import Entity, World


def compile_world(task: TaskSpecification, topology: Topology, catalogs: Catalogs | None = None) -> World:
    """Compile a task on a topology, and settle its start: sensors respond to what stands on them, and gates follow.

    Args:
        task: the task.
        topology: a topology of the task's dimensions.
        catalogs: the mechanism and goal types that the task may use; by default the types of the installed plugins.

    Raises:
        InvalidTaskError: the task is invalid; the error lists every problem.
    """
    if catalogs is None:
        from gridworld.plugins.registry import get_registry

        catalogs = get_registry()
    world = _build_world(task, topology, catalogs)
    try:
        start, _ = settle(world, world.start, ())
    except UnsettledFault as fault:
        raise InvalidTaskError(_unsettled_at_start(task, fault.ids), task.task_id) from None
    if is_reached(world, start):
        raise InvalidTaskError([Problem("goal", "it is already reached at the start")], task.task_id)
    return attrs.evolve(world, start=start)


def _unsettled_at_start(task: TaskSpecification, ids: Sequence[str]) -> list[Problem]:
    names, paths = ", ".join(map(repr, ids)), dict(_paths_by_id(task))
    return [
        Problem(paths[each], f"never settles at the start: each change leads to another in {names}") for each in ids
    ]


def _build_world(task: TaskSpecification, topology: Topology, catalogs: Catalogs) -> World:
    """Compile a task without settling its start; raises InvalidTaskError."""
    problems = find_problems(task, catalogs) or find_topology_problems(task, topology)
    if problems:
        raise InvalidTaskError(problems, task.task_id)
    goal_type = catalogs.goals.get(task.goal.type)
    markers = goal_type.markers(task)
    entities = _place_entities(task, topology, catalogs.mechanisms, markers)
    by_id = {entity.id: entity for entity in entities}
    barring = tuple(
        (entity.index, tuple(entity.type.positions(entity.spec).values()))
        for entity in entities
        if entity.type.fills_patch and entity.type.possible_traits(entity.spec) & Trait.SOLID
    )
    seams = kept_seams(topology, task.maze.wall_cells().union(*(places for _, places in barring)))
    movable_count = sum(1 for entity in entities if _is_movable(entity.type, entity.spec))
    # Every step calls these, so the kernel attributes their exceptions itself.
    sensing = tuple((entity, plain(entity.type.sense)) for entity in entities if entity.type.sense)
    deriving = tuple((entity, plain(entity.type.derive)) for entity in entities if entity.type.derive)
    ticking = tuple((entity, plain(entity.type.tick)) for entity in entities if entity.type.tick)
    carrying = tuple((entity, entity.type.carries) for entity in entities if entity.type.carries)
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
        marks=dict(_mark_cells(markers, topology, by_id)),
        visited=None,
        fixed_at=_fixed_table(entities[movable_count:], topology),
        traits=tuple(
            tuple(int(entity.type.traits(entity.spec, name)) for name in entity.type.values) for entity in entities
        ),
        sensing=sensing,
        deriving=deriving,
        carrying=carrying,
        ticking=ticking,
        reactive=bool(sensing or deriving or carrying or ticking),
        numbered=tuple(entity.index for entity in entities if entity.type.numbered),
        deadly=any(entity.type.possible_traits(entity.spec) & Trait.DEADLY for entity in entities),
        hidden=sum(1 << entity.index for entity in entities if entity.id in task.rules.hidden_mechanisms),
        start=State(
            cell=topology.anchor(task.maze.start),
            heading=0,
            carried=NOTHING,
            values=tuple(entity.type.initial_value(entity.spec, task.rules) for entity in entities),
            places=tuple(entity.cells[0] for entity in entities[:movable_count]),
        ),
        max_steps=task.max_steps,
        reached=lambda state: False,
        remember=None,
    )
    problems = [*_find_covered_patches(world), *_find_sealed_start(world)]
    if problems:
        raise InvalidTaskError(problems, task.task_id)
    remember = goal_type.remember and made_hook(goal_type.remember(world), goal_type, "remember", "state, events")
    reached = made_hook(goal_type.reached(world), goal_type, "reached", "state")
    start = world.start.remembering(goal_type.initial_memory(world))
    return attrs.evolve(world, start=start, reached=plain(reached), remember=remember, visited=_visited(world))


def _visited(world: World) -> Callable[[Hashable], frozenset[int]] | None:
    visited, patches = world.goal_type.visited, world.topology.patches
    if visited is None:
        return None

    @lru_cache(maxsize=256)
    def cells(memory: Hashable, typed: str) -> frozenset[int]:
        return frozenset(cell for position in visited(world, memory) for cell in patches[position])

    return lambda memory: cells(memory, repr(memory))  # True, 1 and 1.0 are one key to the cache


def _is_movable(mechanism: MechanismType, spec: Any) -> bool:
    return bool(mechanism.possible_traits(spec) & Trait.MOVABLE)


def _place_entities(
    task: TaskSpecification, topology: Topology, types: NamedTypes, markers: Sequence[Marker]
) -> tuple[Entity, ...]:
    """Build the entities in canonical order, movable ones first, independent of their order and names in a file."""
    listed = [
        (mechanism, mechanism.completed(spec, task.rules))
        for name, specs in task.mechanisms.groups()
        for mechanism in [types.get(name)]
        for spec in specs
    ]
    listed.sort(key=lambda pair: (not _is_movable(*pair), pair[0].name, tuple(pair[0].positions(pair[1]).values())))
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
            cells=tuple(
                cell
                for position in mechanism.positions(spec).values()
                for cell in (topology.patches[position] if mechanism.fills_patch else [topology.anchor(position)])
            ),
            anchors=tuple(topology.anchor(position) for position in mechanism.positions(spec).values()),
            controllers=tuple(sorted(controllers.get(spec.id, ()))),
            number=numbers.get(spec.id, 0),
        )
        for index, (mechanism, spec) in enumerate(listed)
    )


def _mark_cells(
    markers: Sequence[Marker], topology: Topology, entities: Mapping[str, Entity]
) -> Iterator[tuple[int, Mark]]:
    """Yield the marked cells with their marks; the later of two marks on a cell counts.

    The target of a thing is one cell, that on which it has to be; other marks fill their patch.
    """
    for marker in markers:
        if marker.thing is None:
            yield from ((cell, Mark(marker.kind)) for cell in topology.patches[marker.position])
        else:
            entity = entities[marker.thing]
            yield topology.anchor(marker.position), Mark(marker.kind, entity.color, entity.number)


def _fixed_table(fixed: Sequence[Entity], topology: Topology) -> tuple[int, ...]:
    table = [NOTHING] * topology.cell_count
    for entity in fixed:
        for cell in entity.cells:
            table[cell] = entity.index
    return tuple(table)


# --- Checks of a task on a tiling -------------------------------------------------------------------------------------


def find_topology_problems(task: TaskSpecification, topology: Topology) -> list[Problem]:
    """Report the lattice cells of the task for which the tiling has no cell."""
    width, height = task.maze.dimensions
    missing = [(x, y) for y in range(height) for x in range(width) if not topology.patches.get(Position(x, y))]
    if not missing:
        return []
    example = list(missing[0])
    return [Problem("maze.dimensions", f"too small for the tiling '{topology.name}': it has no cell for {example}")]


def _find_covered_patches(world: World) -> Iterator[Problem]:
    patches, maze = world.topology.patches, world.task.maze
    places = dict(_paths_by_id(world.task))
    owners = dict.fromkeys(world.walls, "a wall")
    taken = [("maze.start", patches[maze.start][:1]), ("maze.goal", patches[maze.goal])]
    taken += [(places[entity.id], entity.cells) for entity in world.entities]
    for path, cells in taken:
        covered = sorted({owners[cell] for cell in cells if cell in owners})
        for owner in covered:
            yield Problem(path, f"its patch on the tiling '{world.topology.name}' covers that of {owner}")
        if len(set(cells)) < len(cells):
            yield Problem(path, f"its patches on the tiling '{world.topology.name}' cover one another")
        owners |= dict.fromkeys(cells, path)


def _paths_by_id(task: TaskSpecification) -> Iterator[tuple[str, str]]:
    """Yield the id and the field path of each mechanism."""
    for name, specs in task.mechanisms.groups():
        for number, spec in enumerate(specs):
            yield spec.id, f"mechanisms.{name}[{number}]"


def _find_sealed_start(world: World) -> Iterator[Problem]:
    """Yield a problem if no other lattice cell can be reached from the start, even with all doors open."""
    lattice, headings = world.topology.lattice, world.headings
    home = lattice[world.start.cell]
    reached, frontier = {world.start.cell}, [world.start.cell]
    while frontier:
        cell = frontier.pop()
        if lattice[cell] != home:
            return
        exits = set(world.exits[cell * headings : (cell + 1) * headings]) - world.walls - reached - {NO_CELL}
        reached |= exits
        frontier.extend(exits)
    yield Problem(
        "maze.start", f"{list(home)} is sealed in: no way leads out of it on the tiling '{world.topology.name}'"
    )


# --- Pickled worlds ---------------------------------------------------------------------------------------------------


def _reduce_world(world: World) -> tuple[Any, ...]:
    """Pickle a world so that it is compiled again with the same types, whichever plugins are registered there."""
    types = {name: world.by_id[specs[0].id].type for name, specs in world.task.mechanisms.groups()}
    return _rebuild_world, (world.task, world.topology, types, world.goal_type, world.start)


def _rebuild_world(
    task: TaskSpecification, topology: Topology, types: dict[str, MechanismType], goal_type: GoalType, start: State
) -> World:
    world = _build_world(task, topology, GivenTypes(types, {task.goal.type: goal_type}))
    return attrs.evolve(world, start=start)


copyreg.pickle(World, _reduce_world)
