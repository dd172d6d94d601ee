"""Task specifications: defaults, and behaviour as values."""

import copy
import pickle
import re
from typing import Any

import attrs
import numpy
import pytest

from gridworld.errors import ArgumentError
from gridworld.mechanisms.blocks import BlockSpec
from gridworld.mechanisms.keys import KeySpec
from gridworld.plugins import get_registry
from gridworld.task.catalogs import GivenTypes
from gridworld.task.reading import read_task
from gridworld.task_spec import GoalSpec, MazeLayout, MechanismSet, Position, TaskSpecification
from support.worlds import corridor, describe, door, draw, key

RED_KEY = KeySpec("k", (2, 1), "red")


def small_task() -> TaskSpecification:
    return TaskSpecification(
        task_id="small",
        seed=3,
        difficulty_tier=2,
        maze=MazeLayout(dimensions=[5, 4], start=[1, 1], goal=[3, 2], walls=[[2, 2]]),
        goal=GoalSpec("reach_position"),
        max_steps=20,
    )


def test_positions_are_read_from_any_pair_and_are_named_x_and_y() -> None:
    maze = small_task().maze
    assert maze.start == (1, 1)
    assert (maze.goal.x, maze.goal.y) == (3, 2)
    assert maze.walls == (Position(2, 2),)
    assert (maze.width, maze.height) == (5, 4)


@pytest.mark.parametrize("pair", [(1.5, 1), ("1", 1), "11", (True, 1), (1,), (1, 1, 1), 1, (1.0, 1)], ids=repr)
def test_a_position_that_is_no_pair_of_integers_is_refused_where_it_is_made(pair: Any) -> None:
    message = re.escape(f"expected a position (x, y) of two integers, got {pair!r}")
    with pytest.raises(TypeError, match=message):
        MazeLayout((5, 4), start=pair, goal=(3, 2))
    with pytest.raises(TypeError, match=message):
        MazeLayout((5, 4), (1, 1), (3, 2), walls=[(2, 2), pair])
    with pytest.raises(TypeError, match=message):
        GoalSpec("reach_position", target=pair)
    with pytest.raises(TypeError, match=message):
        KeySpec("k", pair, "red")


def test_the_integers_of_numpy_become_plain_ones() -> None:
    maze = MazeLayout(numpy.array([5, 4]), numpy.array([1, 1]), (numpy.uint8(3), 2))
    assert {type(number) for number in (*maze.dimensions, *maze.start, *maze.goal)} == {int}


@pytest.mark.parametrize("floor", [None, [], ()])
def test_an_empty_floor_list_leaves_nothing_out(floor: list[list[int]] | None) -> None:
    maze = MazeLayout(dimensions=(5, 3), start=(1, 1), goal=(3, 1), floor=floor)
    assert maze.floor is None
    assert Position(2, 1) not in maze.wall_cells()


def test_a_task_with_mechanisms_and_metadata_is_hashable() -> None:
    data = describe("#####\n#@kG#\n#####", k=key())
    data["metadata"] = {"tags": ["one", "two"]}
    assert len({TaskSpecification.from_dict(data), TaskSpecification.from_dict(data)}) == 1


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda task: pickle.loads(pickle.dumps(task))])
def test_a_task_survives_copying_and_pickling(duplicate: object) -> None:
    task = draw("######\n#@kdG#\n######", k=key("red"), d=door("red"))
    assert callable(duplicate)
    assert duplicate(task) == task


def test_an_unknown_mechanism_type_is_an_attribute_error() -> None:
    mechanisms = corridor("@kG", k=key("red")).mechanisms
    with pytest.raises(AttributeError, match=r"no mechanism type is called 'kees' \(did you mean 'keys'\?\)"):
        _ = mechanisms.kees
    assert not hasattr(mechanisms, "dors")
    assert hasattr(mechanisms, "doors")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda read: pickle.loads(pickle.dumps(read))])
def test_the_types_of_a_task_are_those_that_it_was_read_with(duplicate: Any) -> None:
    catalogs = GivenTypes({"keys": get_registry().mechanisms.get("keys")}, {})
    mechanisms = duplicate(read_task(corridor("@..G").to_dict(), catalogs).task).mechanisms
    assert mechanisms.keys == ()
    assert not hasattr(mechanisms, "doors")
    assert mechanisms == MechanismSet()


@pytest.mark.parametrize("name", ["ids", "groups", "_groups", "__len__"])
def test_a_mechanism_type_cannot_have_a_reserved_name(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"^mechanism '{name}': the name is reserved"):
        attrs.evolve(get_registry().mechanisms.get("keys"), name=name)


def test_an_unknown_mechanism_type_is_a_problem_with_the_nearest_one() -> None:
    task = attrs.evolve(corridor("@..G"), mechanisms=MechanismSet(kees=[RED_KEY]))
    valid, problems = task.validate()
    assert not valid
    assert problems[0].startswith("mechanisms.kees: unknown mechanism 'kees' (did you mean 'keys'?); installed: blocks")


def test_a_mechanism_set_counts_and_names_what_is_in_it() -> None:
    mechanisms = MechanismSet(keys=[RED_KEY], blocks=[BlockSpec("b", (3, 1))])
    assert len(mechanisms) == 2
    assert mechanisms.ids() == ("b", "k")
    assert [name for name, _ in mechanisms.groups()] == ["blocks", "keys"]


def test_equality_of_mechanism_sets_ignores_order_and_empty_types() -> None:
    block = BlockSpec("b", (3, 1))
    one = MechanismSet(keys=[RED_KEY], blocks=[block], doors=[])
    other = MechanismSet(blocks=[block], keys=(RED_KEY,))
    assert one == other
    assert hash(one) == hash(other)
    assert one != MechanismSet(keys=[RED_KEY])
    assert one != {"keys": (RED_KEY,)}
