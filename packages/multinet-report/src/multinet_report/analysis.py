"""Solver data added to an episode: distances to success, shortest plans, and progress along its chain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gridworld.plugins.tilings import compile_on
from gridworld.solver import StateTable
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.known_tasks import KnownTask
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS


class Boards:
    """Cache of solved tasks, by task, tiling and step budget, for runs that mostly play the same tasks.

    Args:
        max_states: maximum number of states of a task for which distances to success are computed; 0 disables them.
        kept_states: maximum total number of states in cached tables; the least recently used are evicted.
    """

    def __init__(self, max_states: int, kept_states: int = MAX_STATES_OF_METRICS) -> None:
        self.max_states = max_states
        self._kept_states = kept_states
        self._kept: dict[tuple[str, str, int | None], KnownTask] = {}
        """Solved tasks, the most recently used last."""

    def known(self, directory: RunDirectory, planned: PlannedEpisode) -> KnownTask | None:
        """Return the solved task of an episode; None if the backend does not use the kernel, or `max_states` is 0.

        Raises:
            GridworldError: the task cannot be compiled, for instance because a plugin is missing.
        """
        ground = directory.manifest.backend_on(planned.tiling)
        if not ground.on_kernel or ground.tiling is None or self.max_states == 0:
            return None
        board = ground.tiling, planned.task, planned.max_steps
        found = self._kept.pop(board, None)
        if found is None:
            self._evict()
            task = planned.bound(directory.task(planned.task))
            found = KnownTask(compile_on(ground.tiling, task), self.max_states)
        self._kept[board] = found
        return found

    def _evict(self) -> None:
        sizes = {board: 0 if each.table is None else len(each.table) for board, each in self._kept.items()}
        states = sum(sizes.values())
        for board, size in sizes.items():
            if states > self._kept_states:
                del self._kept[board]
                states -= size


def ways_of(episode: EpisodeAnalysis) -> dict[str, Any] | None:
    """Find the distances and shortest plans at the start and after each step.

    Returns:
        JSON-ready: ``distances``, the fewest actions to success, None if impossible; ``plans``, indices into
        ``nodes`` or None; and ``nodes``, each ``[cell, heading, action, next node]``, with action None and next node -1
        at success. None for an episode without known distances.

    Raises:
        DivergedError: replaying the steps gives other states than recorded.
    """
    table = None if episode.known is None else episode.known.table
    if table is None or episode.states is None or episode.distances is None:
        return None
    plans = _Plans(table)
    places = [plans.begin(state) for state in episode.states]
    distances = [None if each == math.inf else int(each) for each in episode.distances]
    stopped = len(episode.steps) - len(episode.taken)  # the last step may have no action
    return {
        "distances": [*distances, *distances[-1:] * stopped],
        "plans": [*places, *places[-1:] * stopped],
        "nodes": plans.nodes,
    }


class _Plans:
    """Shortest plans as a tree rooted at success, with shared suffixes."""

    def __init__(self, table: StateTable) -> None:
        self._table = table
        self._places: dict[int, int] = {}
        """Index of the node for each state number."""
        self.nodes: list[list[Any]] = []

    def begin(self, state: State) -> int | None:
        """Return the first node of a plan from a state; None if success is impossible."""
        if state.status != Status.RUNNING:
            return None
        number = self._table.number(state)
        return None if self._table.lost[number] else self._place(number)

    def _place(self, number: int) -> int:
        way = []
        while number >= 0 and number not in self._places:
            way.append(number)
            number = int(self._table.successor[number, self._action(number)])
        if number >= 0:
            place = self._places[number]
        else:
            world, last = self._table.world, way[-1]
            won, _ = transition(world, self._table.state(last), self._action(last))
            place = self._add(won, None, -1)
        for each in reversed(way):
            place = self._places[each] = self._add(self._table.state(each), self._action(each), place)
        return place

    def _add(self, state: State, action: int | None, onward: int) -> int:
        self.nodes.append([state.cell, state.heading, action, onward])
        return len(self.nodes) - 1

    def _action(self, number: int) -> int:
        """Return the lowest-numbered action that begins a shortest plan."""
        return int(np.argmax(self._table.optimal[number]))


def chain_of(episode: EpisodeAnalysis) -> list[dict[str, Any]] | None:
    """List the elements of the task's dependency chain, in order.

    Returns:
        JSON-ready: ``id`` and ``type`` of each element, and ``used``, the step after which it first took part in an
        event, or None. None for a task without a chain, or a backend that reports no events.
    """
    uses, chain = episode.first_uses, episode.chain
    if uses is None or not chain:
        return None
    types = {spec.id: name for name, specs in episode.task.mechanisms.groups() for spec in specs}
    return [{"id": each, "type": types.get(each), "used": uses.get(each)} for each in chain]
