"""The kit for goal types passes a sound one, and catches each of many broken ones."""

import itertools
import random
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from conformance_faults import assert_caught, assert_conforms
from gridworld.errors import Problem
from gridworld.task_spec import Position, TaskSpecification
from gridworld.testing import GoalConformance
from gridworld.testing.conformance import run_checks
from gridworld.world import State, World
from gridworld.world.goal_type import GoalType
from gridworld.world.mechanism_type import MechanismType


@attrs.frozen
class VisitFields:
    """What a visit is paid to."""

    corner: Position
    hour: int = 1


def on_corner(world: World) -> Callable[[State], bool]:
    cells = frozenset(world.topology.patches[world.task.goal.parameters["corner"]])
    return lambda state: state.cell in cells


VISIT = GoalType(
    name="visit",
    summary="Stand in a corner.",
    parameters=VisitFields,
    reached=on_corner,
    mission=lambda task: "visit the corner",
    validate=lambda task: (),
    markers=lambda task: (task.goal.parameters["corner"],),
    ignores_dropped=True,
)


def visit(**changes: Any) -> GoalType:
    """The visit with something else about it."""
    return attrs.evolve(VISIT, **changes)


def test_a_sound_goal_type_conforms() -> None:
    assert_conforms(GoalConformance, goal=VISIT)
    assert_conforms(GoalConformance, goal=VISIT, examples=[{"corner": [6, 1]}, {"corner": [1, 4], "hour": 7}])


def test_one_that_is_about_a_mechanism_of_its_own_may_bring_it_along() -> None:
    mechanism = MechanismType(**{**BARE, "name": "bells"})

    class BellKit(GoalConformance):
        goal = visit(validate=lambda task: [] if task.mechanisms.bells == () else [Problem("corner", "rings")])
        together_with = (mechanism,)

    assert_conforms(BellKit)


BARE: dict[str, Any] = {
    "noun": "bell",
    "summary": "Rings.",
    "spec": VisitFields,
    "traits": lambda spec, value: 0,
    "glyph": lambda spec, value: None,
}

count = itertools.count()
chance = random.Random()


def by_chance(world: World) -> Callable[[State], bool]:
    return lambda state: state.steps > 0 and chance.random() < 0.5


def by_turns(world: World) -> Callable[[State], bool]:
    return lambda state: next(count) % 3 == 2


def once_it_was_there(world: World) -> Callable[[State], bool]:
    """Keeps where the agent has been outside of the state."""
    been: set[int] = set()

    def reached(state: State) -> bool:
        been.add(state.cell)
        return len(been) > 3

    return reached


def number(world: World) -> Any:
    return lambda state: state.cell - world.start.cell


def after_three_steps(world: World) -> Callable[[State], bool]:
    return lambda state: state.steps >= 3


def when_a_key_lies_left(world: World) -> Callable[[State], bool]:
    key = world.by_id["stage-key"].index
    return lambda state: state.places[key] >= 0 and world.topology.lattice[state.places[key]].x > 4


def at_the_start(world: World) -> Callable[[State], bool]:
    return lambda state: True


def never(world: World) -> Callable[[State], bool]:
    return lambda state: False


def raising(task: TaskSpecification) -> Any:
    raise LookupError(task.task_id)


CORNER = {"corner": [6, 1]}


@pytest.mark.parametrize(
    ("changes", "check", "wrong", "remedy"),
    [
        ({"reached": by_chance}, "its_predicate_is_pure", "in another order", "keep nothing between calls"),
        ({"reached": by_turns}, "its_predicate_is_pure", "in another order", "depend on the state alone"),
        ({"reached": once_it_was_there}, "its_predicate_is_pure", "in another order", "keep nothing between calls"),
        ({"reached": number}, "its_predicate_is_pure", "`reached` returns [", "return True or False"),
        (
            {"reached": after_three_steps},
            "it_does_not_depend_on_the_steps_unless_it_is_timed",
            "depends on the steps",
            "set timed=True",
        ),
        (
            {"reached": when_a_key_lies_left},
            "it_ignores_what_was_dropped_if_it_says_so",
            "where a thing lies that was picked up",
            "set ignores_dropped=False",
        ),
        (
            {"only_at_last_step": True},
            "it_is_only_reached_at_the_last_step_if_it_says_so",
            "is reached after",
            "set only_at_last_step=False",
        ),
        (
            {"reached": at_the_start},
            "its_examples_are_valid_and_not_reached_at_the_start",
            "already reached at the start",
            "let `reached` be False there",
        ),
        ({"reached": never}, "the_solver_wins_its_examples", "finds no way to win", "that can be won on the stage"),
        (
            {"mission": lambda task: "go to (6, 1)!"},
            "its_mission_is_letters_spaces_and_commas",
            "'go to (6",
            "as words",
        ),
        ({"mission": lambda task: None}, "its_mission_is_letters_spaces_and_commas", "is None", "letters, spaces"),
        ({"mission": raising}, "its_mission_is_letters_spaces_and_commas", "LookupError", "must not raise"),
        (
            {"markers": lambda task: (Position(0, 0),)},
            "its_markers_are_floor_inside_the_maze",
            "the marker Position(x=0, y=0)",
            "that is no wall",
        ),
        (
            {"reward": lambda steps, budget: -0.1},
            "its_reward_is_between_0_and_1_and_never_grows_with_the_steps",
            "reward(1, 1) is -0.1",
            "from 0 to 1",
        ),
        (
            {"reward": lambda steps, budget: steps / budget},
            "its_reward_is_between_0_and_1_and_never_grows_with_the_steps",
            "the reward grows",
            "stay or fall",
        ),
        (
            {"reward": lambda steps, budget: float("nan")},
            "its_reward_is_between_0_and_1_and_never_grows_with_the_steps",
            "is nan",
            "return a number",
        ),
        (
            {"validate": raising},
            "validation_yields_problems_and_never_raises",
            "LookupError",
            "yield a Problem instead",
        ),
        ({"fields": ("aim",)}, "its_descriptor_has_the_right_types", "('aim',)", "choose from target"),
        ({"parameters": dict}, "its_descriptor_has_the_right_types", "`parameters` is", "an attrs class"),
    ],
)
def test_a_broken_goal_type_is_caught(changes: dict[str, Any], check: str, wrong: str, remedy: str) -> None:
    assert_caught(GoalConformance, check, wrong, remedy, goal=visit(**changes), examples=[CORNER])


def test_problems_with_paths_from_the_top_of_the_file_are_caught() -> None:
    def validate(task: TaskSpecification) -> Any:
        return [] if task.goal.target_ids == ("stage-key",) else [Problem("goal.target_ids", "names no key")]

    assert_caught(
        GoalConformance,
        "validation_yields_problems_and_never_raises",
        "the goal has no field 'goal'",
        "relative to the goal",
        goal=visit(fields=("target_ids",), parameters=None, markers=lambda task: (), validate=validate),
        examples=[{"target_ids": ["stage-key"]}],
    )


def test_where_no_example_can_be_derived_the_author_is_asked_for_one() -> None:
    kit = type("Kit", (GoalConformance,), {"goal": visit(reached=never)})
    (result,) = run_checks(kit, ["test_it_survives_a_task_file"])
    assert result.verdict == "undecided"
    assert "set `examples`" in result.remedy
