"""The kernel does what a plain version of the rules does, in crowded rooms of random mechanisms on every tiling.

In every state found within a budget, everything that an agent can do is tried. A failure names the seed of the room.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import attrs
import pytest

from gridworld.errors import InvalidTaskError
from gridworld.plugins import using_registry
from gridworld.task_spec import Position, TaskSpecification, to_ids, to_position
from gridworld.world import Entity, State, World, acts
from gridworld.world.events import Changed, Event, Moved, NoEffect
from gridworld.world.mechanism_type import Entered, MechanismType, Trait
from gridworld.world.rules import perform
from gridworld.world.state import GONE
from support.plain_rules import plain_step
from support.plugins import example_catalogs, with_item
from support.random_tasks import WITH_EXAMPLES
from support.sample_plugins import plain_mechanism
from support.tilings import TILINGS, compiled_on
from support.worlds import FieldsOf, Sketch, Thing

BY_DEFAULT, IN_ALL, AT_ONCE = 100, 1_000, 50
"""Rooms that are tried, and those of one test."""
MOST_STATES = 60
"""Most states of one room in which everything is tried."""
ACTS = (
    acts.turn_left,
    acts.turn_right,
    acts.move_forward,
    acts.move_backward,
    acts.push,
    acts.pickup,
    acts.drop,
    acts.toggle,
    acts.wait,
)


# --- Mechanisms that use what the others leave out -------------------------------------------------------------------


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


TAKES_BLOCKS = {"traits": lambda spec, value: Trait.TAKES_BLOCKS}
FURTHER = (
    switched(name="plates", noun="plate", sense=_weighed),
    switched(name="relays", noun="relay", derive=_relayed, controllable=True),
    plain_mechanism(name="turners", noun="turner", on_enter=_turned),
    plain_mechanism(name="ledges", noun="ledge", admits=_from_the_left, **TAKES_BLOCKS),
    plain_mechanism(name="lamps", noun="lamp", values=("dark", "lit"), on_enter=_lit, **TAKES_BLOCKS),
    plain_mechanism(
        name="rafts",
        noun="raft",
        traits=lambda spec, value: Trait.PUSHABLE,
        on_enter=_rolled,
        fills_patch=False,
        local=False,
    ),
)
CONTROLLING = ("plates", "relays", "switches", "timers")
FIELDS_OF: FieldsOf = {
    **WITH_EXAMPLES.fields_of,
    **{kind.name: lambda rng, name=kind.name: Thing(name, {}) for kind in FURTHER},
}


@pytest.fixture(scope="module", autouse=True)
def _further() -> Iterator[None]:
    registry = example_catalogs()
    for mechanism in FURTHER:
        registry = with_item(registry, "mechanism", mechanism)
    with using_registry(registry):
        yield


# --- Rooms -----------------------------------------------------------------------------------------------------------


def room(seed: int) -> TaskSpecification | None:
    """A task with two to seven mechanisms on a few cells; None if they are invalid together."""
    rng = random.Random(seed)
    sketch = Sketch(rng.randint(4, 7), rng.randint(4, 5), rng, FIELDS_OF)
    for kind in rng.choices(sorted(FIELDS_OF), k=rng.randint(2, 7)):
        sketch.scatter(kind)
    sketch.complete_references()
    controllable = [entry["id"] for name in ("gates", "relays") for entry in sketch.mechanisms.get(name, ())]
    for entry in (entry for name in CONTROLLING for entry in sketch.mechanisms.get(name, ())):
        entry["controls"] = [name for name in controllable if rng.random() < 0.6]
    try:
        return TaskSpecification.from_dict(
            {
                "task_id": f"room-{seed}",
                "seed": 1,
                "difficulty_tier": 1,
                "maze": {**sketch.maze(), "walls": []},
                "mechanisms": sketch.mechanisms,
                "rules": sketch.rules(),
                "goal": {"type": rng.choice(("reach_position", "survive_steps"))},
                "max_steps": 10_000,
            }
        )
    except InvalidTaskError:
        return None


# --- The comparison --------------------------------------------------------------------------------------------------


def find_fault(world: World) -> str | None:
    """The first difference from the plain rules, or impossible state, in a search breadth first."""
    seen, queue = {world.start.key}, [world.start]
    for state in queue:
        for act in ACTS:
            now, events = perform(world, state, act)
            expected, happened = plain_step(world, state, act.__name__)
            if now != expected or counted(events) != counted(happened):
                return f"{act.__name__} in {state}: {now}, {events}; by the rules: {expected}, {happened}"
            if wrong := next(impossibilities(world, state, now), None):
                return f"{act.__name__} in {state}: {wrong} in {now}"
            if now.key not in seen and not world.is_over(now) and len(queue) < MOST_STATES:
                seen.add(now.key)
                queue.append(now)
    return None


def counted(events: Iterable[Event]) -> Counter[Event]:
    """Events in any order, without the reasons for having no effect."""
    return Counter(NoEffect("") if isinstance(event, NoEffect) else event for event in events)


def impossibilities(world: World, before: State, state: State) -> Iterator[str]:
    """What cannot be after a step."""
    places = [place for place in state.places if place != GONE]
    if len(set(places)) < len(places) or world.walls.intersection(places):
        yield "two movable things are on one cell, or one is in a wall"
    if world.is_over(state):
        return
    below = world.things_at(state, state.cell)
    if state.cell != before.cell and any(world.traits_of(state, each) & Trait.SOLID for each in below):
        yield "the agent has come into something solid"
    for entity, hook in world.deriving:
        outcome = hook(world, state._replace(steps=0), entity)
        if outcome and outcome[0] != state.values[entity.index]:
            yield f"'{entity.id}' would derive another value"


@pytest.mark.parametrize(
    "first",
    [pytest.param(first, marks=() if first < BY_DEFAULT else pytest.mark.more) for first in range(0, IN_ALL, AT_ONCE)],
)
def test_every_act_follows_the_rules(first: int) -> None:
    tried = Counter[str]()
    for seed in range(first, first + AT_ONCE):
        task, tiling = room(seed), TILINGS[seed % len(TILINGS)]
        if task is not None:
            assert find_fault(compiled_on(tiling, task)) is None, f"room {seed} on {tiling}"
            tried[tiling] += 1
    assert tried.total() > AT_ONCE / 2
