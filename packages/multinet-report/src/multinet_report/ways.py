"""How far from success each moment of an episode was, and how to go on from there, by the table of all states."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gridworld.solver import StateTable
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis

__all__ = ["ways_of"]


def ways_of(episode: EpisodeAnalysis) -> dict[str, Any] | None:
    """Distances and shortest plans at the start and after each step.

    Returns:
        JSON-ready: ``distances``, the fewest actions to success, None where there is no way; ``plans``, numbers of
        ``nodes`` or None; and ``nodes``, each ``[cell, heading, action, node]``, where the next node is -1 and the
        action None at success. None for an episode of which no distances are known.

    Raises:
        DivergedError: played again, the steps lead elsewhere than was recorded.
    """
    table = None if episode.known is None else episode.known.table
    if table is None or episode.states is None or episode.distances is None:
        return None
    plans = _Plans(table)
    places = [plans.begin(state) for state in episode.states]
    distances = [None if each == math.inf else int(each) for each in episode.distances]
    stopped = len(episode.steps) - len(episode.taken)  # at the end nothing may have been done
    return {
        "distances": [*distances, *distances[-1:] * stopped],
        "plans": [*places, *places[-1:] * stopped],
        "nodes": plans.nodes,
    }


class _Plans:
    """Shortest plans that share their ends, as a tree towards success."""

    def __init__(self, table: StateTable) -> None:
        self._table = table
        self._places: dict[int, int] = {}
        """Number of a state to that of its node."""
        self.nodes: list[list[Any]] = []

    def begin(self, state: State) -> int | None:
        """The node of a state from which a plan leads to success; None where there is none."""
        if state.status != Status.RUNNING:
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
