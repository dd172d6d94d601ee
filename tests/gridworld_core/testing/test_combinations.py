"""The kit for mechanisms finds what is wrong where two of them meet, and whose fault it is."""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations_with_replacement
from typing import Any

import attrs
import pytest

from gridworld.errors import Problem, TaskFileWarning
from gridworld.plugins import get_registry, using_registry
from gridworld.task_spec import Position, TaskSpecification, to_ids, to_position
from gridworld.testing import MechanismConformance
from gridworld.testing.combinations import Example, Member, find_fault
from gridworld.testing.conformance import CheckResult, run_checks, with_item
from gridworld.world import Entity, State, World, acts
from gridworld.world.acts import Outcome
from gridworld.world.events import Bumped, Changed, Event, Moved, Pushed
from gridworld.world.mechanism_type import Entered, MechanismType, Trait
from gridworld.world.rules import _phase
from gridworld.world.topology import NO_CELL
from support.plugins import example_catalogs
from support.sample_plugins import PlainSpec, plain_mechanism

Events = tuple[Event, ...]

CHECK = "it_works_beside_every_mechanism"


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


@attrs.frozen
class RiddleSpec:
    """Nobody can guess what its answer has to be."""

    id: str
    position: Position = attrs.field(converter=to_position)
    answer: str = attrs.field(validator=attrs.validators.matches_re("forty-two"), kw_only=True)


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


def _hurried(world: World, state: State, floor: Entity) -> tuple[State, tuple[Event, ...]] | None:
    """On to the next cell where nothing solid is, without asking whether it admits."""
    beyond = world.exits[state.cell * world.headings + state.heading]
    if beyond == NO_CELL or beyond in world.walls:
        return None
    if any(world.traits_of(state, thing) & Trait.SOLID for thing in world.things_at(state, beyond)):
        return None
    return state.at(beyond), (Moved(state.cell, beyond),)


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
HASTY = plain_mechanism(name="hasty", noun="hasty floor", on_enter=_hurried)
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


def result_of(mechanism: MechanismType, *others: MechanismType) -> CheckResult:
    """What the kit says of a mechanism beside others and all that is installed."""
    with installed(*others):
        (result,) = run_checks(type("Kit", (MechanismConformance,), {"mechanism": mechanism}), [f"test_{CHECK}"])
    return result


# --- What is sound ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["belts", "ice", "one_way", "timers"])
def test_the_examples_work_beside_the_core_and_one_another(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", TaskFileWarning)
        result = result_of(example_catalogs().mechanisms.get(name))
    assert result.verdict == "passed", result


def test_small_mechanisms_work_beside_one_another() -> None:
    with installed(*SMALL):
        members = [member_of(mechanism) for mechanism in SMALL]
        found = [find_fault(one, other) for one, other in combinations_with_replacement(members, 2)]
    assert found == [None] * 21


def member_of(mechanism: MechanismType) -> Member:
    """A mechanism with the examples that the kit derives."""
    return type("Kit", (MechanismConformance,), {"mechanism": mechanism})().as_member()


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
    assert wrong in fault.wrong
    assert re.search(r"^on \w+, after (\w+, )+", fault.wrong), fault.wrong
    assert all(f"'{member.mechanism.name}': [" in fault.wrong for member in members)


# --- Mechanisms that are not -----------------------------------------------------------------------------------------


def test_one_that_enters_where_another_does_not_let_in_fails_beside_that_one() -> None:
    result = result_of(HASTY)
    assert result.verdict == "failed"
    assert re.match("beside 'one_way', on square, after .*, on_enter of 'first' puts the agent onto cell", result.wrong)
    assert "where it is not let in" in result.wrong
    assert "look at what the hooks return" in result.remedy


def test_what_fails_alone_and_what_is_at_fault_beside_it_is_left_out_by_name() -> None:
    def raises(world: World, state: State, entity: Entity) -> None:
        raise RuntimeError("out of order")

    broken = plain_mechanism(name="broken", noun="broken floor", on_enter=raises)
    riddles = plain_mechanism(name="riddles", noun="riddle", spec=RiddleSpec)
    with pytest.warns(UserWarning, match="is left out") as caught:
        result = result_of(example_catalogs().mechanisms.get("one_way"), HASTY, broken, riddles)
    assert result.verdict == "passed", result
    told = {str(each.message) for each in caught if "is left out" in str(each.message)}
    assert len(told) == 3
    for name, wrong in (
        ("hasty", "where it is not let in"),
        ("broken", "RuntimeError: out of order"),
        ("riddles", "no example of 'riddles' that is valid could be made"),
    ):
        assert any(
            each.startswith(f"mechanism '{name}' (under-test) is left out: ") and wrong in each for each in told
        ), told


def test_a_hook_that_raises_at_the_start_is_told_of() -> None:
    def raises(world: World, state: State, entity: Entity) -> None:
        raise RuntimeError("out of order")

    broken = plain_mechanism(name="broken", noun="broken floor", sense=raises)
    with installed(broken):
        fault = find_fault(Member(broken, [Example({"id": "b"}, ("position",), movable=False)]))
    assert fault == ("at the start, sense of 'first' raised RuntimeError: out of order", ("broken",))


def test_one_that_fits_into_no_scene_is_undecided() -> None:
    corner = plain_mechanism(name="corners", noun="corner", validate=at_six_four)
    kit = {"mechanism": corner, "examples": [{"id": "c", "position": [6, 4]}]}
    (result,) = run_checks(type("Kit", (MechanismConformance,), kit), [f"test_{CHECK}"])
    assert (result.verdict, result.remedy) == ("undecided", "give `examples` that are, or set this check to None")


def at_six_four(spec: PlainSpec, task: TaskSpecification) -> Iterator[Problem]:
    if spec.position != (6, 4):
        yield Problem("position", "has to be (6, 4)")
