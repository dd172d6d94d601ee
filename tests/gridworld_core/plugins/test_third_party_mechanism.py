"""A mechanism that a third party writes once works in task files, in their validation and in `GridState`."""

import json
import pickle
from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.backends.grid_state import GridState, full_grid_state, known_grid_state
from gridworld.errors import TaskFormatError
from gridworld.plugins import load_registry, set_registry
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, World, compile_world, square_topology
from support.plugins import Install

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


def thing(**fields: Any) -> dict[str, Any]:
    return {"id": "t1", "position": [2, 1], **fields}


HEADING = "heading: int = attrs.field(validator=attrs.validators.in_(range(4)))"


def test_a_task_with_it_survives_writing_reading_and_pickling(install: Install) -> None:
    provide_things(install, fields=HEADING)
    data = task_dict(things=[thing(heading=0)])
    task = TaskSpecification.from_dict(data)

    assert task.to_dict()["mechanisms"] == data["mechanisms"]
    assert TaskSpecification.from_dict(task.to_dict()) == pickle.loads(pickle.dumps(task)) == task


def test_problems_of_its_fields_are_reported(install: Install) -> None:
    provide_things(install, fields=HEADING)
    given = [thing(heading=0), thing(heading="east"), thing(heading=7), {"id": 1, "heding": 0}]

    assert problems_of_format(task_dict(things=given)) == [
        'mechanisms.things[1].heading: expected an integer, got "east" (str)',
        "mechanisms.things[2].heading: 'heading' must be in range(0, 4) (got 7)",
        "mechanisms.things[3].id: expected a string, got 1 (int)",
        "mechanisms.things[3].position: this field is required",
        "mechanisms.things[3].heading: this field is required",
        "mechanisms.things[3].heding: unknown field (did you mean 'heading'?); known: id, position, heading",
    ]


@pytest.mark.parametrize(("field", "place"), [("", "things[0]"), ("position", "things[0].position")])
def test_its_own_validation_is_part_of_the_tasks_validation(install: Install, field: str, place: str) -> None:
    provide_things(install, more=f"validate=lambda thing, task: [Problem('{field}', 'there is no room for it')]")

    valid, problems = TaskSpecification.from_dict(task_dict(things=[thing()])).validate()

    assert (valid, problems) == (False, [f"mechanisms.{place}: there is no room for it"])


def test_its_state_appears_in_the_grid_state_once_the_agent_knows_of_it(install: Install) -> None:
    trodden = "on_enter=lambda world, state, thing: (state.with_value(thing.index, 1), ())"
    provide_things(install, more=f"values=('whole', 'trodden'), {trodden}")
    key = {"id": "k1", "position": [5, 1], "color": "red"}
    data = task_dict(width=9, things=[thing(), {"id": "t2", "position": [3, 1]}], keys=[key])
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
