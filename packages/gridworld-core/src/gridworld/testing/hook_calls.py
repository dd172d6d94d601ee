"""Inspection of every call of a mechanism's hooks while a world runs.

`watched` wraps each hook in an inspection, so that hooks are checked in the states in which the kernel really calls
them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import attrs

from gridworld.testing.conformance import calling, expect
from gridworld.world import Entity, State, Status, World
from gridworld.world.events import Event
from gridworld.world.mechanism_type import MECHANISM_HOOKS, Entered, MechanismType, Trait
from gridworld.world.state import GONE, NOTHING

__all__ = [
    "NEXT_VALUES",
    "AnyHook",
    "Inspection",
    "call_hook",
    "dropped_here_and_there",
    "ignores_dropped",
    "is_floor",
    "is_pure",
    "is_settled_by_place",
    "is_timeless",
    "returns_an_outcome",
    "watched",
]

NEXT_VALUES = ("sense", "derive", "tick")
"""Hooks that return the next value of their own entity."""
HEADLESS = ("sense", "derive")
"""Hooks that may depend only on values, positions and the agent's cell."""
LATER = (1, 2, 3, 10)
"""Step counts added before a hook is called again."""
AGAIN = 4
"""Number of repeated calls with an equal state; a hook that flips a coin passes one time in sixteen."""

AnyHook = Callable[[World, State, Entity], Any]
"""Any hook of a mechanism."""
Inspection = Callable[[str, AnyHook, World, State, Entity], Any]
"""``(name, hook, world, state, entity) -> result``: calls the hook and checks the call."""


def watched(mechanism: MechanismType, inspection: Inspection) -> MechanismType:
    """Return a copy of the mechanism in which each hook call is inspected."""
    fields = attrs.asdict(mechanism, recurse=False)
    hooks: dict[str, Any] = {
        name: _inspected(inspection, name, fields[name]) for name in MECHANISM_HOOKS if fields[name]
    }
    return attrs.evolve(mechanism, **hooks)


def _inspected(inspection: Inspection, name: str, hook: AnyHook) -> AnyHook:
    return lambda world, state, entity: inspection(name, hook, world, state, entity)


def call_hook(name: str, hook: AnyHook, world: World, state: State, entity: Entity) -> Any:
    """Call a hook; the check fails if the hook raises."""
    with calling(f"{name} of '{entity.id}' in {state}"):
        return hook(world, state, entity)


# --- Purity ----------------------------------------------------------------------------------------------------------


def is_pure(name: str, hook: AnyHook, world: World, state: State, entity: Entity) -> Any:
    """Call a hook; it must return equal results for equal states and modify none of its arguments."""
    before = _facts(world, state, entity)
    first = call_hook(name, hook, world, state, entity)
    what = f"{name} of '{entity.id}' on {world.topology.name}"
    for equal in [State(*state) for _ in range(AGAIN)]:  # all at once, so that no two of them have the same id
        again = call_hook(name, hook, world, equal, entity)
        expect(
            first == again,
            f"{what} returns {first} and then {again} for the same state",
            "let it depend only on world, state and entity: no random numbers, no clock, no id(), no cache",
        )
    expect(
        _facts(world, state, entity) == before,
        f"{what} has modified its arguments",
        "never modify the world, the entity or its spec; return another state instead, or the next value, "
        "such as state.with_value(...)",
    )
    return first


def _facts(world: World, state: State, entity: Entity) -> Hashable:
    """Serialize everything that a hook could modify in its arguments."""
    own = (entity.id, entity.index, entity.color, entity.cells, entity.anchors, entity.controllers, repr(entity.spec))
    tables = (len(world.by_id), len(world.topology.patches), world.max_steps, world.hidden, world.exits, world.walls)
    return (repr(state), own, tables, repr(world.start))


def is_timeless(name: str, hook: AnyHook, world: World, state: State, entity: Entity) -> Any:
    """Call a hook; it must ignore step count and discoveries, since the solver treats such states as equal."""
    result = call_hook(name, hook, world, state, entity)
    for steps in LATER:
        other = state._replace(steps=state.steps + steps, discovered=-1)
        expect(
            _effect(name, other, call_hook(name, hook, world, other, entity), entity)
            == _effect(name, state, result, entity),
            f"{name} of '{entity.id}' depends on the number of steps or on what has been discovered",
            "count in the entity's own value, as the example `gridworld-example-timer` does: the solver treats "
            "states that differ only in time as equal, and the kernel hides the number of steps from every phase",
        )
    return result


def is_settled_by_place(name: str, hook: AnyHook, world: World, state: State, entity: Entity) -> Any:
    """Call a hook; a settling hook must depend neither on the agent's heading nor on what the agent carries."""
    result = call_hook(name, hook, world, state, entity)
    if name in HEADLESS:
        other = state._replace(heading=(state.heading + 1) % world.headings)
        again = call_hook(name, hook, world, other, entity)
        expect(
            _effect(name, state, result, entity) == _effect(name, state, again, entity),
            f"{name} of '{entity.id}' depends on the agent's heading",
            "let it depend only on state.cell, state.values and state.places: it is called only when these change; "
            "put what changes with time into `tick`",
        )
    return result


def ignores_dropped(name: str, hook: AnyHook, world: World, state: State, entity: Entity) -> Any:
    """Call a hook; with `ignores_dropped`, it must ignore where entities are dropped, except on its own cells."""
    for here, there in dropped_here_and_there(world, state, entity.cells) if entity.type.ignores_dropped else ():
        effects = [_effect(name, each, call_hook(name, hook, world, each, entity), entity) for each in (here, there)]
        expect(
            effects[0] == effects[1],
            f"{name} of '{entity.id}' depends on where a dropped thing lies",
            "set ignores_dropped=False; otherwise the solver treats different states as equal",
        )
    return call_hook(name, hook, world, state, entity)


def _effect(name: str, state: State, result: Any, entity: Entity) -> Hashable:
    """Return the effect of a result; None as a next value means no change."""
    if name in NEXT_VALUES:
        return state.values[entity.index] if result is None else result[0]
    if name in ("admits", "carries"):
        answer: Hashable = result
        return answer
    after = result[0] if result else state
    return (after.cell, after.heading, after.carried, after.values, after.status)


def dropped_here_and_there(world: World, state: State, except_on: Sequence[int] = ()) -> Iterator[tuple[State, State]]:
    """Yield, for each portable entity, two states in which it has been picked up and dropped on different cells.

    Args:
        world: the world of the state.
        state: any state.
        except_on: cells from which nothing is taken and onto which nothing is put.
    """
    for thing, place in enumerate(state.places):
        entity = world.entities[thing]
        if place in (GONE, *except_on) or not world.traits_of(state, thing) & Trait.PORTABLE:
            continue
        taken = state.with_place(thing, GONE).holding(thing)
        hook = entity.type.on_pickup
        picked_up = (hook(world, taken, entity) if hook else None) or (taken, ())
        free = [cell for cell in range(world.topology.cell_count) if is_floor(world, picked_up[0], cell)]
        room = [cell for cell in free if cell not in (state.cell, world.start.places[thing], *except_on)]
        put_down = picked_up[0].holding(state.carried)
        yield put_down.with_place(thing, room[0]), put_down.with_place(thing, room[-1])


def is_floor(world: World, state: State, cell: int) -> bool:
    """Whether a cell is bare floor, without entity or mark; the agent may stand on it."""
    return cell not in world.walls and cell not in world.marks and world.thing_at(state, cell) == NOTHING


# --- What it returns -------------------------------------------------------------------------------------------------


def returns_an_outcome(name: str, hook: AnyHook, world: World, state: State, entity: Entity) -> Any:
    """Call a hook; its result must have the required type."""
    result = call_hook(name, hook, world, state, entity)
    what = f"{name} of '{entity.id}' on {world.topology.name}"
    if name == "admits":
        expect(isinstance(result, bool), f"{what} returns {result!r}", "return True or False")
    elif name == "carries":
        expect(
            result is None or (type(result) is int and result in range(4)),
            f"{what} returns {result!r}",
            "return 0 for right, 1 down, 2 left, 3 up on the lattice, or None while it carries nothing",
        )
    elif result is not None:
        _expect_outcome(name, what, world, state, entity, result)
    return result


def _expect_outcome(name: str, what: str, world: World, state: State, entity: Entity, result: Any) -> None:
    wanted, example = (
        ("index of its next value", "1") if name in NEXT_VALUES else ("new state", "state.with_value(...)")
    )
    expect(
        isinstance(result, tuple)
        and (len(result) == 2 or (name == "on_enter" and isinstance(result, Entered)))
        and (type(result[0]) is int if name in NEXT_VALUES else isinstance(result[0], State)),
        f"{what} returns {result!r}",
        f"return None for no change, or a tuple of the {wanted} and a tuple of events: `{example}, ()`",
    )
    after = state.with_value(entity.index, result[0]) if name in NEXT_VALUES else result[0]
    _expect_state(what, world, state, after)
    _expect_events(what, world, result[1])


def _expect_state(what: str, world: World, before: State, after: State) -> None:
    for field, wanted in (("values", before.values), ("places", before.places)):
        numbers = after._asdict()[field]
        expect(
            isinstance(numbers, tuple) and len(numbers) == len(wanted) and all(type(each) is int for each in numbers),
            f"{what} returns a state whose {field} are {numbers!r}",
            f"keep it a tuple of {len(wanted)} integers: use state.with_value(...) and state.with_place(...)",
        )
    for entity, value in zip(world.entities, after.values, strict=True):
        expect(
            0 <= value < len(entity.type.values),
            f"{what} gives '{entity.id}' the value {value}, but it has {len(entity.type.values)} of them, from 0",
            "use `values.index(name)`",
        )
    _expect_places(what, world, after)
    expect(
        after.steps == before.steps,
        f"{what} changes the number of steps from {before.steps} to {after.steps}",
        "do not change it: the kernel counts the steps",
    )


def _expect_places(what: str, world: World, after: State) -> None:
    cells = range(world.topology.cell_count)
    placed = [place for place in after.places if place != GONE]
    expect(
        after.cell in cells and after.cell not in world.walls and 0 <= after.heading < world.headings,
        f"{what} puts the agent on cell {after.cell} with heading {after.heading}",
        "ask `world.is_free(state, cell)` before, and take headings from `world.left` and `world.right`",
    )
    expect(
        all(place in cells and place not in world.walls for place in placed) and len(set(placed)) == len(placed),
        f"{what} puts things onto {placed}, of which one is not a free cell",
        "put each thing onto a floor cell of its own, or remove it with the place GONE",
    )
    expect(
        NOTHING <= after.carried < len(after.places)
        and after.status in (Status.RUNNING, Status.SUCCEEDED, Status.DIED),
        f"{what} returns a state with carried={after.carried!r} and status={after.status!r}",
        "use state.holding(index) with the index of a movable thing or NOTHING, and state.ended(...) with a `Status`",
    )


def _expect_events(what: str, world: World, events: Any) -> None:
    expect(
        isinstance(events, tuple) and all(isinstance(event, Event) for event in events),
        f"{what} returns {events!r} for the events",
        "return a tuple of `gridworld.hookspecs.Event`, `()` for no events",
    )
    for event in events:
        with calling(f"{event!r}"):
            cells, subject, sentence = event.cells, event.subject, event.sentence(lambda name: name)
            hash(event)
        expect(
            isinstance(cells, tuple) and all(cell in range(world.topology.cell_count) for cell in cells),
            f"{what} returns {event!r}, whose cells are {cells!r}",
            "give a tuple of cells, such as `entity.cells`",
        )
        expect(
            subject is None or subject in world.by_id,
            f"{what} returns {event!r}, whose subject is {subject!r}",
            "name the thing that changed by its id, or None",
        )
        expect(
            isinstance(sentence, str), f"the sentence of {event!r} is {sentence!r}", "let `sentence` return a string"
        )
