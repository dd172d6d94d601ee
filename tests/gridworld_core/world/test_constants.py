"""A constant stands for the function that returns it, in the descriptors of mechanisms and goals."""

import pickle
from typing import Any

import attrs
import pytest

from gridworld.hookspecs import (
    ArgumentError,
    Explained,
    Glyph,
    GoalType,
    MechanismType,
    Position,
    Rectangle,
    Rules,
    State,
    Trait,
    World,
    to_position,
)
from gridworld.mechanisms.hazards import HazardSpec
from gridworld.testing.stage import stage_task
from gridworld.world import compile_world, square_topology


@attrs.frozen
class PebbleSpec:
    """A pebble."""

    id: str
    position: Position = attrs.field(converter=to_position)


LOOK, WORDS = Glyph((Rectangle(0.2, 0.2, 0.8, 0.8, "grey"),)), Explained("It lies about.", looks="grey")
PEBBLES = MechanismType(
    name="pebbles",
    noun="pebble",
    summary="Lies about.",
    spec=PebbleSpec,
    values=("dry", "wet"),
    initial="wet",
    traits=Trait.SOLID,
    glyph=LOOK,
    color="grey",
    adjective="round",
    kind="small",
    explains=WORDS,
)


def _reached(world: World) -> Any:
    return lambda state: _is_late(state)


def _is_late(state: State) -> bool:
    return state.steps > 3


WAITING = GoalType(name="waiting", summary="Wait.", reached=_reached, mission="wait for a while", timed=True)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda spec: PEBBLES.traits(spec, "wet"), Trait.SOLID),
        (lambda spec: PEBBLES.look(spec, "dry"), LOOK),
        (lambda spec: PEBBLES.initial_value(spec, Rules()), 1),
        (lambda spec: PEBBLES.color(spec), "grey"),
        (lambda spec: PEBBLES.adjective(spec, "dry"), "round"),
        (lambda spec: PEBBLES.describe(spec), "grey small pebble"),
        (lambda spec: PEBBLES.explained(spec, Rules()), WORDS),
    ],
    ids=["traits", "glyph", "initial", "color", "adjective", "kind", "explains"],
)
def test_constants_of_a_mechanism(found: Any, expected: object) -> None:
    assert found(PebbleSpec("p1", Position(1, 1))) == expected


def test_constants_of_a_goal() -> None:
    task = stage_task()
    world = compile_world(task, square_topology(*task.maze.dimensions))

    assert WAITING.mission(world) == "wait for a while"
    assert tuple(WAITING.validate(world.task, {})) == ()


DECORATIONS = MechanismType(  # nothing of it is defined in this module
    name="decorations", noun="flower", summary="Stands about.", spec=HazardSpec, traits=Trait.NONE, glyph=LOOK
)


@pytest.mark.parametrize("descriptor", [PEBBLES, DECORATIONS, WAITING], ids=lambda each: each.name)
def test_descriptors_are_pickled_by_name(descriptor: object) -> None:
    assert pickle.loads(pickle.dumps(descriptor)) == descriptor


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("traits", "solid", "Trait"),
        ("glyph", "red", "Glyph"),
        ("initial", 0, "str"),
        ("color", 3, "str"),
        ("adjective", None, "str"),
        ("kind", 1, "str"),
        ("explains", "It is cold.", "Explained"),
    ],
)
def test_a_constant_of_a_wrong_type_is_refused(field: str, value: object, expected: str) -> None:
    changed: dict[str, Any] = {field: value}
    with pytest.raises(ArgumentError, match=f"{field}: expected {expected} or a function, got "):
        attrs.evolve(PEBBLES, **changed)


def test_a_mission_of_a_wrong_type_is_refused() -> None:
    with pytest.raises(ArgumentError, match="mission: expected str or a function, got 3"):
        GoalType(name="waiting", summary="Wait.", reached=_reached, mission=3)  # type: ignore[arg-type]  # which is refused
