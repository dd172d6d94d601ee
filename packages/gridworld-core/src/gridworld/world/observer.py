"""What an agent has been shown so far: the cells it sees now, those it has seen, and how they looked."""

from collections.abc import Iterator
from functools import cached_property

from gridworld.world.events import Event
from gridworld.world.looks import CellLook, look_at
from gridworld.world.state import GONE, NOTHING, State
from gridworld.world.world import World

__all__ = ["Observer"]


class Observer:
    """Follows an episode and keeps, for every cell, the look that may be shown: in pictures, texts and `GridState`.

    Under ``full`` observability that is how it looks now; under ``view_cone`` only cells in view are shown; under
    ``fog_of_war`` others stay shown as they were last seen.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._mode = world.task.rules.observability
        self._everything = frozenset(range(world.topology.cell_count))
        self._looks: dict[int, CellLook] = {}
        self._last_values: dict[int, int] = {}
        self._handled: set[int] = set()
        """What the agent has had in its hand: it knows what it did with it."""
        self.visible: frozenset[int] = frozenset()
        """The cells seen now."""
        self.explored: frozenset[int] = frozenset()
        """The cells seen so far."""
        self.changed: frozenset[int] = frozenset()
        """The cells whose shown look may have changed by the last `reset` or `update`; all of them by the first."""
        self._changed_since_start: set[int] = set()
        self._never_reset = True
        # Kept until the next step, so that whoever shares the episode can reset it once more and miss nothing.
        self._at_start = True

    def look(self, cell: int) -> CellLook | None:
        """How a cell is shown; None for one that is drawn as unseen."""
        return self._looks.get(cell)

    @cached_property
    def _first_view(self) -> tuple[frozenset[int], dict[int, CellLook], dict[int, int]]:
        """The cells seen at the start, their looks, and the values in these: the same in every episode."""
        start = self._world.start
        seen = self._seen_from(start)
        looks = {cell: look_at(self._world, start, cell) for cell in seen}
        return seen, looks, dict(thing for look in looks.values() for thing in look.things)

    def reset(self) -> None:
        """Forget everything and look around at the start of the task."""
        self.visible, looks, values = self._first_view
        self.explored = self.visible
        self._looks, self._last_values, self._handled = looks.copy(), values.copy(), set()
        self.changed = self._everything if self._never_reset else frozenset(self._changed_since_start)
        self._never_reset, self._at_start = False, True

    def update(self, state: State, events: tuple[Event, ...]) -> None:
        """Look again after a step."""
        if self._at_start:
            self._changed_since_start.clear()
            self._at_start = False
        self._look_around(state, events)
        self._changed_since_start |= self.changed

    def _look_around(self, state: State, events: tuple[Event, ...]) -> None:
        if state.carried != NOTHING:
            self._handled.add(state.carried)
        touched = frozenset(cell for event in events for cell in event.cells)
        if self._mode == "full":
            self._look_at(state, touched)
            self.changed = touched
            return
        before, self.visible = self.visible, self._seen_from(state)
        self.explored |= self.visible
        self._look_at(state, self.visible & (touched | (self.visible - before)))
        self.changed = touched | (before ^ self.visible)
        if self._mode == "view_cone":
            for cell in before - self.visible:
                self._looks.pop(cell)

    def witnessed(self, state: State, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Those events that the agent could perceive: its own, and changes of shown things in view."""
        return tuple(event for event in events if self._perceives(state, event))

    def known_state(self, state: State) -> tuple[State, frozenset[int]]:
        """The state as far as it has been shown, and the entities that are known.

        An entity that is not in view has the value and place of when it was last shown, unless the agent has had it in
        its hand. What is unknown keeps its value of the start of the task.
        """
        start = self._world.start
        values, places = list(start.values), list(start.places)
        known = set()
        for cell, look in self._looks.items():
            for entity, _ in look.things:
                known.add(entity)
                values[entity] = self._last_values[entity]
                if entity < len(places):
                    places[entity] = cell
        for entity in self._in_view():
            values[entity] = state.values[entity]
        for entity in self._handled:
            known.add(entity)
            values[entity] = state.values[entity]
            if state.places[entity] == GONE:
                places[entity] = GONE
        return state._replace(values=tuple(values), places=tuple(places)), frozenset(known)

    def _in_view(self) -> Iterator[int]:
        return (entity for cell in self.visible for entity, _ in self._looks[cell].things)

    def _seen_from(self, state: State) -> frozenset[int]:
        if self._mode == "full":
            return self._everything
        world = self._world
        view = world.topology.sight(state.cell, state.heading, world.task.rules.view_size)
        return view.seen(world.opaque_cells(state), world.seams_in_sight(state))

    def _look_at(self, state: State, cells: frozenset[int]) -> None:
        for cell in cells:
            self._looks[cell] = look_at(self._world, state, cell)
            self._last_values.update(self._looks[cell].things)

    def _perceives(self, state: State, event: Event) -> bool:
        if event.cells and self.visible.isdisjoint(event.cells):
            return False
        subject = event.subject
        return subject is None or not self._world.is_hidden(state, self._world.by_id[subject].index)
