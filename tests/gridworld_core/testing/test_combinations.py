"""The kit for mechanisms finds what is wrong where two of them meet, and whose fault it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import pytest

from carriers import plain_mechanism
from conformance_faults import assert_caught, assert_passes
from example_plugins import example_catalogs
from gridworld.plugins import get_registry, using_registry
from gridworld.task_spec import Position, to_ids, to_position
from gridworld.testing import MechanismConformance
from gridworld.testing.conformance import with_item
from gridworld.world import Entity, State, World
from gridworld.world.events import Changed, Event, Moved
from gridworld.world.mechanism_type import Entered, MechanismType
from gridworld.world.traits import Trait

CHECK = "it_works_beside_every_mechanism"
EXAMPLES = ("belts", "ice", "one_way", "timers")


@contextmanager
def installed(*mechanisms: MechanismType) -> Iterator[None]:
    """Mechanisms in the registry, beside those of the core and the examples."""
    registry = example_catalogs()
    for mechanism in mechanisms:
        registry = with_item(registry, "mechanism", mechanism)
    with using_registry(registry):
        yield


@attrs.frozen
class LinkedSpec:
    """A thing that controls others."""

    id: str
    position: Position = attrs.field(converter=to_position)
    controls: tuple[str, ...] = attrs.field(default=(), converter=to_ids)


def _weighed(world: World, state: State, plate: Entity) -> tuple[int, tuple[Event, ...]]:
    return int(world.is_occupied(state, plate.cells)), ()


def _relayed(world: World, state: State, relay: Entity) -> tuple[int, tuple[Event, ...]]:
    return int(any(world.traits_of(state, each) & Trait.ACTIVE for each in relay.controllers)), ()


def _turned(world: World, state: State, turner: Entity) -> Any:
    return Entered(state.facing(0), turned=True)


def _from_the_left(world: World, state: State, ledge: Entity) -> bool:
    (x, y), cell = ledge.spec.position, world.topology.lattice[state.cell]
    return cell in ((x, y), (x - 1, y))


def _rolled(world: World, state: State, raft: Entity) -> tuple[State, tuple[Event, ...]] | None:
    beyond = world.exits[state.cell * world.headings + state.heading]
    return (state.at(beyond), (Moved(state.cell, beyond),)) if world.is_free(state, beyond) else None


def _lit(world: World, state: State, lamp: Entity) -> tuple[State, tuple[Event, ...]]:
    return state.with_value(lamp.index, 1), (Changed(lamp.id, lamp.cells, "lit"),)


def switched(**fields: Any) -> MechanismType:
    """Something that is off or on, and controls others while it is on."""
    power = {"values": ("off", "on"), "spec": LinkedSpec, "controls": lambda spec: spec.controls}
    active = lambda spec, value: Trait.TAKES_BLOCKS | (Trait.ACTIVE if value == "on" else Trait.NONE)  # noqa: E731
    return plain_mechanism(**{**power, "traits": active, **fields})


PLATES = switched(name="plates", noun="plate", sense=_weighed)
RELAYS = switched(name="relays", noun="relay", derive=_relayed, controllable=True)
TURNERS = plain_mechanism(name="turners", noun="turner", on_enter=_turned)
LEDGES = plain_mechanism(
    name="ledges", noun="ledge", traits=lambda spec, value: Trait.TAKES_BLOCKS, admits=_from_the_left
)
LAMPS = plain_mechanism(
    name="lamps", noun="lamp", values=("dark", "lit"), traits=lambda spec, value: Trait.TAKES_BLOCKS, on_enter=_lit
)
RAFTS = plain_mechanism(
    name="rafts",
    noun="raft",
    traits=lambda spec, value: Trait.PUSHABLE,
    on_enter=_rolled,
    fills_patch=False,
    local=False,
)
SMALL = (PLATES, RELAYS, TURNERS, LEDGES, LAMPS, RAFTS)
