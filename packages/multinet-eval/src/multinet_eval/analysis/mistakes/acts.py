"""`Act`: an action named after its effect, such as ``pick up a key``, on every tiling and for every mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import attrs

from gridworld.actions import Action
from gridworld.support.wording import with_article
from gridworld.world.events import Bumped, Died, Discovered, Dropped, Event, Moved, PickedUp, Pushed
from gridworld.world.rules import transition
from gridworld.world.state import NOTHING, State
from gridworld.world.topology import NO_CELL
from gridworld.world.world import Entity, World


@attrs.frozen(order=True)
class Act:
    """A kind of action."""

    verb: str
    """Verb as it is shown: ``toggle`` for what was needed, ``toggled`` for what was done."""
    noun: str = ""
    """Noun of the entity or obstacle concerned, such as ``door``; empty if there is none."""
    is_another: bool = False
    """Whether another entity with this noun was needed."""

    def __str__(self) -> str:
        if not self.noun:
            return self.verb
        return f"{self.verb} {f'another {self.noun}' if self.is_another else with_article(self.noun)}"


class Deed(NamedTuple):
    """An act and the entity concerned, if any."""

    act: Act
    entity: Entity | None = None


TURN, GO_ON, WAIT = Deed(Act("turn")), Deed(Act("go on")), Deed(Act("wait"))
TURNED, THE_WRONG_WAY = Act("turned"), Act("turned the wrong way")
NO_ANSWER = Deed(Act("no usable answer"))
CARRIED_ON = Act("carried on")
EXPLORE = Act("explore")


class Taken:
    """An action taken in a state.

    Args:
        world: the world.
        state: the state before the action.
        action: the action.
    """

    def __init__(self, world: World, state: State, action: int) -> None:
        self.world, self.state, self.action = world, state, action
        self.after, self.events = transition(world, state, action)

    @property
    def died_on(self) -> Entity | None:
        """The entity on which the agent died; None if it lives."""
        return self._first(Died)

    def as_needed(self) -> Deed:
        """Name the action as one that was needed."""
        match self.action:
            case Action.TURN_LEFT | Action.TURN_RIGHT:
                return TURN
            case Action.MOVE_FORWARD:
                return self._deed("push", self._first(Pushed)) or self._deed("step on", self._entered()) or GO_ON
            case Action.PICKUP:
                return self._deed("pick up", self._first(PickedUp)) or Deed(Act("pick up"))
            case Action.DROP:
                return self._deed("drop", self._first(Dropped)) or Deed(Act("drop"))
            case Action.TOGGLE:
                return self._deed("toggle", self._toggled()) or Deed(Act("toggle"))
            case _:
                return WAIT

    def as_done(self, moved: str) -> Deed:
        """Name the action as one that was done.

        Args:
            moved: what it is called if all that it did was to move the agent, such as ``moved away``.
        """
        died = self.died_on
        if died is not None:
            return _named("entered" if self._cells_entered() else "died on", died)
        match self.action:
            case Action.TURN_LEFT | Action.TURN_RIGHT:
                return Deed(TURNED)
            case Action.MOVE_FORWARD if not self._cells_entered():
                return self._bumped()
            case Action.MOVE_FORWARD:
                pushed = self._deed("pushed", self._first(Pushed))
                return pushed or self._deed("stepped on", self._entered()) or Deed(Act(moved))
            case Action.PICKUP:
                return self._deed("picked up", self._first(PickedUp)) or Deed(Act("picked up nothing"))
            case Action.DROP:
                return self._deed("dropped", self._first(Dropped)) or Deed(Act("dropped nothing"))
            case Action.TOGGLE:
                verb = "toggled" if self._has_effect() else "tried to toggle"
                return self._deed(verb, self._toggled()) or Deed(Act("toggled nothing"))
            case _:
                return Deed(Act("waited"))

    def _deed(self, verb: str, entity: Entity | None) -> Deed | None:
        return None if entity is None else _named(verb, entity)

    def _first(self, kind: type[Event]) -> Entity | None:
        return next(self._involved(kind), None)

    def _involved(self, kind: type[Event] = Event) -> Iterator[Entity]:
        """Yield the entities of the events of a kind."""
        for event in self.events:
            entity = self.world.by_id.get(event.involves or "")  # a plugin may name anything
            if isinstance(event, kind) and entity is not None:
                yield entity

    def _cells_entered(self) -> set[int]:
        return {event.target for event in self.events if isinstance(event, Moved)}

    def _entered(self) -> Entity | None:
        """Return the first entity that took part and is on a cell to which the agent walked."""
        entered = self._cells_entered()
        for entity in self._involved():
            if not entered.isdisjoint(self.world.cells_of(self.after, entity)):
                return entity
        return None

    def _bumped(self) -> Deed:
        for event in self.events:
            if isinstance(event, Bumped):
                entity = self.world.by_id.get(event.entity or "")
                return Deed(Act("walked into", "wall")) if entity is None else _named("walked into", entity)
        return Deed(Act("stood still"))

    def _toggled(self) -> Entity | None:
        """Return the entity that was to be toggled: in front or underfoot, preferably one that took part."""
        world, state = self.world, self.state
        ahead = world.ahead(state)
        indices = [NOTHING if ahead == NO_CELL else world.thing_at(state, ahead), world.fixed_at[state.cell]]
        near = [world.entities[index] for index in indices if index != NOTHING]
        if self._has_effect():
            involved = list(self._involved())
            return next((each for each in [*near, *involved] if each in involved), None)
        return next((each for each in near if each.type.on_toggle is not None), None)

    def _has_effect(self) -> bool:
        """Whether the action, beyond the discovery of what it touches, did anything."""
        first = next((event for event in self.events if not isinstance(event, Discovered)), None)
        return first is not None and first.effective


def _named(verb: str, entity: Entity) -> Deed:
    return Deed(Act(verb, entity.type.noun), entity)
