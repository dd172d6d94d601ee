"""The kit for goal types passes a sound one, and catches each of many broken ones."""

import itertools
import random
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from gridworld.errors import Problem
from gridworld.mechanisms.keys import KeySpec
from gridworld.task_spec import Position, TaskSpecification
from gridworld.testing import GoalConformance
from gridworld.testing.conformance import run_checks
from gridworld.world import State, World
from gridworld.world.events import Bumped, Event, Moved, PickedUp, Turned
from gridworld.world.goal_type import GoalType, Marker
from gridworld.world.mechanism_type import Explained, MechanismType
from support.sample_plugins import assert_caught, assert_conforms, assert_passes


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
    mission=lambda world: "visit the corner",
    validate=lambda task, entries: (),
    markers=lambda task: (Marker(task.goal.parameters["corner"]),),
    ignores_dropped=True,
)


def visit(**changes: Any) -> GoalType:
    """The visit with something else about it."""
    return attrs.evolve(VISIT, **changes)


def test_a_sound_goal_type_conforms() -> None:
    assert_conforms(GoalConformance, goal=VISIT)
    assert_conforms(GoalConformance, goal=VISIT, examples=[{"corner": [6, 1]}, {"corner": [1, 4], "hour": 7}])


def test_an_explanation_that_tells_nothing_is_caught() -> None:
    assert_caught(
        GoalConformance, "it_explains_itself", "tells nothing", "one sentence", goal=visit(explains=Explained())
    )


def test_one_that_is_about_a_mechanism_of_its_own_may_bring_it_along() -> None:
    mechanism = MechanismType(**{**BARE, "name": "bells"})

    class BellKit(GoalConformance):
        goal = visit(validate=lambda task, entries: [] if task.mechanisms.bells == () else [Problem("corner", "rings")])
        together_with = (mechanism,)

    assert_conforms(BellKit)


BARE: dict[str, Any] = {
    "noun": "bell",
    "summary": "Rings.",
    "spec": KeySpec,
    "traits": lambda spec, value: 0,
    "glyph": lambda spec, value: None,
}

count = itertools.count()
rng = random.Random()


def by_chance(world: World) -> Callable[[State], bool]:
    return lambda state: state.steps > 0 and rng.random() < 0.5


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


def raising(task: TaskSpecification, entries: object) -> Any:
    raise LookupError(task.task_id)


def raising_in_a_world(world: World) -> Any:
    raise LookupError(world.task.task_id)


CORNER = {"corner": [6, 1]}


@pytest.mark.parametrize(
    ("changes", "check", "wrong", "remedy"),
    [
        ({"reached": by_chance}, "its_predicate_is_pure", "in another order", "keep nothing between calls"),
        ({"reached": by_turns}, "its_predicate_is_pure", "in another order", "depend on the state only"),
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
            "where a dropped thing lies",
            "set ignores_dropped=False",
        ),
        (
            {"only_at_last_step": True},
            "it_is_only_reached_at_the_last_step_if_it_says_so",
            "is already reached after",
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
            {"mission": lambda world: "go to (6, 1)!"},
            "its_mission_is_letters_spaces_and_commas",
            "'go to (6",
            "as words",
        ),
        ({"mission": lambda world: None}, "its_mission_is_letters_spaces_and_commas", "is None", "letters, spaces"),
        ({"mission": raising_in_a_world}, "its_mission_is_letters_spaces_and_commas", "LookupError", "must not raise"),
        (
            {"markers": lambda task: (Marker(Position(0, 0)),)},
            "its_markers_are_floor_inside_the_maze",
            "the marker Marker(position=Position(x=0, y=0)",
            "that is not a wall",
        ),
        (
            {"markers": lambda task: (Position(2, 2),)},
            "its_markers_are_floor_inside_the_maze",
            "the marker Position(x=2, y=2)",
            "make a `gridworld.hookspecs.Marker",
        ),
        (
            {"markers": lambda task: (Marker((2, 2), "target", "nobody"),)},
            "its_markers_are_floor_inside_the_maze",
            "nothing in the task",
            "make a `gridworld.hookspecs.Marker",
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
            "never grow with step_count",
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
    ],
)
def test_a_broken_goal_type_is_caught(changes: dict[str, Any], check: str, wrong: str, remedy: str) -> None:
    assert_caught(GoalConformance, check, wrong, remedy, goal=visit(**changes), examples=[CORNER])


# --- What it remembers ---------------------------------------------------------------------------------------------

MEMORY = Callable[[State, tuple[Event, ...]], Any]


def at_home(world: World) -> Callable[[State], bool]:
    return lambda state: state.memory is True and state.cell == world.start.cell


def been_in_the_corner(world: World) -> MEMORY:
    there = on_corner(world)
    return lambda state, events: state.memory is True or there(state)


RETURN = attrs.evolve(VISIT, reached=at_home, initial_memory=lambda world: False, remember=been_in_the_corner)
"""Go to the corner and come back."""


def test_a_sound_goal_type_with_a_memory_conforms() -> None:
    assert_conforms(GoalConformance, goal=RETURN)


def cells_as_a_list(world: World) -> MEMORY:
    return lambda state, events: [state.cell]


def cells_as_a_set(world: World) -> MEMORY:
    return lambda state, events: frozenset({state.cell})


def not_a_number(world: World) -> MEMORY:
    return lambda state, events: float("nan")


def in_its_own_pocket(world: World) -> MEMORY:
    been: set[int] = set()

    def remember(state: State, events: tuple[Event, ...]) -> Any:
        been.add(state.cell)
        return len(been) > 3

    return remember


def by_the_clock(world: World) -> MEMORY:
    return lambda state, events: state.steps > 5


def the_whole_path(world: World) -> MEMORY:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        moved = any(isinstance(event, Moved) for event in events)
        return (*state.memory, state.cell) if moved and state.memory else (state.cell, *(state.memory or ()))

    return remember


def the_number_of_turns(world: World) -> MEMORY:
    return lambda state, events: state.memory + sum(isinstance(event, Turned) for event in events)


def where_the_key_lies(world: World) -> MEMORY:
    key = world.by_id["stage-key"].index
    return lambda state, events: state.places[key]


def whether_it_has_bumped_into_things(world: World) -> MEMORY:
    things = {entity.id for entity in world.entities}
    return lambda state, events: (
        state.memory or any(isinstance(event, Bumped) and event.entity in things for event in events)
    )


@pytest.mark.parametrize(
    ("remember", "check", "wrong", "remedy"),
    [
        (cells_as_a_list, "its_memory_is_hashable_and_goes_through_json", "unhashable", "build it from tuples"),
        (
            cells_as_a_set,
            "its_memory_is_hashable_and_goes_through_json",
            "not JSON serializable",
            "build it from tuples",
        ),
        (not_a_number, "its_memory_is_hashable_and_goes_through_json", "the memory nan", "build it from tuples"),
        (in_its_own_pocket, "its_memory_is_updated_purely", "in another order", "keep everything in the memory"),
        (by_the_clock, "its_memory_is_updated_purely", "depends on the number of steps", "timed=True"),
        (the_whole_path, "its_memory_stays_small", "different memories", "only what the goal needs"),
        (the_number_of_turns, "its_memory_stays_small", "turn_left alone led to 301", "not how often"),
        (
            where_the_key_lies,
            "it_remembers_no_more_of_what_was_dropped_than_it_says",
            "where a dropped thing lies",
            "False",
        ),
        (
            whether_it_has_bumped_into_things,
            "it_remembers_no_more_of_what_was_dropped_than_it_says",
            "caused by a thing that lies in the way",
            "set ignores_dropped=False",
        ),
    ],
)
def test_a_broken_memory_is_caught(remember: Callable[[World], MEMORY], check: str, wrong: str, remedy: str) -> None:
    broken = attrs.evolve(RETURN, remember=remember)
    assert_caught(GoalConformance, check, wrong, remedy, goal=broken, examples=[CORNER])


def test_a_memory_that_grows_as_the_agent_roams_is_caught() -> None:
    def fives(world: World) -> MEMORY:
        """As many characters as cells have been entered: it stays the same while nothing is entered."""

        def remember(state: State, events: tuple[Event, ...]) -> Any:
            return (state.memory or "") + "*****" * sum(isinstance(event, Moved) for event in events)

        return remember

    assert_caught(
        GoalConformance,
        "its_memory_stays_small",
        "the memory takes",
        "remember only what the goal needs",
        goal=attrs.evolve(RETURN, remember=fives, initial_memory=lambda world: ""),
        examples=[CORNER],
    )


def test_a_start_that_is_another_each_time_is_caught() -> None:
    assert_caught(
        GoalConformance,
        "its_memory_is_updated_purely",
        "returns something else",
        "keep everything in the memory",
        goal=attrs.evolve(RETURN, initial_memory=lambda world: next(count)),
        examples=[CORNER],
    )


# --- What it promises the solver -------------------------------------------------------------------------------------

AGENT_CELLS = "it_matters_on_its_agent_cells_only_where_the_agent_is"
THING_CELLS = "its_thing_cells_are_where_things_have_to_be"


def the_corner(world: World) -> tuple[int, ...]:
    return tuple(world.topology.patches[world.task.goal.parameters["corner"]])


def nowhere(world: World) -> tuple[int, ...]:
    return ()


def facing_right_in_the_corner(world: World) -> Callable[[State], bool]:
    there = on_corner(world)
    return lambda state: there(state) or (state.heading == 0 and world.topology.lattice[state.cell] == (2, 2))


def right_turns_on_the_left(world: World) -> MEMORY:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        turned = any(isinstance(event, Turned) for event in events)
        return state.memory or (turned and world.topology.lattice[state.cell].x < 3)

    return remember


def steps_to_the_right(world: World) -> MEMORY:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        return state.memory or any(isinstance(event, Moved) and state.heading == 0 for event in events)

    return remember


def keys_from_the_left(world: World) -> MEMORY:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        return state.memory or any(isinstance(event, PickedUp) and state.heading == 0 for event in events)

    return remember


NO_MARK: dict[str, Any] = {"markers": lambda task: ()}


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({**NO_MARK, "agent_cells": nowhere}, "`reached` depends on where the agent is"),
        ({"agent_cells": the_corner, "reached": facing_right_in_the_corner}, "`reached` depends on where the agent is"),
        ({"agent_cells": lambda world: (-7,)}, "`agent_cells` has [-7]"),
        ({"agent_cells": raising_in_a_world}, "LookupError"),
        ({"agent_cells": the_corner, "remember": right_turns_on_the_left}, "leads to something else than"),
        ({"agent_cells": the_corner, "remember": steps_to_the_right}, "move_forward on cell"),
        ({"agent_cells": the_corner, "remember": keys_from_the_left}, "pickup on cell"),
    ],
)
def test_a_goal_that_minds_other_cells_than_it_says_is_caught(changes: dict[str, Any], wrong: str) -> None:
    broken = visit(**{"initial_memory": lambda world: False, **changes})
    assert_caught(GoalConformance, AGENT_CELLS, wrong, "", goal=broken, examples=[CORNER])
    honest = attrs.evolve(broken, agent_cells=None)
    assert_passes(GoalConformance, AGENT_CELLS, goal=honest, examples=[CORNER])


def test_the_remedy_for_other_cells_is_to_leave_them_out() -> None:
    broken = visit(agent_cells=nowhere, **NO_MARK)
    assert_caught(GoalConformance, AGENT_CELLS, "", "or leave it out", goal=broken, examples=[CORNER])


def test_a_goal_that_names_its_cells_conforms() -> None:
    home = attrs.evolve(RETURN, agent_cells=lambda world: (*the_corner(world), world.start.cell))
    for goal in (visit(agent_cells=the_corner), home):
        assert_conforms(GoalConformance, goal=goal, examples=[CORNER])


def blocks(world: World) -> list[int]:
    return [entity.index for entity in world.entities if entity.type.name == "blocks"]


def pushed_right(world: World) -> Callable[[State], bool]:
    (block,), column = blocks(world), world.topology.lattice
    return lambda state: state.places[block] >= 0 and column[state.places[block]].x > 3


def one_cell_further(world: World) -> dict[int, tuple[int, ...]]:
    return dict.fromkeys(blocks(world), (world.topology.anchor((4, 3)),))


def further_right(world: World) -> dict[int, tuple[int, ...]]:
    cells = range(world.topology.cell_count)
    far = tuple(cell for cell in cells if world.topology.lattice[cell].x > 3 and cell not in world.walls)
    return dict.fromkeys(blocks(world), far)


PUSH = visit(reached=pushed_right, **NO_MARK)
"""Push the block to the right, however far."""


@pytest.mark.parametrize(
    ("thing_cells", "wrong"),
    [
        (one_cell_further, "where 'stage-block' is on none of the cells"),
        (lambda world: {world.by_id["stage-key"].index: (world.start.cell,)}, "'stage-key' is on none of the cells"),
        (lambda world: {world.by_id["stage-gate"].index: (world.start.cell,)}, "not the index of a movable thing"),
        (lambda world: {99: (world.start.cell,)}, "names 99"),
        (lambda world: {world.by_id["stage-block"].index: ()}, "the cells []"),
        (lambda world: {world.by_id["stage-block"].index: (min(world.walls),)}, "not all floor"),
    ],
)
def test_a_goal_that_asks_too_much_of_things_is_caught(thing_cells: Any, wrong: str) -> None:
    broken = attrs.evolve(PUSH, thing_cells=thing_cells)
    assert_caught(GoalConformance, THING_CELLS, wrong, "", goal=broken, examples=[CORNER])


def test_the_remedy_for_things_is_to_name_what_is_necessary() -> None:
    broken = attrs.evolve(PUSH, thing_cells=one_cell_further)
    assert_caught(GoalConformance, THING_CELLS, "", "only what is necessary", goal=broken, examples=[CORNER])


def test_a_goal_that_says_where_things_have_to_be_conforms() -> None:
    assert_conforms(GoalConformance, goal=attrs.evolve(PUSH, thing_cells=further_right), examples=[CORNER])


def the_first_in_the_alphabet(world: World) -> MEMORY:
    first = world.by_id[min(world.by_id)].index
    return lambda state, events: first


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"remember": the_first_in_the_alphabet}, "with other ids, the state after"),
        ({"mission": lambda world: "go past the " + world.task.mechanisms.keys[0].id}, "with other ids, the mission"),
    ],
)
def test_a_goal_that_minds_names_is_caught(changes: dict[str, Any], wrong: str) -> None:
    check = "order_and_names_in_the_file_change_nothing"
    broken = attrs.evolve(RETURN, **changes)
    assert_caught(GoalConformance, check, wrong, "do not depend on ids", goal=broken, examples=[CORNER])


def test_what_is_no_function_is_caught() -> None:
    check, wrong = "its_descriptor_has_the_right_types", "`remember` is 'all'"
    assert_caught(GoalConformance, check, wrong, "or None", goal=visit(remember="all"), examples=[CORNER])


def test_problems_with_paths_from_the_top_of_the_file_are_caught() -> None:
    def validate(task: TaskSpecification, entries: object) -> Any:
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
