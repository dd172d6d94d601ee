"""How far from success each moment of an episode was, and how to go on from there, by the table of all states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gridworld.runner.record import Step
from gridworld.solver.answers import distance_from
from gridworld.solver.state_table import StateTable
from gridworld.world.digest import digest
from gridworld.world.episode import Episode
from gridworld.world.rules import transition
from gridworld.world.state import State, Status

__all__ = ["NotTheSameError", "ways_of"]


class NotTheSameError(Exception):
    """An episode, played again, is not the one that was recorded."""


def ways_of(table: StateTable, start: str | None, steps: Iterable[Step]) -> dict[str, Any]:
    """Distances and shortest plans at the start and after each step.

    Args:
        table: of the task as it is played.
        start: the recorded digest of the start; None where there is none.
        steps: the recorded steps.

    Returns:
        JSON-ready: ``distances``, the fewest actions to success, None where there is no way; ``plans``, numbers of
        ``nodes`` or None; and ``nodes``, each ``[cell, heading, action, node]``, where the next node is -1 and the
        action None at success. Goals that depend on the number of steps have no plans.

    Raises:
        NotTheSameError: played again, the steps lead elsewhere than was recorded.
    """
    plans = _Plans(table)
    distances, places = [], []
    for state in _states(table, start, steps):
        distances.append(_distance(table, state))
        places.append(plans.begin(state))
    return {"distances": distances, "plans": places, "nodes": plans.nodes}


def _states(table: StateTable, start: str | None, steps: Iterable[Step]) -> Iterable[State]:
    episode = Episode(table.world)
    episode.reset()
    for recorded, step in [(start, None), *((step.digest, step) for step in steps)]:
        if step is not None and step.action is not None:
            episode.step(step.action)
        if recorded is not None and recorded != digest(table.world, episode.snapshot):
            raise NotTheSameError
        yield episode.state


def _distance(table: StateTable, state: State) -> int | None:
    if state.status == Status.RUNNING:
        return distance_from(table, state)
    return 0 if state.status == Status.SUCCEEDED else None


class _Plans:
    """Shortest plans that share their ends, as a tree towards success."""

    def __init__(self, table: StateTable) -> None:
        self._table = table
        self._places: dict[int, int] = {}
        """Number of a state to that of its node."""
        self.nodes: list[list[Any]] = []

    def begin(self, state: State) -> int | None:
        """The node of a state from which a plan leads to success; None where there is none."""
        if state.status != Status.RUNNING or self._table.world.goal_type.timed:
            return None
        number = self._table.number(state)
        return None if self._table.lost[number] else self._place(number)

    def _place(self, number: int) -> int:
        way = []
        while number >= 0 and number not in self._places:
            way.append(number)
            number = int(self._table.successor[number, self._action(number)])
        place = self._places[number] if number >= 0 else self._add(self._won(way[-1]), None, -1)
        for each in reversed(way):
            place = self._places[each] = self._add(self._table.state(each), self._action(each), place)
        return place

    def _add(self, state: State, action: int | None, onward: int) -> int:
        self.nodes.append([state.cell, state.heading, action, onward])
        return len(self.nodes) - 1

    def _action(self, number: int) -> int:
        """The first of the actions that begin a shortest plan."""
        return int(np.argmax(self._table.optimal[number]))

    def _won(self, number: int) -> State:
        """What the last action of a plan leads to."""
        state, _ = transition(self._table.world, self._table.state(number), self._action(number))
        return state
