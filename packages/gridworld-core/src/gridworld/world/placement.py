"""What has to hold of a task placed on a tiling: everything has cells of its own, and the agent can leave its start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gridworld.errors import Problem
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.topology import NO_CELL, Topology

if TYPE_CHECKING:
    from gridworld.world.world import World

__all__ = ["find_placement_problems", "find_topology_problems", "paths_by_id"]


def find_topology_problems(task: TaskSpecification, topology: Topology) -> list[Problem]:
    """Lattice cells of the task for which the tiling has no cell."""
    width, height = task.maze.dimensions
    missing = [(x, y) for y in range(height) for x in range(width) if not topology.patches.get(Position(x, y))]
    if not missing:
        return []
    example = list(missing[0])
    return [Problem("maze.dimensions", f"too small for the tiling '{topology.name}': it has no cell for {example}")]


def find_placement_problems(world: World) -> list[Problem]:
    """Patches that cover one another, and a start from which no other lattice cell can be reached."""
    return [*_covered(world), *_sealed_in(world)]


def _covered(world: World) -> Iterator[Problem]:
    patches, maze = world.topology.patches, world.task.maze
    places = dict(paths_by_id(world.task))
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


def paths_by_id(task: TaskSpecification) -> Iterator[tuple[str, str]]:
    """The id of each mechanism, with its place in the task file."""
    for name, specs in task.mechanisms.groups():
        for number, spec in enumerate(specs):
            yield spec.id, f"mechanisms.{name}[{number}]"


def _sealed_in(world: World) -> Iterator[Problem]:
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
