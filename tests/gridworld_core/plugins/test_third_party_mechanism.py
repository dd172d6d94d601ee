"""A mechanism that a third party writes once works in task files, the rules, the solver and `GridState`."""

import json
import pickle
from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.backends.grid_state import GridState, full_grid_state, known_grid_state
from gridworld.errors import TaskFormatError
from gridworld.plugins import load_registry, set_registry
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world import Episode, World, compile_world, square_topology, transition
from support.plugins import Install

ONE_WAY = """
import attrs
from gridworld.errors import Problem
from gridworld.drawing.glyphs import Glyph, Line
from gridworld.hookspecs import MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait
from gridworld.world.square import DIRECTIONS

@attrs.frozen
class OneWay:
    id: str
    position: Position = attrs.field(converter=to_position)
    heading: int = attrs.field(validator=attrs.validators.in_(range(4)))

def entered_from_a_wall(floor, task):
    (x, y), (dx, dy) = floor.position, DIRECTIONS[floor.heading]
    if (x - dx, y - dy) in task.maze.wall_cells():
        yield Problem("heading", "it could only be entered from a wall")

ONE_WAYS = MechanismType(
    name="one_ways", noun="one-way floor", summary="Can be entered in one direction only.", spec=OneWay,
    traits=lambda floor, value: Trait.NONE, glyph=lambda floor, value: Glyph((Line(0.1, 0.5, 0.9, 0.5, 0.05, "grey"),)),
    validate=entered_from_a_wall, admits=lambda world, state, floor: state.heading == floor.spec.heading,
)

@hookimpl
def gridworld_mechanisms():
    return [ONE_WAYS]
"""


PLAIN = """
import attrs
from typing import Literal
from gridworld.errors import Problem
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import GridStateField, MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait

@attrs.frozen
class Thing:
    id: str
    position: Position = attrs.field(converter=to_position)
    {fields}

@hookimpl
def gridworld_mechanisms():
    return [MechanismType(
        name="things", noun="thing", summary="A thing.", spec=Thing, glyph=lambda thing, value: Glyph(()),
        traits=lambda thing, value: {traits}, {more}
    )]
"""


@pytest.fixture(autouse=True)
def _third_parties(install: Install) -> None:
    install("one-way", {"floor": "one_way"}, {"one_way.py": ONE_WAY})
    set_registry(load_registry())


def provide_things(install: Install, fields: str = "pass", traits: str = "Trait.NONE", more: str = "") -> None:
    """Provide one more mechanism, ``things``, with further fields of its entries and further arguments of its type."""
    install("plain", {"things": "things"}, {"things.py": PLAIN.format(fields=fields, traits=traits, more=more)})
    set_registry(load_registry())


def task_dict(width: int = 7, height: int = 3, **mechanisms: Any) -> dict[str, Any]:
    return {
        "task_id": "third-party",
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {"dimensions": [width, height], "start": [1, 1], "goal": [width - 2, 1]},
        "mechanisms": mechanisms,
        "goal": {"type": "reach_position"},
        "max_steps": 30,
    }


def world_of(data: dict[str, Any]) -> World:
    task = TaskSpecification.from_dict(data)
    return compile_world(task, square_topology(*task.maze.dimensions))


def problems_of_format(data: dict[str, Any]) -> list[str]:
    with pytest.raises(TaskFormatError) as caught:
        TaskSpecification.from_dict(data)
    return [str(problem) for problem in caught.value.problems]


def one_way(heading: Any, x: int = 2, y: int = 1) -> dict[str, Any]:
    return {"id": "w1", "position": [x, y], "heading": heading}


def thing(**fields: Any) -> dict[str, Any]:
    return {"id": "t1", "position": [2, 1], **fields}


# In task files


def test_a_task_with_it_is_read_into_the_third_partys_own_class() -> None:
    (floor,) = TaskSpecification.from_dict(task_dict(one_ways=[one_way(2)])).mechanisms.one_ways

    assert type(floor).__name__ == "OneWay"
    assert (floor.id, floor.position.x, floor.heading) == ("w1", 2, 2)


def test_a_task_with_it_survives_writing_and_reading() -> None:
    data = task_dict(one_ways=[one_way(0)])
    task = TaskSpecification.from_dict(data)

    written = task.to_dict()

    assert written["mechanisms"] == data["mechanisms"]
    assert TaskSpecification.from_dict(written) == task
    assert TaskSpecification.from_dict(json.loads(json.dumps(written))) == pickle.loads(pickle.dumps(task)) == task


def test_problems_of_its_fields_are_reported() -> None:
    assert problems_of_format(
        task_dict(one_ways=[one_way(0), one_way("east"), one_way(7), {"id": 1, "heding": 0}])
    ) == [
        'mechanisms.one_ways[1].heading: expected an integer, got "east" (str)',
        "mechanisms.one_ways[2].heading: 'heading' must be in range(0, 4) (got 7)",
        "mechanisms.one_ways[3].id: expected a string, got 1 (int)",
        "mechanisms.one_ways[3].position: this field is required",
        "mechanisms.one_ways[3].heading: this field is required",
        "mechanisms.one_ways[3].heding: unknown field (did you mean 'heading'?); known: id, position, heading",
    ]


def test_a_misspelt_mechanism_is_refused_with_the_nearest_installed_one() -> None:
    (problem,) = problems_of_format(task_dict(one_way=[one_way(0)]))

    assert problem.startswith("mechanisms.one_way: unknown mechanism 'one_way' (did you mean 'one_ways'?); installed: ")
    assert "A plugin that provides it may be missing" in problem


# Validation


def test_its_own_validation_is_part_of_the_tasks_validation() -> None:
    task = TaskSpecification.from_dict(task_dict(one_ways=[one_way(0), {**one_way(1, x=3), "id": "w2"}]))

    assert task.validate() == (False, ["mechanisms.one_ways[1].heading: it could only be entered from a wall"])


def test_the_common_rules_hold_for_it_too() -> None:
    twice = [{**one_way(0, x=x), "id": name} for x, name in ((1, "a"), (2, "b"), (3, "b"), (9, "far"))]
    data = task_dict(one_ways=[*twice, one_way(0)])

    valid, problems = TaskSpecification.from_dict(data).validate()

    assert not valid
    assert {problem.partition(":")[0] for problem in problems} == {
        "mechanisms.one_ways[0].position",
        "mechanisms.one_ways[0].heading",
        "mechanisms.one_ways[2].id",
        "mechanisms.one_ways[3].position",
        "mechanisms.one_ways[4].position",
    }


def test_a_problem_of_a_whole_entry_has_the_path_of_the_entry(install: Install) -> None:
    provide_things(install, more="validate=lambda thing, task: [Problem('', 'there is no room for it')]")

    valid, problems = TaskSpecification.from_dict(task_dict(things=[thing()])).validate()

    assert (valid, problems) == (False, ["mechanisms.things[0]: there is no room for it"])


# What happens


def test_it_starts_with_the_first_of_its_values_unless_it_says_otherwise(install: Install) -> None:
    provide_things(install, more="values=('asleep', 'awake')")

    world = world_of(task_dict(things=[thing()]))

    assert world.by_id["t1"].value_name(world.start) == "asleep"


def test_it_acts_on_an_agent_that_stands_on_it_also_when_it_can_be_picked_up(install: Install) -> None:
    provide_things(
        install,
        traits="Trait.PORTABLE",
        more="values=('whole', 'trodden'), initial=lambda thing, rules: 'whole', fills_patch=False, "
        "on_enter=lambda world, state, thing: (state.with_value(thing.index, 1), ())",
    )
    world = world_of(task_dict(things=[thing()]))

    state, _ = transition(world, world.start, Action.MOVE_FORWARD)

    assert state.cell == world.topology.anchor(Position(2, 1))
    assert world.by_id["t1"].value_name(state) == "trodden"


# GridState


def test_its_state_appears_in_the_grid_state_once_the_agent_knows_of_it(install: Install) -> None:
    trodden = "on_enter=lambda world, state, thing: (state.with_value(thing.index, 1), ())"
    provide_things(install, more=f"values=('whole', 'trodden'), {trodden}")
    key = {"id": "k1", "position": [5, 1], "color": "red"}
    data = task_dict(
        width=9, things=[thing(), {"id": "t2", "position": [3, 1]}], one_ways=[one_way(0, x=4)], keys=[key]
    )
    episode = Episode(world_of({**data, "rules": {"hidden_mechanisms": ["t1"]}}))
    episode.reset()
    assert full_grid_state(episode.world, episode.snapshot).mechanism_states == {
        "things": {"t1": "whole", "t2": "whole"}
    }
    assert known_grid_state(episode.world, episode.snapshot).mechanism_states == {"things": {"t2": "whole"}}

    episode.step(Action.MOVE_FORWARD)

    state = full_grid_state(episode.world, episode.snapshot)
    assert state.mechanism_states == {"things": {"t1": "trodden", "t2": "whole"}}
    assert known_grid_state(episode.world, episode.snapshot).mechanism_states == state.mechanism_states
    assert GridState.from_dict(json.loads(json.dumps(state.to_dict()))) == state


def test_it_can_appear_in_a_field_of_the_grid_state_instead(install: Install) -> None:
    field = "GridStateField('active_switches', lambda world, state, thing: thing.value_name(state) == 'awake')"
    provide_things(
        install,
        more=f"values=('asleep', 'awake'), initial=lambda thing, rules: 'awake', grid_state={field}",
    )
    episode = Episode(world_of(task_dict(things=[thing()])))
    episode.reset()

    state = full_grid_state(episode.world, episode.snapshot)
    assert (state.active_switches, state.mechanism_states) == ({"t1"}, {})


# The fields that its author may choose

FIELDS = {
    "a number": ("weight: float = 1.0", {"weight": 0.5}),
    "a choice": ("mood: Literal['calm', 'wild'] = 'calm'", {"mood": "wild"}),
    "an optional one": ("partner: str | None = None", {"partner": "t2"}),
    "a list": ("numbers: list[int] = attrs.Factory(list)", {"numbers": [1, 2]}),
    "positions": ("path: tuple[Position, ...] = ()", {"path": [[1, 1], [2, 1]]}),
    "a mapping": ("costs: dict[str, int] = attrs.Factory(dict)", {"costs": {"a": 1}}),
    "a pair of different kinds": ("label: tuple[str, int] = ('a', 1)", {"label": ["b", 2]}),
    "a triple": ("rgb: tuple[int, int, int] = (0, 0, 0)", {"rgb": [1, 2, 3]}),
    "a validator of two fields": (
        "low: int = 0\n    high: int = attrs.field(default=1)\n"
        "    @high.validator\n    def not_below(self, attribute, value):\n"
        "        if value < self.low:\n            raise ValueError('high is below low')",
        {"low": 2, "high": 3},
    ),
}


@pytest.mark.parametrize(("declared", "given"), FIELDS.values(), ids=FIELDS)
def test_its_entries_can_have_any_field_that_json_can_hold(
    install: Install, declared: str, given: dict[str, Any]
) -> None:
    provide_things(install, fields=declared)

    task = TaskSpecification.from_dict(task_dict(things=[thing(**given)]))

    assert task.validate() == (True, [])
    assert json.loads(json.dumps(task.to_dict()["mechanisms"]["things"])) == [thing(**given)]
    assert TaskSpecification.from_dict(task.to_dict()) == task


WRONG_VALUES = {
    "a word for a number": ("weight: float = 1.0", {"weight": "heavy"}, "weight"),
    "a number in quotes": ("weight: float = 1.0", {"weight": "0.5"}, "weight"),
    "a word that is no choice": ("mood: Literal['calm', 'wild'] = 'calm'", {"mood": "odd"}, "mood"),
    "a wrong item": ("numbers: list[int] = attrs.Factory(list)", {"numbers": [1, "2"]}, "numbers[1]"),
    "too short a triple": ("rgb: tuple[int, int, int] = (0, 0, 0)", {"rgb": [1, 2]}, "rgb"),
    "what its converter does not know": (
        "level: int = attrs.field(default=1, converter=lambda value: {1: 'low', 2: 'high'}[value])",
        {"level": 3},
        "level",
    ),
}


@pytest.mark.parametrize(("declared", "given", "place"), WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_a_wrong_value_in_a_field_of_its_own_is_named_by_the_fields_place(
    install: Install, declared: str, given: dict[str, Any], place: str
) -> None:
    provide_things(install, fields=declared)

    (problem,) = problems_of_format(task_dict(things=[thing(**given)]))

    assert problem.startswith(f"mechanisms.things[0].{place}: ")
