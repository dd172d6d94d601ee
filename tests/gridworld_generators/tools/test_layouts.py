"""Layouts of rooms, spirals and braided mazes, stretched and turned: connected floor inside the border."""

from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import SYMMETRIES, inner_cells, neighbors, turned
from gridworld_generators.tools.mazes import braid, carve, dead_ends, spiral_floor, spiral_order
from gridworld_generators.tools.regions import components, cut_cells
from gridworld_generators.tools.rooms import MOST_PILLARS, carve_hall, dig_dungeon, grow_cave, partition

seeds = st.integers(0, 10**6)
sides = st.integers(7, 16)


def _is_connected(floor: set[Position], width: int, height: int) -> bool:
    return floor <= set(inner_cells(width, height)) and len(components(floor, neighbors(width, height))) == 1


@given(sides, sides, seeds)
def test_a_cave_is_one_region(width: int, height: int, seed: int) -> None:
    floor = grow_cave(width, height, Dice(seed))
    assert not floor or _is_connected(floor, width, height)


@given(sides, sides, st.integers(1, 8), seeds)
def test_chambers_are_joined_only_by_gaps(width: int, height: int, chambers: int, seed: int) -> None:
    hall = partition(width, height, chambers, Dice(seed))
    nearby = neighbors(width, height)
    assert _is_connected(set(hall.floor), width, height)
    assert len(components(hall.floor - set(hall.gaps), nearby)) == len(hall.gaps) + 1 <= chambers
    assert set(hall.gaps) <= cut_cells(hall.floor, nearby)


@given(sides, sides, st.integers(2, 6), seeds)
def test_rooms_of_a_dungeon_are_joined_only_by_corridors(width: int, height: int, rooms: int, seed: int) -> None:
    dungeon = dig_dungeon(width, height, rooms, Dice(seed))
    floor, corridors = dungeon.floor(), {cell for corridor in dungeon.corridors for cell in corridor}
    assert _is_connected(floor, width, height)
    assert len(dungeon.corridors) == len(dungeon.rooms) - 1
    assert len(components(floor - corridors, neighbors(width, height))) == len(dungeon.rooms) <= rooms
    assert corridors <= cut_cells(floor, neighbors(width, height))


@given(sides, seeds, st.integers(1, 3))
def test_loops_add_corridors(side: int, seed: int, loops: int) -> None:
    plain, looped = (dig_dungeon(side, side, 5, Dice(seed), each) for each in (0, loops))
    assert plain.rooms == looped.rooms
    assert looped.corridors[: len(plain.corridors)] == plain.corridors
    assert len(looped.corridors) <= len(plain.corridors) + loops


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 2))
def test_a_spiral_is_one_corridor(columns: int, rows: int, lane: int) -> None:
    width, height = columns * (lane + 1) + 1, rows * (lane + 1) + 1
    floor = spiral_floor(columns, rows, lane)
    assert _is_connected(floor, width, height)
    assert len(set(spiral_order(columns, rows))) == columns * rows
    assert lane > 1 or len(dead_ends(floor)) == min(2, len(floor))


@given(st.integers(3, 7), st.floats(0, 1), seeds)
def test_braiding_removes_dead_ends(side: int, share: float, seed: int) -> None:
    floor = carve("wilson", side, side, Dice(seed))
    braided = braid(floor, share, Dice(seed))
    assert floor <= braided
    assert len(dead_ends(braided)) <= (1 - share) * len(dead_ends(floor)) + 1
    assert not dead_ends(braid(floor, 1, Dice(seed)))


@given(st.integers(3, 6), seeds)
def test_symmetries_of_a_square_are_invertible(side: int, seed: int) -> None:
    size = 2 * side + 1
    floor = sorted(carve("wilson", side, side, Dice(seed)))
    images = [turned(floor, size, each) for each in range(SYMMETRIES)]
    assert images[0] == floor
    assert turned(images[1], size, 3) == turned(images[2], size, 2) == turned(images[4], size, 4) == floor
    assert all(_is_connected(set(image), size, size) for image in images)


@given(seed=st.integers(0, 2**32), width=st.integers(2, 9), height=st.integers(2, 9), walls=st.integers(0, 60))
def test_a_hall_is_connected_and_large_enough(seed: int, width: int, height: int, walls: int) -> None:
    floor = carve_hall(1, 1, width, height, walls, Dice(seed))
    assert len(components(set(floor), neighbors(width + 2, height + 2))) == 1
    assert all(1 <= cell.x <= width and 1 <= cell.y <= height for cell in floor)
    assert len(floor) >= width * height * (100 - walls) // 100 - MOST_PILLARS
