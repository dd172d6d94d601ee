"""`Needs`: what shortest plans need in each state of a task, and the kinds of mistakes that follow from it."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import attrs
import numpy as np

from gridworld.solver import StateTable
from gridworld.world.events import cells_entered
from gridworld.world.world import Entity
from multinet_eval.analysis.mistakes.acts import (
    CARRIED_ON,
    EXPLORE,
    NO_ANSWER,
    THE_WRONG_WAY,
    TURN,
    TURNED,
    Act,
    Deed,
    Taken,
)


@attrs.frozen(order=True)
class MistakeKind:
    """Kind of a mistake, for the rows of tables: what the shortest plans needed, and what the model did."""

    needed: tuple[Act, ...]
    """Acts that begin a shortest plan, sorted, or `EXPLORE`; empty for `CARRIED_ON`."""
    did: Act

    @property
    def is_exploring(self) -> bool:
        """Whether the steps explored, so that they are no mistakes."""
        return self == EXPLORED

    @property
    def needed_words(self) -> str | None:
        """Acts that began a shortest plan, such as ``turn or go on``; None for `CARRIED_ON`."""
        return " or ".join(map(str, self.needed)) or None

    @property
    def is_ranked(self) -> bool:
        """Whether a mistake of this kind can be decisive: neither the rest of a reply nor exploring can."""
        return self not in (AFTERMATH, EXPLORED)


EXPLORED = MistakeKind((EXPLORE,), Act("explored"))
"""Steps that explore: they move the agent, or show it something."""
AFTERMATH = MistakeKind((), CARRIED_ON)
"""Steps that waste something after the first mistake of the same reply."""


class Need(NamedTuple):
    """Acts that begin the shortest plans from a state, and the thing that comes next."""

    acts: tuple[Act, ...]
    """Distinct acts that begin a shortest plan, sorted."""
    entities: frozenset[int]
    """Indices of the entities with which these interact."""
    towards: Entity | None
    """Entity of the first interaction on the plan of optimal actions with the lowest ids; None for the goal."""


class _PlanStep(NamedTuple):
    entered: tuple[int, ...]
    """Cells that the agent enters."""
    entity: Entity | None
    following: int
    """Number of the next state, or `WON`."""


class Needs:
    """Needs in the states of a task from which success is possible, computed once for each state.

    Args:
        table: all states of the task.
    """

    def __init__(self, table: StateTable) -> None:
        self._table = table
        self._needs: dict[int, Need] = {}
        self._steps: dict[int, _PlanStep] = {}
        self._towards: dict[int, Entity | None] = {}
        self._kinds: dict[tuple[int, int | None, bool, bool], MistakeKind] = {}

    def at(self, number: int) -> Need:
        """Return the need in a state, by its number in the table."""
        if number not in self._needs:
            state, optimal = self._table.state(number), np.flatnonzero(self._table.optimal[number]).tolist()
            deeds = [Taken(self._table.world, state, action).as_needed() for action in optimal]
            self._needs[number] = Need(
                tuple(sorted({deed.act for deed in deeds})),
                frozenset(deed.entity.index for deed in deeds if deed.entity is not None),
                self._find_towards(number),
            )
        return self._needs[number]

    def kind(self, number: int, action: int | None, costs_one: bool, is_exploring: bool) -> MistakeKind:
        """Return the kind of a mistake, or of a step that explores.

        Args:
            number: the state, by its number in the table.
            action: the action taken; None without one.
            costs_one: whether the regret is 1.
            is_exploring: whether the plan used something unseen.
        """
        key = number, action, costs_one, is_exploring
        if key not in self._kinds:
            moved = "moved aside" if costs_one else "moved away"
            self._kinds[key] = self._find_kind(self.at(number), self._done(number, action, moved), is_exploring)
        return self._kinds[key]

    def _done(self, number: int, action: int | None, moved: str) -> Deed:
        if action is None:
            return NO_ANSWER
        return Taken(self._table.world, self._table.state(number), action).as_done(moved)

    def _find_kind(self, need: Need, done: Deed, is_exploring: bool) -> MistakeKind:
        needed, found = (EXPLORE,) if is_exploring else need.acts, done.entity
        if done.act == TURNED and TURN.act in needed:
            return MistakeKind(needed, THE_WRONG_WAY)
        is_another = (
            found is not None
            and need.towards is not None
            and found.index not in need.entities
            and found.index != need.towards.index
            and found.type.noun == need.towards.type.noun
        )
        return MistakeKind(needed, attrs.evolve(done.act, is_another=is_another))

    def died_on(self, number: int, action: int) -> Entity | None:
        """Return the entity on which an action in a state ends the episode; None if it does not."""
        return Taken(self._table.world, self._table.state(number), action).died_on

    def are_unseen(self, number: int, cells: frozenset[int], entities: Set[int]) -> bool:
        """Whether the plan, up to its first interaction, uses a cell or an entity that is not among those seen."""
        while number >= 0:
            step = self._step(number)
            if step.entity is not None:
                return step.entity.index not in entities
            if not cells.issuperset(step.entered):
                return True
            number = step.following
        return False

    def _find_towards(self, number: int) -> Entity | None:
        way = []
        while number >= 0 and number not in self._towards:
            way.append(number)
            step = self._step(number)
            if step.entity is not None:
                self._towards[number] = step.entity
                break
            number = step.following
        found = self._towards.get(number)
        self._towards.update(dict.fromkeys(way, found))
        return found

    def _step(self, number: int) -> _PlanStep:
        """Return the first step of the plan of optimal actions with the lowest ids."""
        if number not in self._steps:
            table = self._table
            action = int(np.argmax(table.optimal[number]))
            taken = Taken(table.world, table.state(number), action)
            following = int(table.successor[number, action])
            self._steps[number] = _PlanStep(cells_entered(taken.events), taken.as_needed().entity, following)
        return self._steps[number]
