"""The mazes of the benchmarks: solvable, each key in front of its door, and no way around a door."""

import pytest

from gridworld.solver import Verdict, solve
from gridworld.task_spec import TaskSpecification
from support.sources import load_benchmark
from support.worlds import compiled

MODULE = load_benchmark("mazes")
SEEDS = range(5)


def without(task: TaskSpecification, kept_doors: int) -> TaskSpecification:
    """The maze without mechanisms, in which the doors after the first few are wall."""
    data = task.to_dict()
    data["maze"]["walls"] += [list(door.position) for door in task.mechanisms.doors[kept_doors:]]
    return TaskSpecification.from_dict({**data, "mechanisms": {}})


def can_be_reached(task: TaskSpecification, cell: tuple[int, int]) -> bool:
    data = task.to_dict()
    data["goal"] = {"type": "reach_position", "target": list(cell)}
    return solve(compiled(TaskSpecification.from_dict(data))).verdict is Verdict.SOLVED


@pytest.mark.parametrize("seed", SEEDS)
def test_a_small_maze_with_keys_can_be_won(seed: int) -> None:
    assert solve(compiled(MODULE.keyed_maze(size=11, doors=2, seed=seed))).verdict is Verdict.SOLVED


@pytest.mark.parametrize(("size", "doors"), [(13, 3), (64, 4)])
def test_each_key_can_be_fetched_before_its_door_and_no_door_is_passed_by(size: int, doors: int) -> None:
    task = MODULE.keyed_maze(size=size, doors=doors, seed=1)
    assert len(task.mechanisms.keys) == len(task.mechanisms.doors) == doors
    for number, (key, door) in enumerate(zip(task.mechanisms.keys, task.mechanisms.doors, strict=True)):
        assert key.color == door.requires_key
        assert can_be_reached(without(task, number), key.position)
        assert not can_be_reached(without(task, number), task.maze.goal)
    assert can_be_reached(without(task, doors), task.maze.goal)


@pytest.mark.parametrize("seed", SEEDS)
def test_there_is_one_way_between_any_two_places(seed: int) -> None:
    """A connected maze of so many cells has no ring if it has one passage less."""
    maze = MODULE.keyed_maze(size=13, doors=2, seed=seed).maze
    floor = {(x, y) for x in range(13) for y in range(13)} - maze.wall_cells()
    passages = sum(((x + 1, y) in floor) + ((x, y + 1) in floor) for x, y in floor)
    assert passages == len(floor) - 1


def test_a_maze_is_the_same_when_it_is_made_again() -> None:
    assert MODULE.keyed_maze(seed=3) == MODULE.keyed_maze(seed=3) != MODULE.keyed_maze(seed=4)


def test_a_room_without_walls_is_crossed_from_corner_to_corner() -> None:
    assert solve(compiled(MODULE.empty_maze(12))).length == 9 + 1 + 9
    assert MODULE.empty_maze().maze.dimensions == (256, 256)
