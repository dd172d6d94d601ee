"""Checks of each call of a mechanism's hooks while the agent walks about.

`watched` replaces each hook by a check that calls it, so that hooks are checked in the states in which the kernel
really calls them. The promises to the solver say which states are alike to a hook: `Alike` compares its effects there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import attrs

from gridworld.testing.conformance import at, calling, fail
from gridworld.world import Entity, State, Status, World
from gridworld.world.events import Changed, Event, kinds_of
from gridworld.world.mechanism_type import MECHANISM_HOOKS, Entered, MechanismType, Trait
from gridworld.world.state import GONE, NOTHING
from gridworld.world.topology import NO_CELL

NEXT_VALUES = ("sense", "derive", "tick")
"""Hooks that return the next value of their own entity."""
HANDLED = ("on_toggle", "on_pickup")
"""Hooks that are called for the entity in front of the agent."""
LATER = (1, 2, 3, 10)
"""Step counts added before a hook is called again."""
AGAIN = 4
"""Number of repeated calls with an equal state; a hook that flips a coin passes one time in sixteen."""

Hook = Callable[[World, State, Entity], Any]
CallCheck = Callable[[str, Hook, World, State, Entity], Any]
"""``(name, hook, world, state, entity) -> result``: calls a hook and checks the call."""
States = Iterator[Iterable[State]]


def watched(mechanism: MechanismType, check: CallCheck) -> MechanismType:
    """Return a copy of the mechanism in which each hook call is checked."""
    fields = attrs.asdict(mechanism, recurse=False)
    hooks: dict[str, Any] = {name: partial(check, name, fields[name]) for name in MECHANISM_HOOKS if fields[name]}
    return attrs.evolve(mechanism, **hooks)


def call_hook(name: str, hook: Hook, world: World, state: State, entity: Entity) -> Any:
    """Call a hook; it must return a result of the required type that leads to a possible state."""
    what = _named(name, hook, world, entity)
    with calling(what):
        result = hook(world, state, entity)
    with calling(f"reading what {what} returns"):
        for wrong in _wrong_with(name, world, state, entity, result):
            fail(f"{what} returns {result!r}: {wrong}")
    return result


def _named(name: str, hook: Hook, world: World, entity: Entity) -> str:
    return at(f"{name} of '{entity.id}' on {world.topology.name}", hook)


def is_pure(name: str, hook: Hook, world: World, state: State, entity: Entity) -> Any:
    """Call a hook; it must return equal results for equal states and modify none of its arguments."""
    before = _facts(world, entity)
    first = call_hook(name, hook, world, state, entity)
    for equal in [State(*state) for _ in range(AGAIN)]:  # all at once, so that no two of them have the same id
        again = call_hook(name, hook, world, equal, entity)
        if first != again:
            fail(f"{_named(name, hook, world, entity)} returns {first} and then {again} for the same state")
    if _facts(world, entity) != before:
        fail(f"{_named(name, hook, world, entity)} has modified its arguments")
    return first


def _facts(world: World, entity: Entity) -> Hashable:
    """Serialize what a hook could modify in its arguments."""
    own = (entity.id, entity.index, entity.color, entity.cells, entity.anchors, entity.controllers, repr(entity.spec))
    return own, len(world.by_id), len(world.topology.patches), world.max_steps, world.hidden, world.exits, world.walls


# --- States that are alike -------------------------------------------------------------------------------------------


class Alike:
    """Checks that a hook has the same effect in all states of a group.

    Args:
        groups: ``(name, world, state, entity)`` to groups of states.
        wherever: whether states of a group differ in the agent's pose, so that effects on it count only as one.
    """

    def __init__(self, groups: Callable[[str, World, State, Entity], States], wherever: bool = False) -> None:
        self._groups, self._wherever = groups, wherever
        self._world: World | None = None
        self._seen: set[Hashable] = set()

    def __call__(self, name: str, hook: Hook, world: World, state: State, entity: Entity) -> Any:
        """Call the hook as a `CallCheck` does; a group that is known from an earlier call is not checked again."""
        if world is not self._world:
            self._world, self._seen = world, set()
        for group in self._groups(name, world, state, entity):
            others = iter(group)
            first = next(others, state)
            if (name, entity.id, first) in self._seen:
                continue
            self._seen.add((name, entity.id, first))
            expected = self._effect(name, first, call_hook(name, hook, world, first, entity), entity)
            for other in others:
                if self._effect(name, other, call_hook(name, hook, world, other, entity), entity) != expected:
                    what = _named(name, hook, world, entity)
                    fail(f"{what} has another effect in {other} than in {first}")
        return call_hook(name, hook, world, state, entity)

    def _effect(self, name: str, state: State, result: Any, entity: Entity) -> Hashable:
        """Return what a result changes; None as a next value means no change."""
        if name in ("admits", "carries"):
            return (result,)
        after, events = result[:2] if result else (state, ())
        if name in NEXT_VALUES and result:
            after = state.with_value(entity.index, result[0])
        pose = None if (after.cell, after.heading) == (state.cell, state.heading) else (after.cell, after.heading)
        moved = [each for each in enumerate(after.places) if each[1] != state.places[each[0]]]
        rest = (after.carried, after.values, after.status, tuple(moved), kinds_of(events))
        return (pose is None if self._wherever else pose, *rest)


def later(name: str, world: World, state: State, entity: Entity) -> States:
    """Yield the state at other times: the kernel may call any hook at any time, and the solver ignores the time."""
    yield state, *(state._replace(steps=state.steps + steps, discovered=-1) for steps in LATER)


def turned(name: str, world: World, state: State, entity: Entity) -> States:
    """Yield the state with another heading, to `sense` and `derive`: they are not called when only that changes."""
    if name in ("sense", "derive"):
        yield state, state.facing((state.heading + 1) % world.headings)


def dropped(name: str, world: World, state: State, entity: Entity) -> States:
    """Yield states that differ in where things lie, to a hook that promises to ignore that."""
    if entity.type.ignores_dropped:
        yield from dropped_here_and_there(world, state, entity.cells)


def elsewhere(name: str, world: World, state: State, entity: Entity) -> States:
    """Yield the state with the agent in all poses that have to be alike to a `local` mechanism."""
    ahead = world.ahead(state)
    if not entity.type.local or not (name in (*NEXT_VALUES, "carries") or (name in HANDLED and ahead != NO_CELL)):
        return
    poses = bare_poses(world, state._replace(steps=0))
    if name in HANDLED:
        poses = (pose for pose in poses if world.ahead(pose) == ahead)
    yield poses


def bare_poses(world: World, state: State, besides: Collection[int] = ()) -> Iterator[State]:
    """Yield the state with the agent in each pose on bare floor, except on the cells `besides`.

    Cells that the goal marks are bare floor to an agent.
    """
    for cell in range(world.topology.cell_count):
        if cell not in world.walls and cell not in besides and world.thing_at(state, cell) == NOTHING:
            yield from (state.at(cell).facing(heading) for heading in range(world.headings))


def dropped_here_and_there(world: World, state: State, except_on: Sequence[int] = ()) -> States:
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
        after = ((hook(world, taken, entity) if hook else None) or (taken, ()))[0].holding(state.carried)
        taboo = (after.cell, world.start.places[thing], *except_on)
        cells = range(world.topology.cell_count)
        room = (
            (cell for cell in each if is_floor(world, after, cell) and cell not in taboo)
            for each in (cells, cells[::-1])
        )
        yield tuple(after.with_place(thing, next(cell)) for cell in room)


def is_floor(world: World, state: State, cell: int) -> bool:
    """Whether a cell is bare floor, without entity or mark."""
    return cell not in world.walls and cell not in world.marks and world.thing_at(state, cell) == NOTHING


# --- What a hook returns ---------------------------------------------------------------------------------------------


def _wrong_with(name: str, world: World, state: State, entity: Entity, result: Any) -> Iterator[str]:
    if name == "admits":
        if not isinstance(result, bool):
            yield "return True or False"
    elif name == "carries":
        if result is not None and (type(result) is not int or result not in range(4)):
            yield "return 0 for right, 1 down, 2 left, 3 up, or None"
    elif result is not None:
        first, wanted = (int, "the index of its next value") if name in NEXT_VALUES else (State, "the new state")
        sound = isinstance(result, tuple) and (len(result) == 2 or (name == "on_enter" and isinstance(result, Entered)))
        if not sound or not isinstance(result[0], first):
            yield f"return None, or a tuple of {wanted} and a tuple of events"
        after = state.with_value(entity.index, result[0]) if name in NEXT_VALUES else result[0]
        yield from _impossible(world, state, after)
        yield from _wrong_with_events(world, result[1])


def _impossible(world: World, before: State, after: State) -> Iterator[str]:
    for numbers, wanted in ((after.values, before.values), (after.places, before.places)):
        if not isinstance(numbers, tuple) or [*map(type, numbers)] != [int] * len(wanted):
            yield f"values and places are tuples of integers, not {numbers!r}: use with_value() and with_place()"
    for entity, value in zip(world.entities, after.values, strict=True):
        if value not in range(len(entity.type.values)):
            yield f"'{entity.id}' has no value {value}: use `values.index(name)`"
    if after.steps != before.steps:
        yield f"it changes the number of steps from {before.steps} to {after.steps}, which the kernel counts"
    yield from _impossibly_placed(world, after)


def _impossibly_placed(world: World, after: State) -> Iterator[str]:
    floor = set(range(world.topology.cell_count)) - world.walls
    if after.cell not in floor or after.heading not in range(world.headings):
        yield f"the agent cannot be on cell {after.cell} with heading {after.heading}: ask `world.is_free(state, cell)`"
    placed = [place for place in after.places if place != GONE]
    if not floor.issuperset(placed) or len(set(placed)) != len(placed):
        yield f"things cannot be on the cells {placed}: one is no floor, or taken twice"
    if after.carried not in range(NOTHING, len(after.places)) or after.status not in range(len(Status.NAMES)):
        yield f"carried is {after.carried!r} and status {after.status!r}: use state.holding(...) and state.ended(...)"


def _wrong_with_events(world: World, events: Any) -> Iterator[str]:
    if not isinstance(events, tuple) or not all(isinstance(event, Event) for event in events):
        yield "the events are no tuple of `gridworld.hookspecs.Event`"
    for event in events:
        hash(event)
        if not isinstance(event.cells, tuple) or not all(
            cell in range(world.topology.cell_count) for cell in event.cells
        ):
            yield f"the cells of {event!r} are {event.cells!r}"
        if event.subject is not None and event.subject not in world.by_id:
            yield f"the subject of {event!r} is {event.subject!r}"
        elif isinstance(event, Changed):
            values = world.by_id[event.entity].type.values
            if event.value not in values:
                yield f"'{event.entity}' has no state {event.value!r}, only {', '.join(map(repr, values))}"
        if not isinstance(event.sentence(lambda name: name), str):
            yield f"the sentence of {event!r} is no string"
