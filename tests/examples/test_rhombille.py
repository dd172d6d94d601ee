"""The rhombille tiling: three rhombi a lattice cell, on which mazes keep their meaning."""

import pytest

from gridworld.plugins import get_registry
from gridworld.suites import load_benchmark
from gridworld.task_spec import Position
from gridworld.testing.tiling import SIZES
from gridworld.world import Topology
from support.plugins import win
from support.tilings import compiled_on, exit_table, is_beside, make_topology, touching_cells

on_sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")


def rhombille(size: tuple[int, int]) -> Topology:
    return make_topology("rhombille", size)


@on_sizes
def test_every_lattice_cell_has_three_rhombi_of_four_headings_each(size: tuple[int, int]) -> None:
    topology = rhombille(size)
    assert {len(patch) for patch in topology.patches.values()} == {3}
    assert {len(polygon) for polygon in topology.polygons} == {4}
    assert {len(edges) for edges in topology.edges} == {4}
    assert topology.heading_count == 6


@on_sizes
def test_exits_lead_to_the_cells_across_the_edges_and_to_no_others(size: tuple[int, int]) -> None:
    topology = rhombille(size)
    assert {(cell, beyond) for cell, _, beyond in exit_table(topology)} == touching_cells(topology)


@on_sizes
def test_the_patches_of_lattice_neighbours_touch(size: tuple[int, int]) -> None:
    topology = rhombille(size)
    touching = {(topology.lattice[first], topology.lattice[second]) for first, second in touching_cells(topology)}
    for first in topology.patches:
        for second in (Position(first.x + 1, first.y), Position(first.x, first.y + 1)):
            assert second not in topology.patches or ((first, second) in touching and is_beside(first, second))


@on_sizes
def test_who_walks_in_along_a_heading_can_walk_on_and_back(size: tuple[int, int]) -> None:
    topology = rhombille(size)
    for cell, heading, beyond in exit_table(topology):
        assert heading in topology.edges[beyond]
        assert topology.exits[beyond * 6 + (heading + 3) % 6] == cell


@pytest.mark.parametrize("name", ["v04_single_key"])
def test_bundled_tasks_can_be_won_on_it_within_their_budgets(name: str) -> None:
    tasks = load_benchmark(get_registry().benchmarks.get("validation_10"))
    world = compiled_on("rhombille", next(task for task in tasks if task.task_id == name))
    assert win(world).state.steps <= world.max_steps
