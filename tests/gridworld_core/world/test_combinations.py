"""Where two mechanisms meet, the kernel does what a plain version of the rules does."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations_with_replacement
from typing import Any

import attrs
import pytest

from gridworld.plugins import get_registry, using_registry
from gridworld.task_spec import Position, to_ids, to_position
from gridworld.world import Entity, State, World
from gridworld.world.events import Changed, Event, Moved
from gridworld.world.mechanism_type import Entered, MechanismType, Trait
from support.combinations import find_fault, member_of
from support.plugins import example_catalogs, with_item
from support.sample_plugins import plain_mechanism

OWN = [each.item.name for each in example_catalogs().mechanisms]
"""Names of the mechanisms of the core and of the examples."""


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


@pytest.mark.parametrize("name", OWN)
def test_each_mechanism_follows_the_rules_alone(name: str) -> None:
    with installed():
        assert find_fault(member_of(get_registry().mechanisms.get(name))) is None


@pytest.mark.parametrize(("name", "other"), [("switches", "gates"), ("blocks", "teleporters"), ("belts", "one_way")])
def test_mechanisms_follow_the_rules_beside_another(name: str, other: str) -> None:
    with installed():
        catalog = get_registry().mechanisms
        assert find_fault(member_of(catalog.get(name)), member_of(catalog.get(other))) is None


@pytest.mark.more
@pytest.mark.parametrize("name", OWN)
def test_each_mechanism_follows_the_rules_beside_every_other(name: str) -> None:
    with installed():
        catalog = get_registry().mechanisms
        one = member_of(catalog.get(name))
        faults = [find_fault(one, member_of(catalog.get(each))) for each in OWN[OWN.index(name) :]]
    assert set(faults) == {None}


@pytest.mark.more
def test_small_mechanisms_work_beside_one_another() -> None:
    with installed(*SMALL):
        members = [member_of(mechanism) for mechanism in SMALL]
        found = [find_fault(one, other) for one, other in combinations_with_replacement(members, 2)]
    assert found == [None] * 21
