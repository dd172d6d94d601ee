"""A drawing of a task says all of it: what is read from it is an equal task."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.ascii import draw_task, read_drawing
from gridworld.plugins import get_registry
from gridworld.suites import read_suite
from gridworld.task_spec import GoalSpec, TaskSpecification
from support.random_tasks import WITH_EXAMPLES, random_task
from support.thoroughness import bounded

BUNDLED = [task for suite in ("tiers", "validation_10") for task in read_suite(suite).tasks]

SOME = [pytest.param(task, marks=pytest.mark.more if number % 4 else ()) for number, task in enumerate(BUNDLED)]
"""The bundled tasks, of which every fourth is read by default."""


def contents(task: TaskSpecification) -> dict[str, Any]:
    """What a task file says, without what means nothing: the order of walls and things, and walls of the border."""
    data = task.to_dict()
    data["maze"] |= {"walls": sorted(task.maze.wall_cells()), "floor": None}
    groups = data.get("mechanisms", {})
    data["mechanisms"] = {name: sorted(groups[name], key=lambda entry: str(entry["id"])) for name in groups}
    return data


def again(task: TaskSpecification, catalogs: Any = None) -> TaskSpecification:
    """The task that is read from the drawing of one."""
    known = catalogs or get_registry()
    return read_drawing(draw_task(task, known), known)


@pytest.mark.parametrize(
    "task",
    SOME,
    ids=lambda task: task.task_id,
)
def test_a_bundled_task(task: TaskSpecification) -> None:
    assert contents(again(task)) == contents(task)


@bounded(15)
@given(seed=st.integers(0, 10**6))
def test_a_random_task(seed: int) -> None:
    task = random_task(seed)
    assert contents(again(task)) == contents(task)


@bounded(15)
@given(seed=st.integers(0, 10**6))
def test_round_trip_of_third_party_types(seed: int) -> None:
    catalogs = WITH_EXAMPLES.catalogs()
    task = random_task(seed, WITH_EXAMPLES)
    assert contents(again(task, catalogs)) == contents(task)


@given(
    task=st.sampled_from(BUNDLED),
    description=st.text(),
    task_id=st.text(min_size=1).filter(str.strip),
    note=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=5
    ),
)
def test_whatever_texts_it_has(task: TaskSpecification, description: str, task_id: str, note: Any) -> None:
    changed = attrs.evolve(task, description=description, task_id=task_id, metadata={"note": note})
    assert contents(again(changed)) == contents(changed)


def test_whatever_its_things_are_called() -> None:
    task = next(task for task in BUNDLED if task.task_id == "t4_04_crossed_crates")
    names = {spec.id: f'{spec.id} and "A" -> {{}}' for _, specs in task.mechanisms.groups() for spec in specs}
    groups = {
        name: [attrs.evolve(spec, id=names[spec.id]) for spec in specs] for name, specs in task.mechanisms.groups()
    }
    goal = attrs.evolve(task.goal, target_ids=[names[each] for each in task.goal.target_ids])
    renamed = attrs.evolve(task, mechanisms=groups, goal=goal)
    assert contents(again(renamed)) == contents(renamed)


def test_a_goal_whose_target_is_not_the_goal_of_the_maze() -> None:
    task = next(task for task in BUNDLED if task.task_id == "t1_01_open_room")
    moved = attrs.evolve(task, goal=GoalSpec("reach_position", target=(task.maze.goal.x - 1, task.maze.goal.y)))
    implied = attrs.evolve(task, goal=GoalSpec("reach_position"))
    assert contents(again(moved)) == contents(moved)
    assert contents(again(implied)) == contents(implied)


def test_certificates_are_left_out() -> None:
    certified = attrs.evolve(BUNDLED[0], metadata={"pattern": "x", "certificate": {}})
    assert again(certified).metadata == {"pattern": "x"}
