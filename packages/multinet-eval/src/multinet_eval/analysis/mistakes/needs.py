"""`Needs`: what shortest plans need in each state of a task."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np

from gridworld.solver import StateTable
from gridworld.world.events import cells_entered
from gridworld.world.world import Entity
from multinet_eval.analysis.mistakes.acts import Act, Deed, Taken


class Need(NamedTuple):
    """What shortest plans need in a state."""

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
    """What is needed in the states of a task from which success is possible, computed once for each state.

    Args:
        table: all states of the task.
    """

    def __init__(self, table: StateTable) -> None:
        self._table = table
        self._needs: dict[int, Need] = {}
        self._steps: dict[int, _PlanStep] = {}
        self._towards: dict[int, Entity | None] = {}
        self._done: dict[tuple[int, int, str], Deed] = {}

    def at(self, number: int) -> Need:
        """Return what is needed in a state, by its number in the table."""
        if number not in self._needs:
            state, optimal = self._table.state(number), np.flatnonzero(self._table.optimal[number]).tolist()
            deeds = [Taken(self._table.world, state, action).as_needed() for action in optimal]
            self._needs[number] = Need(
                tuple(sorted({deed.act for deed in deeds})),
                frozenset(deed.entity.index for deed in deeds if deed.entity is not None),
                self._find_towards(number),
            )
        return self._needs[number]

    def done(self, number: int, action: int, moved: str) -> Deed:
        """Name an action taken in a state; `moved` as for `Taken.as_done`."""
        key = number, action, moved
        if key not in self._done:
            self._done[key] = Taken(self._table.world, self._table.state(number), action).as_done(moved)
        return self._done[key]

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
