"""Where two mechanisms meet, the kernel does what a plain version of the rules does."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations_with_replacement
from typing import Any

import attrs
import pytest

from gridworld.plugins import get_registry, using_registry
from gridworld.task_spec import Position, to_ids, to_position
from gridworld.world import Entity, State, World, acts
from gridworld.world.acts import Outcome
from gridworld.world.events import Bumped, Changed, Event, Moved, Pushed
from gridworld.world.mechanism_type import Entered, MechanismType, Trait
from gridworld.world.rules import _phase
from gridworld.world.topology import NO_CELL
from support.combinations import find_fault, member_of
from support.plugins import example_catalogs, with_item
from support.sample_plugins import plain_mechanism

Events = tuple[Event, ...]

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
def test_each_mechanism_follows_the_rules_alone_and_beside_every_other(name: str) -> None:
    with installed():
        catalog = get_registry().mechanisms
        one = member_of(catalog.get(name))
        faults = [find_fault(one), *(find_fault(one, member_of(catalog.get(each))) for each in OWN[OWN.index(name) :])]
    assert set(faults) == {None}


def test_small_mechanisms_work_beside_one_another() -> None:
    with installed(*SMALL):
        members = [member_of(mechanism) for mechanism in SMALL]
        found = [find_fault(one, other) for one, other in combinations_with_replacement(members, 2)]
    assert found == [None] * 21


# --- Kernels that are not --------------------------------------------------------------------------------------------


def settle_once(world: World, state: State, events: Events) -> Outcome:
    return _phase("derive", world.deriving, world, state, events)


def take_all_blocks(world: World, travelling: State, cell: int) -> bool:
    """As if only the mark of what takes blocks counted."""
    free = cell != NO_CELL and cell not in world.walls and cell not in travelling.places
    return free and all(
        world.traits_of(travelling, each) & Trait.TAKES_BLOCKS for each in world.things_at(travelling, cell)
    )


def follow_unasked(world: World, state: State, thing: int, target: int) -> Outcome:
    """Push, and enter whatever was below."""
    beyond = world.exits[target * world.headings + state.heading]
    if not acts._takes_block(world, state.at(target), beyond):
        return state, (Bumped(world.entities[thing].id),)
    events = (Pushed(world.entities[thing].id, target, beyond), Moved(state.cell, target))
    return acts.enter(world, state.with_place(thing, beyond).at(target), events, state.heading)


enter = acts.enter


def compare_headings(world: World, state: State, events: Events, looking: int) -> Outcome:
    """As if a heading had been set only where another one comes out."""
    now, events = enter(world, state, events, state.heading)
    return (now.facing(looking) if now.heading == state.heading else now), events


def let_all_act(world: World, state: State, events: Events, looking: int) -> Outcome:
    """What lies in a cell that was entered acts, wherever the agent has got to."""
    cell = NO_CELL
    while state.cell != cell:
        cell = state.cell
        for entity in (world.entities[thing] for thing in world.things_at(state, cell)):
            outcome = entity.type.on_enter(world, state, entity) if entity.type.on_enter else None
            state, events = (outcome[0], events + outcome[1]) if outcome else (state, events)
    return state.facing(looking), events


def stay_hidden(world: World, before: State, act: acts.Act, now: State, events: Events) -> Outcome:
    return now, events


def carry_over(world: World, state: State, wish: Any) -> bool:
    """As if nothing refused what is carried."""
    return wish.target in world.topology.patches and world.topology.patches[wish.target][0] not in world.walls


@pytest.mark.parametrize(
    ("place", "kernel", "one", "other", "wrong"),
    [
        ("rules._derive", settle_once, PLATES, RELAYS, "'stage-gate' is 'closed'"),
        ("acts._takes_block", take_all_blocks, LEDGES, "blocks", "by the rules [Bumped("),
        ("acts._push_on", follow_unasked, "belts", "one_way", "by the rules [Bumped(entity='second')]"),
        ("acts.enter", compare_headings, TURNERS, "keys", "`heading` is"),
        ("acts.enter", let_all_act, LAMPS, RAFTS, "on_enter of 'first' is called though the agent is on"),
        ("rules._discover", stay_hidden, "ice", "teleporters", "it tells [], by the rules [Discovered"),
        ("carrying._is_admitted", carry_over, "belts", "hazards", "Carried("),
    ],
)
def test_a_fault_of_the_kernel_is_found_where_two_meet(
    place: str,
    kernel: Callable[..., Any],
    one: MechanismType | str,
    other: MechanismType | str,
    wrong: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with installed(*SMALL):
        catalog = get_registry().mechanisms
        members = [member_of(catalog.get(each) if isinstance(each, str) else each) for each in (one, other)]
        assert find_fault(*members) is None
        monkeypatch.setattr(f"gridworld.world.{place}", kernel)
        fault = find_fault(*members)
    assert fault is not None
    assert wrong in fault
    assert re.search(r"^on \w+, after (\w+, )+", fault), fault
    assert all(f"'{member.mechanism.name}': [" in fault for member in members)
