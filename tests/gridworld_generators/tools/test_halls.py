"""Halls are connected, lie where they are asked for, and are as large as they are to be."""

from hypothesis import given
from hypothesis import strategies as st

from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import neighbors
from gridworld_generators.tools.regions import components
from gridworld_generators.tools.rooms import MOST_PILLARS, carve_hall


@given(seed=st.integers(0, 2**32), width=st.integers(2, 9), height=st.integers(2, 9), walls=st.integers(0, 60))
def test_a_hall_is_connected_and_large_enough(seed: int, width: int, height: int, walls: int) -> None:
    floor = carve_hall(1, 1, width, height, walls, Dice(seed))
    assert len(components(set(floor), neighbors(width + 2, height + 2))) == 1
    assert all(1 <= cell.x <= width and 1 <= cell.y <= height for cell in floor)
    assert len(floor) >= width * height * (100 - walls) // 100 - MOST_PILLARS
