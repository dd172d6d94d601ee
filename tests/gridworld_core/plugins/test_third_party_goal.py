"""A goal type that a third party writes once brings its own fields, checks, mission sentence and reward."""

import json
from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.errors import InvalidTaskError, TaskFormatError
from gridworld.plugins import load_registry, set_registry
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world import Episode, World, compile_world, square_topology
from support.plugins import Install

TOUR = """
import attrs
from gridworld.task.colors import parse_color
from gridworld.errors import Problem
from gridworld.hookspecs import GoalType, Marker, hookimpl
from gridworld.task_spec import Position

@attrs.frozen
class TourFields:
    corner: Position
    heading: int = attrs.field(validator=attrs.validators.in_(range(4)))
    color: str = attrs.field(default="red", converter=parse_color)
    stops: tuple[Position, ...] = ()

def reached(world):
    fields = world.task.goal.parameters
    corner = world.topology.anchor(fields["corner"])
    return lambda state: (state.cell, state.heading) == (corner, fields["heading"])

def validate(task, entries):
    if task.goal.parameters["corner"] in task.maze.wall_cells():
        yield Problem("corner", "it is a wall")

TOUR = GoalType(
    name="tour", summary="Stand in a corner and look one way.", parameters=TourFields, reached=reached,
    mission=lambda world: f"look around in the {world.task.goal.parameters.get('color', 'red')} corner",
    validate=validate,
    markers=lambda task: (Marker(task.goal.parameters["corner"]),), reward=lambda step_count, max_steps: 0.25,
)

@hookimpl
def gridworld_goals():
    return [TOUR]
"""

CUSTOM = """
import attrs
from typing import Literal
from gridworld.errors import Problem
from gridworld.hookspecs import GoalType, hookimpl

@attrs.frozen
class Fields:
    {fields}

@hookimpl
def gridworld_goals():
    return [GoalType(
        name="custom", summary="A goal.", parameters=Fields, reached=lambda world: lambda state: state.steps > 3,
        mission=lambda world: "wait", validate=lambda task, entries: {problems},
    )]
"""


@pytest.fixture(autouse=True)
def _third_party(install: Install) -> None:
    install("sights", {"goals": "sights"}, {"sights.py": TOUR})
    set_registry(load_registry())


def provide_custom(install: Install, fields: str = "pass", problems: str = "()") -> None:
    install("custom", {"goals": "custom_goal"}, {"custom_goal.py": CUSTOM.format(fields=fields, problems=problems)})
    set_registry(load_registry())


def task_dict(**goal: Any) -> dict[str, Any]:
    return {
        "task_id": "third-party",
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {"dimensions": [5, 5], "start": [1, 1], "goal": [3, 3]},
        "goal": {"type": "tour", **goal},
        "max_steps": 30,
    }


def task_with(**goal: Any) -> TaskSpecification:
    return TaskSpecification.from_dict(task_dict(**goal))


def world_of(task: TaskSpecification) -> World:
    return compile_world(task, square_topology(5, 5))


def problems_of_format(**goal: Any) -> list[str]:
    with pytest.raises(TaskFormatError) as caught:
        task_with(**goal)
    return [str(problem) for problem in caught.value.problems]


def test_its_fields_become_parameters_of_the_goal_and_survive_writing_and_reading() -> None:
    given = {"type": "tour", "corner": [3, 1], "heading": 3, "color": "gray", "stops": [[2, 2], [1, 3]]}
    task = task_with(**given)

    assert task.goal.parameters == {
        "corner": Position(3, 1),
        "heading": 3,
        "color": "grey",
        "stops": (Position(2, 2), Position(1, 3)),
    }
    assert task.validate() == (True, [])
    written = json.loads(json.dumps(task.to_dict()))
    assert written["goal"] == {**given, "color": "grey"}
    assert TaskSpecification.from_dict(written) == task


def test_a_field_that_is_left_out_has_its_default() -> None:
    task = task_with(corner=[3, 1], heading=3)

    assert (task.goal.parameters["color"], task.goal.parameters["stops"]) == ("red", ())
    assert TaskSpecification.from_dict(task.to_dict()) == task


def test_its_fields_are_checked_one_by_one() -> None:
    assert problems_of_format(heading="north", color="purpel", stops=[[1, 1], [2]], corners=[1, 1]) == [
        "goal.corner: this field is required",
        'goal.heading: expected an integer, got "north" (str)',
        "goal.color: unknown colour 'purpel' (did you mean 'purple'?); "
        "expected one of red, green, blue, purple, yellow, grey",
        "goal.stops[1]: expected a position [x, y] of two integers, got [2] (list)",
        "goal.corners: unknown field (did you mean 'corner'?); "
        "known: type, target, target_ids, target_positions, corner, heading, color, stops",
    ]
    assert problems_of_format(corner=[1, 1], heading=4) == ["goal.heading: 'heading' must be in range(0, 4) (got 4)"]


def test_a_common_field_that_it_does_not_use_is_refused() -> None:
    task = task_with(corner=[3, 1], heading=3, target=[2, 2])

    assert task.validate() == (False, ["goal.target: a goal of type 'tour' does not use it"])


def test_its_fields_are_unknown_to_another_goal_type() -> None:
    (problem,) = problems_of_format(type="reach_position", corner=[3, 1])

    assert problem.startswith("goal.corner: unknown field")


def test_its_own_validation_is_part_of_the_tasks_validation() -> None:
    task = task_with(corner=[0, 0], heading=0)

    assert task.validate() == (False, ["goal.corner: it is a wall"])
    with pytest.raises(InvalidTaskError, match=r"goal\.corner: it is a wall"):
        world_of(task)


def test_it_ends_the_episode_with_its_own_reward_and_has_its_own_mission() -> None:
    world = world_of(task_with(corner=[2, 1], heading=1, color="blue"))
    episode = Episode(world)
    episode.reset()

    episode.step(Action.MOVE_FORWARD)
    assert not episode.terminated
    episode.step(Action.TURN_RIGHT)

    assert episode.succeeded
    assert episode.reward == 0.25
    assert world.goal_type.mission(world) == "look around in the blue corner"


def test_a_problem_with_the_whole_goal_is_named_by_the_place_of_the_goal(install: Install) -> None:
    provide_custom(install, problems="[Problem('', 'it cannot be')]")

    assert task_with(type="custom").validate() == (False, ["goal: it cannot be"])


def test_fields_that_do_not_fit_together_are_refused(install: Install) -> None:
    fields = (
        "low: int\n    high: int\n    def __attrs_post_init__(self):\n"
        "        if self.high < self.low:\n            raise ValueError('high is below low')"
    )
    provide_custom(install, fields=fields)

    assert task_with(type="custom", low=1, high=2).validate() == (True, [])
    assert problems_of_format(type="custom", low=2, high=1) == ["goal: high is below low"]


def test_without_its_plugin_a_goal_is_unknown_and_its_plugin_may_be_missing() -> None:
    set_registry(load_registry(disabled=["sights"]))

    valid, problems = task_with().validate()

    assert not valid
    (problem,) = problems
    assert problem.startswith("goal.type: unknown goal 'tour'; installed: ")
    assert "A plugin that provides it may be missing" in problem
