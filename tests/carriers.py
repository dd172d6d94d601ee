"""Mechanisms that move and change with time, for the tests of the kernel; the core has none of its own that carries.

In the pictures of `draw_carrying` every ``>``, ``v``, ``<`` and ``^`` is a conveyor belt, every ``)`` a ledge that is
entered rightwards only, and ``*`` ice.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from gridworld.drawing.glyphs import Circle, Glyph
from gridworld.plugins import get_registry, using_registry
from gridworld.task_spec import Position, TaskSpecification, to_ids, to_position
from gridworld.testing.conformance import with_item
from gridworld.world import Entity, State, World
from gridworld.world.events import Changed, Event, Moved
from gridworld.world.mechanism_type import MechanismType
from gridworld.world.traits import Trait
from worlds import Thing, cells_of, describe

__all__ = ["BELTS", "CARRIERS", "CLOCKS", "clock", "draw_carrying", "plain_mechanism", "with_carriers"]

ARROWS = ">v<^"
"""The character of a belt in each direction."""


@attrs.frozen
class BeltSpec:
    """A belt; one that is governed runs only while one of its governors is on."""

    id: str
    position: Position = attrs.field(converter=to_position)
    direction: int = attrs.field(validator=attrs.validators.in_(range(4)))
    governed: bool = False


@attrs.frozen
class PlainSpec:
    """A thing of which there is nothing to say."""

    id: str
    position: Position = attrs.field(converter=to_position)


@attrs.frozen
class ClockSpec:
    """A clock; what it controls is on in every other step."""

    id: str
    position: Position = attrs.field(converter=to_position)
    controls: tuple[str, ...] = attrs.field(default=(), converter=to_ids)


def _carries(world: World, state: State, belt: Entity) -> int | None:
    stopped = belt.spec.governed and not any(world.traits_of(state, each) & Trait.ACTIVE for each in belt.controllers)
    return None if stopped else belt.spec.direction


def _from_the_left(world: World, state: State, ledge: Entity) -> bool:
    (x, y), cell = ledge.spec.position, world.topology.lattice[state.cell]
    return cell in ((x, y), (x - 1, y))


def _slide(world: World, state: State, ice: Entity) -> tuple[State, tuple[Event, ...]] | None:
    beyond = world.exits[state.cell * world.headings + state.heading]
    return (state.at(beyond), (Moved(state.cell, beyond),)) if world.is_free(state, beyond) else None


def _tick(world: World, state: State, clock: Entity) -> tuple[int, tuple[Event, ...]]:
    value = 1 - state.values[clock.index]
    return value, (Changed(clock.id, clock.cells, CLOCKS.values[value]),)


def plain_mechanism(**fields: Any) -> MechanismType:
    """A mechanism that keeps all promises to the solver, and something else about it."""
    return MechanismType(
        **{
            "summary": "For tests.",
            "spec": PlainSpec,
            "traits": lambda spec, value: Trait.NONE,
            "glyph": lambda spec, value: Glyph((Circle(0.5, 0.5, 0.3, "grey"),)),
            "local": True,
            "ignores_dropped": True,
            **fields,
        }
    )


BELTS = plain_mechanism(
    name="belts",
    noun="belt",
    spec=BeltSpec,
    traits=lambda belt, value: Trait.TAKES_BLOCKS,
    adjective=lambda belt, value: f"number-{belt.direction}",
    carries=_carries,
    controllable=True,
)
LEDGES = plain_mechanism(name="ledges", noun="ledge", admits=_from_the_left)
ICE = plain_mechanism(name="ice", noun="ice", on_enter=_slide, ignores_dropped=False)
CLOCKS = plain_mechanism(
    name="clocks",
    noun="clock",
    spec=ClockSpec,
    values=("off", "on"),
    traits=lambda clock, value: Trait.ACTIVE if value == "on" else Trait.NONE,
    adjective=lambda clock, value: value,
    controls=lambda clock: clock.controls,
    tick=_tick,
)
CARRIERS = (BELTS, LEDGES, ICE, CLOCKS)


@contextmanager
def with_carriers() -> Iterator[None]:
    """All of them in the registry, beside what is installed."""
    registry = get_registry()
    for mechanism in CARRIERS:
        registry = with_item(registry, "mechanism", mechanism)
    with using_registry(registry):
        yield


def draw_carrying(picture: str, governed: bool = False, **options: Any) -> TaskSpecification:
    """The task of a picture in which some characters stand for carriers; the options are those of `draw`.

    A belt at (2, 1) has the id ``2,1``.
    """
    data = describe(picture, **options)
    for character, cells in cells_of(picture).items():
        for x, y in cells:
            entry = {"id": f"{x},{y}", "position": [x, y]}
            if character in ARROWS:
                belt = {**entry, "direction": ARROWS.index(character), "governed": governed}
                data["mechanisms"].setdefault("belts", []).append(belt)
            elif character in ")*":
                data["mechanisms"].setdefault("ledges" if character == ")" else "ice", []).append(entry)
    return TaskSpecification.from_dict(data)


def clock(*controls: str) -> Thing:
    """A clock for pictures."""
    return Thing("clocks", {"controls": list(controls)})
