"""The kit for goal types passes sound ones, and each of its checks catches a broken one."""

import itertools
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from gridworld.errors import Problem
from gridworld.mechanisms.keys import KEYS
from gridworld.task_spec import Position
from gridworld.testing import GoalConformance
from gridworld.testing.conformance import run_checks
from gridworld.world import State, World
from gridworld.world.events import Event, Moved, Turned
from gridworld.world.goal_type import GoalType, Marker
from gridworld.world.mechanism_type import Explained
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones

CORNER = {"corner": [6, 1]}
Remember = Callable[[State, tuple[Event, ...]], Any]


@attrs.frozen
class VisitFields:
    """The goal's own field, and one that no example needs."""

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
    mission=lambda world: "visit the corner",
    markers=lambda task: (Marker(task.goal.parameters["corner"]),),
    ignores_dropped=True,
)


def visit(**changes: Any) -> GoalType:
    """The visit with something else about it."""
    return attrs.evolve(VISIT, **changes)


def been_in_the_corner(world: World) -> Remember:
    there = on_corner(world)
    return lambda state, events: state.memory is True or there(state)


RETURN = visit(
    reached=lambda world: lambda state: state.memory is True and state.cell == world.start.cell,
    initial_memory=lambda world: False,
    remember=been_in_the_corner,
    agent_cells=lambda world: (*the_corner(world), world.start.cell),
)
"""Go to the corner and come back."""


def the_corner(world: World) -> tuple[int, ...]:
    return tuple(world.topology.patches[world.task.goal.parameters["corner"]])


def the_block(world: World) -> int:
    return next(entity.index for entity in world.entities if entity.type.name == "blocks")


def pushed_right(world: World) -> Callable[[State], bool]:
    block, lattice = the_block(world), world.topology.lattice
    return lambda state: state.places[block] >= 0 and lattice[state.places[block]].x > 3


def further_right(world: World) -> dict[int, list[int]]:
    cells = [cell for cell, (x, _) in enumerate(world.topology.lattice) if x > 3]
    return {the_block(world): cells}


PUSH = visit(reached=pushed_right, thing_cells=further_right, markers=lambda task: ())
"""Push the block to the right, however far."""


@pytest.mark.parametrize("goal", [VISIT, RETURN, PUSH], ids=["visit", "return", "push"])
def test_a_sound_goal_type_conforms(goal: GoalType) -> None:
    assert_conforms(GoalConformance, goal=goal, examples=[CORNER])


# --- Broken ones -----------------------------------------------------------------------------------------------------

count = itertools.count()


def by_turns(world: World) -> Callable[[State], bool]:
    return lambda state: next(count) % 3 == 2


def once_it_was_there(world: World) -> Callable[[State], bool]:
    """Keeps where the agent has been outside of the state."""
    been: set[int] = set()
    return lambda state: been.add(state.cell) is None and len(been) > 3


def facing_right_in_the_corner(world: World) -> Callable[[State], bool]:
    there = on_corner(world)
    return lambda state: there(state) or (state.heading == 0 and world.topology.lattice[state.cell] == (2, 2))


def when_the_key_lies_right(world: World) -> Callable[[State], bool]:
    keys = [entity.index for entity in world.entities if entity.type.name == "keys"]
    return lambda state: any(world.topology.lattice[state.places[key]].x > 4 for key in keys if state.places[key] >= 0)


def in_its_own_pocket(world: World) -> Remember:
    been: set[int] = set()
    return lambda state, events: been.add(state.cell) is None and len(been) > 3


def fives(world: World) -> Remember:
    return lambda state, events: (state.memory or "") + "*****" * sum(isinstance(event, Moved) for event in events)


def turns(world: World) -> Remember:
    return lambda state, events: state.memory + sum(isinstance(event, Turned) for event in events)


def remembering(remember: Callable[[World], Remember], first: Any = False) -> dict[str, Any]:
    return {"remember": remember, "initial_memory": lambda world: first, "agent_cells": None}


DESCRIPTOR = "its_descriptor_has_the_right_types"
EFFECT = "its_functions_can_have_an_effect"
EXAMPLES = "its_examples_are_valid_survive_a_task_file_and_are_not_reached_at_the_start"
VALIDATION = "validation_yields_problems_and_never_raises"
MISSION = "its_mission_is_letters_spaces_and_commas"
MARKERS = "its_markers_are_on_floor_inside_the_maze"
PURE = "its_predicate_is_pure"
IGNORES = "it_depends_on_no_more_than_it_says"
THINGS = "its_thing_cells_are_where_things_have_to_be"
NAMES = "order_and_ids_in_the_file_change_nothing"
JSON = "its_memory_is_hashable_and_goes_through_json"
UPDATES = "its_memory_is_updated_purely"
SMALL = "its_memory_stays_small"
REWARD = "its_reward_is_between_0_and_1_and_never_grows_with_the_steps"

BROKEN: list[tuple[str, dict[str, Any]]] = [
    (DESCRIPTOR, {"fields": ("aim",)}),
    (EFFECT, {"visited": lambda world, memory: ()}),
    (EFFECT, {"initial_memory": lambda world: ("begun",)}),
    (EXAMPLES, {"reached": lambda world: lambda state: True}),
    (EXAMPLES, {"validate": lambda task, entries: [Problem("corner", "too far")]}),
    (VALIDATION, {"validate": lambda task, entries: [Problem("goal.corner", "rings")]}),
    (VALIDATION, {"validate": lambda task, entries: {}["no such key"]}),
    (MISSION, {"mission": lambda world: "go to (6, 1)!"}),
    (MISSION, {"mission": lambda world: None}),
    ("it_explains_itself", {"explains": Explained()}),
    ("it_explains_itself", {"explains": Explained("Reached in row 3.")}),
    (MARKERS, {"markers": lambda task: (Marker(Position(0, 0)),)}),
    (MARKERS, {"markers": lambda task: (Marker((2, 2), "target", "nobody"),)}),
    (MARKERS, {"visited": lambda world, memory: [Position(2, 2)]}),
    (PURE, {"reached": by_turns}),
    (PURE, {"reached": once_it_was_there}),
    (PURE, {"reached": lambda world: lambda state: state.cell - world.start.cell}),
    (IGNORES, {"reached": lambda world: lambda state: state.steps >= 3}),
    (IGNORES, {"reached": when_the_key_lies_right}),
    (IGNORES, {"agent_cells": lambda world: (), "markers": lambda task: ()}),
    (IGNORES, {"agent_cells": the_corner, "reached": facing_right_in_the_corner}),
    (IGNORES, {"agent_cells": lambda world: (-7,)}),
    (THINGS, {"reached": pushed_right, "thing_cells": lambda world: {99: (world.start.cell,)}}),
    (THINGS, {"reached": pushed_right, "thing_cells": lambda world: {the_block(world): ()}}),
    (
        THINGS,
        {
            "reached": pushed_right,
            "thing_cells": lambda world: {the_block(world): [world.topology.anchor((4, 3))]},
        },
    ),
    ("its_promises_change_no_plan", {"only_at_last_step": True}),
    (NAMES, {"mission": lambda world: "go past the " + world.task.mechanisms.keys[0].id}),
    (NAMES, remembering(lambda world: lambda state, events: world.by_id[min(world.by_id)].index)),
    (JSON, remembering(lambda world: lambda state, events: frozenset({state.cell}))),
    (JSON, remembering(lambda world: lambda state, events: float("nan"))),
    (UPDATES, remembering(in_its_own_pocket)),
    (UPDATES, remembering(lambda world: lambda state, events: state.steps > 5)),
    (UPDATES, {**remembering(been_in_the_corner), "initial_memory": lambda world: next(count)}),
    (SMALL, remembering(turns, 0)),
    (SMALL, remembering(fives, "")),
    (REWARD, {"reward": lambda steps, budget: -0.1}),
    (REWARD, {"reward": lambda steps, budget: steps / budget}),
    (REWARD, {"reward": lambda steps, budget: float("nan")}),
    ("the_solver_wins_its_examples", {"reached": lambda world: lambda state: False}),
]


@pytest.mark.parametrize(("check", "changes"), BROKEN)
def test_a_broken_goal_type_is_caught(check: str, changes: dict[str, Any]) -> None:
    assert_caught(GoalConformance, check, goal=visit(**changes), examples=[CORNER])


def test_every_check_has_a_broken_goal_type() -> None:
    assert_has_broken_ones(GoalConformance, [check for check, _ in BROKEN])


def test_one_that_is_about_a_mechanism_of_its_own_may_bring_it_along() -> None:
    class BellKit(GoalConformance):
        goal = visit(validate=lambda task, entries: [] if task.mechanisms.bells == () else [Problem("corner", "rings")])
        examples = (CORNER,)
        together_with = (attrs.evolve(KEYS, name="bells"),)

    results = run_checks(BellKit, ["test_" + EXAMPLES, "test_" + VALIDATION])
    assert {result.verdict for result in results} == {"passed"}


def test_where_no_example_can_be_derived_the_author_is_asked_for_one() -> None:
    kit = type("Kit", (GoalConformance,), {"goal": visit(reached=lambda world: lambda state: False)})
    (result,) = run_checks(kit, ["test_" + MISSION])
    assert result.verdict == "undecided"
    assert "set `examples`" in result.wrong
