"""`Knowledge`: what the agent has been shown in an episode, updated after every step.

Under ``full`` observability everything is shown as it is; under ``view_cone`` only the cells in view; under
``fog_of_war``, cells that have left the view are shown as last seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gridworld.support.caches import bounded, bytes_of_ints
from gridworld.world.events import Event
from gridworld.world.looks import CellLook, bare_look, look_at
from gridworld.world.state import GONE, NOTHING, State
from gridworld.world.world import World

EVERYTHING_SHOWN, REMEMBERED = "full", "fog_of_war"
NO_CELLS: frozenset[int] = frozenset()


class Knowledge(NamedTuple):
    """The agent's knowledge; immutable, so that snapshots can be kept and restored."""

    visible: frozenset[int]
    """Cells in view now."""
    explored: frozenset[int]
    """Cells seen so far, including those in view."""
    remembered: Mapping[int, CellLook]
    """Last look of each cell out of view; only in fog, and without cells that were bare."""
    last_seen: Mapping[int, tuple[int, int]]
    """(value, cell) of each entity when its cell last left the view; only in fog."""
    handled: frozenset[int]
    """Entities that the agent has held, whose later whereabouts it therefore knows."""
    met: tuple[int, ...] = ()
    """Numbered entities (`MechanismType.numbered`) in the order in which they were first seen."""


class Snapshot(NamedTuple):
    """One moment of an episode: the state and the agent's knowledge, which determine everything that can follow."""

    state: State
    knowledge: Knowledge


def first_snapshot(world: World) -> Snapshot:
    """Return the snapshot at the start of the task, including what is visible at first."""
    visible = seen_from(world, world.start)
    met = _met(world, world.start, visible, ())
    return Snapshot(world.start, Knowledge(visible, visible, {}, {}, NO_CELLS, met))


def observe(world: World, before: Snapshot, state: State) -> Knowledge:
    """Return the knowledge after a step from `before` to `state`."""
    knowledge = _see(world, before, state)
    if len(knowledge.met) == len(world.numbered):
        return knowledge
    met = _met(world, state, knowledge.visible, knowledge.met)
    return knowledge if met == knowledge.met else knowledge._replace(met=met)


def _met(world: World, state: State, visible: frozenset[int], met: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbered entities seen so far; entities first seen together are ordered by cell."""
    new = [
        (min(visible.intersection(cells)), entity)
        for entity in world.numbered
        if entity not in met and not world.is_hidden(state, entity)
        for cells in [world.cells_of(state, world.entities[entity])]
        if not visible.isdisjoint(cells)
    ]
    return (*met, *(entity for _, entity in sorted(new)))


def met_after(world: World, state: State, met: tuple[int, ...]) -> tuple[int, ...]:
    """Return `Knowledge.met` after a step, from its value before the step, which is () at the start."""
    if len(met) == len(world.numbered):
        return met
    return _met(world, state, seen_from(world, state), met)


def met_follows_from_state(world: World) -> bool:
    """Whether `Knowledge.met` never changes during a task."""
    if not world.numbered:
        return True
    hidden = any(world.hidden >> entity & 1 for entity in world.numbered)
    return world.task.rules.observability == EVERYTHING_SHOWN and not hidden


def _see(world: World, before: Snapshot, state: State) -> Knowledge:
    """Return the knowledge after a step, with `met` unchanged."""
    former, knowledge = before
    handled = knowledge.handled
    if state.carried != NOTHING and state.carried not in handled:
        handled = handled | {state.carried}
        knowledge = knowledge._replace(handled=handled)
    mode = world.task.rules.observability
    sight_unchanged = former[:2] == state[:2] and former[3:5] == state[3:5] and former.discovered == state.discovered
    if mode == EVERYTHING_SHOWN or sight_unchanged:
        return knowledge
    visible, last = seen_from(world, state), knowledge.visible
    if visible == last:
        return knowledge
    remembered, last_seen = knowledge.remembered, knowledge.last_seen
    if mode == REMEMBERED:
        left, entered = last - visible, visible - last
        remembered, last_seen = _remember(world, before, left, entered)
    return Knowledge(visible, knowledge.explored | visible, remembered, last_seen, handled, knowledge.met)


def seen_from(world: World, state: State) -> frozenset[int]:
    """Return the cells in view in a state."""
    rules = world.task.rules
    if rules.observability == EVERYTHING_SHOWN:
        return _every_cell(world.topology.cell_count)
    return in_sight(world, state, rules.view_size)


def in_sight(world: World, state: State, view_size: int) -> frozenset[int]:
    """Return the cells in a field of view, whatever the rules show."""
    view = world.topology.sight(state.cell, state.heading, view_size)
    return view.seen(world.opaque_cells(state), world.seams_in_sight(state))


@bounded(lambda cells, _: bytes_of_ints(cells))
def _every_cell(cell_count: int) -> frozenset[int]:
    return frozenset(range(cell_count))


def _remember(
    world: World, before: Snapshot, left: Iterable[int], entered: Iterable[int]
) -> tuple[Mapping[int, CellLook], Mapping[int, tuple[int, int]]]:
    """Store the looks of cells that have left the view, and remove those of cells that have come into view."""
    remembered, last_seen = before.knowledge.remembered, before.knowledge.last_seen
    fixed, places, marks = world.fixed_at, before.state.places, world.marks
    filled = [cell for cell in left if fixed[cell] != NOTHING or cell in places or cell in marks]
    looks = ((cell, look_at(world, before.state, cell, before.knowledge.met)) for cell in filled)
    leaving = {cell: look for cell, look in looks if look != bare_look(world, cell)}
    returning = [cell for cell in entered if cell in remembered]
    if leaving or returning:
        kept = {cell: look for cell, look in remembered.items() if cell not in returning}
        remembered = {**kept, **leaving}
    seen = {each.entity: (each.value, cell) for cell, look in sorted(leaving.items()) for each in look.things}
    return remembered, ({**last_seen, **seen} if seen else last_seen)


def shown_look(world: World, snapshot: Snapshot, cell: int) -> CellLook | None:
    """Return the look shown for a cell; None if it is shown as unseen."""
    state, knowledge = snapshot
    if cell in knowledge.visible:
        return look_at(world, state, cell, knowledge.met)
    if world.task.rules.observability == REMEMBERED and cell in knowledge.explored:
        return knowledge.remembered.get(cell) or bare_look(world, cell)
    return None


def only_the_agent_changed(one: State, other: State) -> bool:
    """Whether two states of a world differ only in the agent, so that all cells look the same."""
    return one[3:6] == other[3:6] and one.discovered == other.discovered


def cells_changed(world: World, one: State, other: State) -> set[int]:
    """Return the cells that may look different in two states of a world, ignoring the agent."""
    changed: set[int] = set()
    if only_the_agent_changed(one, other):
        return changed
    for index in _entities_changed(one, other):
        entity = world.entities[index]
        changed.update(world.cells_of(one, entity), world.cells_of(other, entity))
    if world.visited is not None and one.memory != other.memory:
        changed |= world.visited(one.memory) ^ world.visited(other.memory)
    return changed


def _entities_changed(one: State, other: State) -> Iterator[int]:
    if one.values != other.values:
        yield from (index for index, value in enumerate(one.values) if value != other.values[index])
    if one.places != other.places:
        yield from (index for index, place in enumerate(one.places) if place != other.places[index])
    if one.discovered != other.discovered:
        revealed = one.discovered ^ other.discovered
        yield from (index for index in range(len(one.values)) if revealed >> index & 1)


def looking_different(world: World, one: Snapshot, other: Snapshot) -> set[int]:
    """Return the cells that may look different in two snapshots, whether shown or not, ignoring the agent."""
    changed = cells_changed(world, one.state, other.state)
    if one.knowledge.met != other.knowledge.met:
        changed |= cells_of_numbered(world, one.state) | cells_of_numbered(world, other.state)
    return changed


def shown_differently(world: World, one: Snapshot, other: Snapshot) -> set[int]:
    """Return the cells that may be shown differently in two snapshots, ignoring the agent."""
    changed = looking_different(world, one, other)
    known, also = one.knowledge, other.knowledge
    if known is also:
        return changed
    if known.visible is not also.visible:
        changed |= known.visible ^ also.visible
    if known.explored is not also.explored:
        changed |= known.explored ^ also.explored
    if known.remembered is not also.remembered:
        cells = known.remembered.keys() | also.remembered.keys()
        changed.update(cell for cell in cells if known.remembered.get(cell) != also.remembered.get(cell))
    return changed


def cells_of_numbered(world: World, state: State) -> set[int]:
    """Return the cells whose looks depend on `Knowledge.met`."""
    return {cell for entity in world.numbered for cell in world.cells_of(state, world.entities[entity])}


def witnessed(world: World, snapshot: Snapshot, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return the events that the agent perceives: its own, and changes of visible entities."""
    return tuple(event for event in events if _perceives(world, snapshot, event))


def _perceives(world: World, snapshot: Snapshot, event: Event) -> bool:
    if event.cells and snapshot.knowledge.visible.isdisjoint(event.cells):
        return False
    subject = event.subject
    return subject is None or not world.is_hidden(snapshot.state, world.by_id[subject].index)


def known_state(world: World, snapshot: Snapshot) -> tuple[State, frozenset[int]]:
    """Return the state as far as it has been shown, and the known entities.

    An entity out of view has the value and position at which it was last seen, unless the agent has held it. Unknown
    entities keep their initial values and positions.
    """
    state, knowledge = snapshot
    values, places = list(world.start.values), list(world.start.places)
    remembered = {each.entity for look in knowledge.remembered.values() for each in look.things}
    for entity in remembered:
        values[entity], place = knowledge.last_seen[entity]
        if entity < len(places):
            places[entity] = place
    in_view = set(_in_view(world, snapshot))
    for entity in in_view:
        values[entity] = state.values[entity]
        if entity < len(places):
            places[entity] = state.places[entity]
    for entity in knowledge.handled:
        values[entity] = state.values[entity]
        if state.places[entity] == GONE:
            places[entity] = GONE
    known = frozenset(remembered | in_view | knowledge.handled)
    return state._replace(values=tuple(values), places=tuple(places)), known


def _in_view(world: World, snapshot: Snapshot) -> Iterator[int]:
    """Yield the entities shown in a cell in view."""
    state, visible = snapshot.state, snapshot.knowledge.visible
    for entity in world.entities:
        if not world.is_hidden(state, entity.index) and not visible.isdisjoint(world.cells_of(state, entity)):
            yield entity.index
