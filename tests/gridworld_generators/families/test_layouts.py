"""Characteristic layouts and parameters of single families."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.generation.canonical import canonical_form
from gridworld_generators.families.mazes import BraidedMaze, PerfectMaze, Spiral
from gridworld_generators.families.rooms import Cave, OpenRooms, RoomsAndCorridors
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.mazes import dead_ends
from gridworld_generators.tools.regions import components, cut_cells
from gridworld_generators.tools.sketch import Sketch

seeds = st.integers(0, 10**6)


def passages(sketch: Sketch) -> int:
    """Number of pairs of neighbouring floor cells."""
    return sum(len(sketch.floor_beside(cell)) for cell in sketch.floor) // 2


@given(seeds, st.sampled_from(["any", "backtracker", "division", "prim", "wilson"]), st.integers(5, 14))
def test_a_perfect_maze_of_any_size_is_a_tree(seed: int, algorithm: str, size: int) -> None:
    sketch = PerfectMaze(size=size, algorithm=algorithm).lay_out(Dice(seed))
    assert passages(sketch) == len(sketch.floor) - 1
    assert (max(sketch.floor), min(sketch.floor)) == ((size - 2, size - 2), (1, 1))


@given(seeds, st.integers(7, 14))
def test_more_loops_in_a_braided_maze_leave_fewer_dead_ends(seed: int, size: int) -> None:
    few, many = (BraidedMaze(size=size, loops=loops).lay_out(Dice(seed)) for loops in (10, 100))
    assert passages(many) > len(many.floor) - 1
    assert not dead_ends(many.floor)
    assert passages(few) <= passages(many)


@given(seeds, st.integers(2, 5))
def test_open_rooms_are_at_most_as_many_as_asked_for(seed: int, rooms: int) -> None:
    sketch = OpenRooms(size=13, rooms=rooms).lay_out(Dice(seed))
    gaps = cut_cells(sketch.floor, sketch.neighbors)
    assert len(components(sketch.floor - gaps, sketch.neighbors)) <= rooms + len(gaps)


@given(seeds)
def test_rooms_and_corridors_are_mostly_rock(seed: int) -> None:
    sketch = RoomsAndCorridors().lay_out(Dice(seed))
    assert len(sketch.floor) < 0.6 * len(sketch.inner_cells)


@given(st.integers(0, 200))
def test_a_cave_has_neither_straight_corridors_nor_a_plain_hall(seed: int) -> None:
    (task,) = Cave().draw(seed).tasks
    walls = set(task.maze.walls)
    assert 0.2 < len(walls) / 11**2 < 0.65


@pytest.mark.parametrize(("lane", "cells"), [("narrow", 1), ("broad", 2)])
@given(seed=seeds, size=st.integers(9, 17))
def test_the_lane_of_a_spiral_has_the_required_width(lane: str, cells: int, seed: int, size: int) -> None:
    sketch = Spiral(size=size, lane=lane).lay_out(Dice(seed))
    squares = sum(
        {cell, right, below, corner} <= sketch.floor
        for cell in sketch.floor
        for right, below, corner in [((cell.x + 1, cell.y), (cell.x, cell.y + 1), (cell.x + 1, cell.y + 1))]
    )
    assert (squares > 0) == (cells == 2)


@pytest.mark.parametrize("lane", ["narrow", "broad"])
def test_spirals_have_at_least_twenty_forms(lane: str) -> None:
    forms = {canonical_form(Spiral(lane=lane).draw(seed).tasks[0]) for seed in range(200)}
    assert len(forms) >= 20
