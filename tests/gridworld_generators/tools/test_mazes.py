"""Perfect mazes with the character of each algorithm, braided mazes and spirals."""

from collections import Counter
from statistics import mean

from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import neighbors
from gridworld_generators.tools.mazes import CARVERS, carve, dead_ends
from gridworld_generators.tools.regions import distances, reachable

algorithms = st.sampled_from(sorted(CARVERS))
SIDE = 8
MAZES = 30


@given(algorithms, st.integers(1, 7), st.integers(1, 7), st.integers(0, 10**6))
def test_perfect_mazes_are_spanning_trees(algorithm: str, columns: int, rows: int, seed: int) -> None:
    floor = carve(algorithm, columns, rows, Dice(seed))
    nearby = neighbors(2 * columns + 1, 2 * rows + 1)
    assert reachable(floor, Position(1, 1), nearby) == floor
    assert len(floor) == 2 * columns * rows - 1  # a tree: one passage less than rooms
    assert {Position(2 * x + 1, 2 * y + 1) for x in range(columns) for y in range(rows)} <= floor


def _mazes(algorithm: str) -> list[set[Position]]:
    return [carve(algorithm, SIDE, SIDE, Dice(seed)) for seed in range(MAZES)]


def _dead_end_share(algorithm: str) -> float:
    """Dead ends per room."""
    return mean(len(dead_ends(floor)) for floor in _mazes(algorithm)) / SIDE**2


def _longest_way(algorithm: str) -> float:
    """Moves from one corner to the cell that is farthest from it."""
    nearby = neighbors(2 * SIDE + 1, 2 * SIDE + 1)
    return mean(max(distances(floor, [Position(1, 1)], nearby).values()) for floor in _mazes(algorithm))


def _longest_wall(algorithm: str) -> float:
    """Cells of the longest straight wall inside the border."""
    inside = range(1, 2 * SIDE)
    lines = [[Position(x, y) for y in inside] for x in inside] + [[Position(x, y) for x in inside] for y in inside]
    return mean(max(_longest_run(line, floor) for line in lines) for floor in _mazes(algorithm))


def _longest_run(line: list[Position], floor: set[Position]) -> int:
    return max(len(run) for run in "".join(".#"[cell not in floor] for cell in line).split("."))


def _corridor_length(algorithm: str) -> float:
    """Cells of floor for each dead end and junction."""
    nearby = neighbors(2 * SIDE + 1, 2 * SIDE + 1)
    mazes = _mazes(algorithm)
    nodes = sum(sum(there in floor for there in nearby[cell]) != 2 for floor in mazes for cell in floor)
    return sum(map(len, mazes)) / nodes


def test_the_backtracker_winds_in_long_corridors_with_few_dead_ends() -> None:
    assert _dead_end_share("backtracker") < 0.15
    assert _longest_way("backtracker") > 1.3 * _longest_way("wilson")
    assert _corridor_length("backtracker") > 1.7 * _corridor_length("wilson")


def test_prim_has_many_dead_ends_and_short_ways() -> None:
    assert _dead_end_share("prim") > 0.32
    assert _longest_way("prim") < 0.9 * _longest_way("wilson")


def test_wilson_has_as_many_dead_ends_as_random_trees_of_grids_have() -> None:
    """On an endless grid 8 (1 - 2/π) / π² = 0.2945 of the rooms (Manna, Dhar, Majumdar 1992); more at the border."""
    assert 0.28 < _dead_end_share("wilson") < 0.34


def test_division_has_the_longest_straight_walls() -> None:
    assert _longest_wall("division") > 1.1 * max(_longest_wall(each) for each in CARVERS if each != "division")


def test_wilson_draws_all_trees_alike() -> None:
    """A square of four rooms has four trees: each lacks one passage."""
    drawn = Counter(frozenset(carve("wilson", 2, 2, Dice(seed))) for seed in range(2000))
    assert len(drawn) == 4
    assert min(drawn.values()) > 0.85 * max(drawn.values())
