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
from gridworld.mechanisms.doors import DoorSpec
from gridworld.mechanisms.keys import KeySpec
from gridworld.plugins import get_registry
from gridworld.task.catalogs import GivenTypes
from gridworld.task.reading import read_task
from gridworld.task_spec import GoalSpec, MazeLayout, MechanismSet, Position, Rules, TaskSpecification
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


def test_optional_parts_of_a_task_have_the_defaults_of_the_contract() -> None:
    task = small_task()
    assert (task.version, task.description) == ("1.0", "")
    assert task.mechanisms == MechanismSet()
    assert task.rules == Rules()
    assert task.dependency_chain is None
    assert task.distractors == ()
    assert task.metadata == {}


def test_rules_have_the_defaults_of_the_contract() -> None:
    rules = Rules()
    assert (rules.key_consumption, rules.switch_type, rules.hidden_mechanisms) == (True, "toggle", ())
    assert (rules.observability, rules.view_size) == ("full", 7)


@pytest.mark.parametrize(
    ("field", "value"), [("switch_type", "lever"), ("observability", "blind"), ("switch_type", None)]
)
def test_rules_accept_only_the_words_of_the_contract(field: str, value: Any) -> None:
    words: dict[str, Any] = {field: value}
    with pytest.raises((ValueError, TypeError), match=field):
        Rules(**words)


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


def test_border_cells_are_walls_whether_or_not_they_are_listed() -> None:
    maze = MazeLayout(dimensions=(4, 3), start=(1, 1), goal=(2, 1))
    assert maze.wall_cells() == {Position(x, y) for x in range(4) for y in range(3) if (x, y) not in {(1, 1), (2, 1)}}


def test_cells_that_a_floor_list_leaves_out_are_walls() -> None:
    maze = MazeLayout(dimensions=(5, 3), start=(1, 1), goal=(3, 1), floor=[[1, 1], [3, 1]])
    assert Position(2, 1) in maze.wall_cells()
    assert Position(3, 1) not in maze.wall_cells()


@pytest.mark.parametrize("floor", [None, [], ()])
def test_an_empty_floor_list_leaves_nothing_out(floor: list[list[int]] | None) -> None:
    maze = MazeLayout(dimensions=(5, 3), start=(1, 1), goal=(3, 1), floor=floor)
    assert maze.floor is None
    assert Position(2, 1) not in maze.wall_cells()


@pytest.mark.parametrize(
    ("position", "inside", "on_border"),
    [
        ((0, 0), True, True),
        ((4, 3), True, True),
        ((2, 0), True, True),
        ((2, 2), True, False),
        ((5, 2), False, False),
        ((2, 4), False, False),
        ((-1, 2), False, False),
    ],
)
def test_a_maze_knows_its_bounds_and_its_border(position: tuple[int, int], inside: bool, on_border: bool) -> None:
    maze = small_task().maze
    assert maze.contains(Position(*position)) == inside
    assert maze.on_border(Position(*position)) == on_border


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


def test_gray_is_read_as_grey() -> None:
    assert KeySpec("k", (1, 1), "gray").color == "grey"
    assert BlockSpec("b", (1, 1), color="gray").color == "grey"
    assert DoorSpec("d", (1, 1), "gray").requires_key == "grey"
