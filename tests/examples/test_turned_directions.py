"""A task with belts and one-way floors is like the same task turned and mirrored, with their directions."""

from typing import Any

import pytest

from gridworld.generation.canonical import canonical_form
from gridworld.task_spec import TaskSpecification
from support.worlds import Thing, draw, mirrored, moved, turned


def task(belt: int, floor: str) -> TaskSpecification:
    things = {"b": Thing("belts", {"direction": belt}), "x": Thing("one_way", {"direction": floor})}
    return draw("#######\n#@b..G#\n#..x..#\n#######", **things)


def with_directions(moved_task: TaskSpecification, belt: int, floor: str) -> TaskSpecification:
    data = moved_task.to_dict()
    data["mechanisms"]["belts"][0]["direction"] = belt
    data["mechanisms"]["one_way"][0]["direction"] = floor
    return TaskSpecification.from_dict(data)


@pytest.mark.parametrize(
    ("how", "swaps", "belt", "floor"),
    [(turned, True, 1, "left"), (mirrored, False, 2, "down")],
    ids=["turned", "mirrored"],
)
def test_their_directions_lie_as_the_maze_does(how: Any, swaps: bool, belt: int, floor: str) -> None:
    image = moved(task(0, "down"), how, swaps)
    assert canonical_form(with_directions(image, belt, floor)) == canonical_form(task(0, "down"))
    assert canonical_form(image) != canonical_form(task(0, "down"))
