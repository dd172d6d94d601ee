"""Fields that are declared as directions, colours or references are read, checked and described as such."""

from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from gridworld.errors import TaskFormatError
from gridworld.hookspecs import (
    COLOR_NAMES,
    DIRECTION_WORDS,
    STEPS,
    Glyph,
    GoalType,
    Line,
    MechanismType,
    Placed,
    Polygon,
    TaskSpecification,
    Trait,
    color_field,
    direction_field,
    reference_field,
    references_field,
)
from gridworld.plugins import Provided, get_registry, using_registry
from gridworld.task.schema import task_schema


@attrs.frozen
class LampSpec(Placed):
    """A lamp."""

    direction: int = direction_field()
    side: int = direction_field(default="up")
    color: str = color_field(default="red")
    shade: str | None = color_field(css=True, default=None)
    twin: str | None = reference_field(default=None)
    controls: tuple[str, ...] = references_field()
    guests: tuple[str, ...] = references_field(ordered=True)


@attrs.frozen
class FollowFields:
    """Fields of a goal."""

    leader: str = reference_field()


LAMPS = MechanismType(name="lamps", noun="lamp", summary="Shines.", spec=LampSpec, traits=Trait.NONE, glyph=Glyph(()))
FOLLOW = GoalType(
    name="follow",
    summary="Follow.",
    parameters=FollowFields,
    reached=lambda world: lambda state: False,
    mission="follow it",
)


@pytest.fixture(autouse=True)
def _lamps() -> Iterator[None]:
    registry = get_registry()
    lamps = [*registry.mechanisms, Provided(LAMPS, "third-party", "lamps")]
    goals = [*registry.goals, Provided(FOLLOW, "third-party", "follow")]
    with using_registry(registry.with_provided("mechanism", lamps).with_provided("goal", goals)):
        yield


def task_with(goal: dict[str, Any] | None = None, **lamp: Any) -> TaskSpecification:
    """A task with a lamp, a gate and a door."""
    return TaskSpecification.from_dict(
        {
            "task_id": "lit",
            "seed": 1,
            "difficulty_tier": 1,
            "maze": {"dimensions": [7, 5], "start": [1, 1], "goal": [5, 1]},
            "mechanisms": {
                "lamps": [{"id": "lamp", "position": [3, 2], "direction": 0, **lamp}],
                "gates": [{"id": "gate", "position": [3, 3]}],
                "doors": [{"id": "door", "position": [4, 3], "initial_state": "open"}],
            },
            "goal": goal or {"type": "reach_position"},
            "max_steps": 10,
        }
    )


def problems(task: TaskSpecification) -> list[str]:
    return task.validate()[1]


def test_references_to_mechanisms_of_the_task_are_valid() -> None:
    task = task_with(twin="door", guests=["door", "gate"], controls=["gate"])

    assert problems(task) == []
    assert LAMPS.controls(task.mechanisms.lamps[0]) == ("gate",)


@pytest.mark.parametrize(
    ("lamp", "problem"),
    [
        ({"twin": "dor"}, "mechanisms.lamps[0].twin: no mechanism has the id 'dor' (did you mean 'door'?)"),
        ({"guests": ["gate", "bell"]}, "mechanisms.lamps[0].guests[1]: no mechanism has the id 'bell'"),
        (
            {"controls": ["door"]},
            "mechanisms.lamps[0].controls[0]: 'door' is one of the doors, which nothing can control",
        ),
    ],
)
def test_a_reference_that_leads_nowhere_is_refused(lamp: dict[str, Any], problem: str) -> None:
    assert problems(task_with(**lamp)) == [problem]


def test_a_reference_of_a_goal_that_leads_nowhere_is_refused() -> None:
    assert problems(task_with({"type": "follow", "leader": "gate"})) == []
    assert problems(task_with({"type": "follow", "leader": "nobody"})) == [
        "goal.leader: no mechanism has the id 'nobody'"
    ]


@pytest.mark.parametrize(("number", "word"), enumerate(DIRECTION_WORDS))
def test_a_direction_is_given_by_number_or_word_and_held_as_a_number(number: int, word: str) -> None:
    by_number, by_word = task_with(direction=number), task_with(direction=word)

    assert by_number == by_word
    assert by_word.mechanisms.lamps[0].direction == number
    assert by_word.mechanisms.lamps[0].side == DIRECTION_WORDS.index("up")
    assert TaskSpecification.from_dict(by_word.to_dict()) == by_word


@pytest.mark.parametrize("direction", [4, -1, True, 1.0, "Right", "north", None, [0]])
def test_anything_else_is_no_direction(direction: Any) -> None:
    with pytest.raises(TaskFormatError, match=r"\.direction: expected a direction, 0 or 'right', 1 or 'down'"):
        task_with(direction=direction)


def test_the_schema_lists_what_the_fields_accept() -> None:
    schemas = task_schema(get_registry())["$defs"]
    (lamp,) = (schema["properties"] for name, schema in schemas.items() if name.endswith(".LampSpec"))

    assert lamp["direction"]["enum"] == [0, 1, 2, 3, *DIRECTION_WORDS]
    assert lamp["side"]["default"] == "up"
    assert set(COLOR_NAMES) < set(lamp["color"]["enum"])
    assert None in lamp["shade"]["enum"]
    assert lamp["position"] == {"$ref": "#/$defs/Position"}


@pytest.mark.parametrize("direction", [*range(4), *DIRECTION_WORDS])
def test_a_glyph_that_points_right_can_point_in_any_direction(direction: int | str) -> None:
    dx, dy = STEPS[direction]
    arrow = Glyph((Polygon(((1, 0.5), (0, 0.25), (0, 0.75)), "red"), Line(0, 0.5, 1, 0.5, 0.1, "red")))

    head, shaft = arrow.pointing(direction).shapes

    assert isinstance(head, Polygon)
    assert isinstance(shaft, Line)
    assert head.points[0] == (shaft.x1, shaft.y1) == (0.5 + dx / 2, 0.5 + dy / 2)
    assert (shaft.x0, shaft.y0) == (0.5 - dx / 2, 0.5 - dy / 2)
