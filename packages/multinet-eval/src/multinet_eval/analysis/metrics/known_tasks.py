"""Solved tasks of a recorded run, on each of their tilings."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import attrs
import numpy as np

from gridworld.backends.kernel import KernelBackend
from gridworld.errors import GridworldError
from gridworld.model_interface.baselines import greedy_action
from gridworld.solver import DEAD, LOST, WON, NotTabulatedError, StateTable, measure_difficulty
from gridworld.solver.table_cache import table_of
from gridworld.task_spec import TaskSpecification
from gridworld.world.compilation import compile_world
from gridworld.world.rules import transition
from gridworld.world.state import Status
from gridworld.world.world import World
from multinet_eval.analysis.mistakes.needs import Needs
from multinet_eval.record.confirmation import Given, settings_to_draw
from multinet_eval.record.plan import task_hash
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.settings.plugin_objects import make_kernel_backend

MOST_WAYS = 10_000
"""Maximum number of partial shortest plans, each a state and the cells before it, when enumerating paths."""

Cells = frozenset[int]


class KnownTask:
    """A compiled task with solver results, computed on first use.

    Args:
        world: the compiled task.
        max_table_states: maximum number of states; larger tasks have no distances.
    """

    def __init__(self, world: World, max_table_states: int = MAX_STATES_OF_METRICS) -> None:
        self.world = world
        self._max_table_states = max_table_states

    @cached_property
    def table(self) -> StateTable | None:
        """Table of all states; None if there are too many, or the goal depends on the step count."""
        found = self._table_or_refusal
        return None if isinstance(found, NotTabulatedError) else found

    @cached_property
    def refusal(self) -> NotTabulatedError | None:
        """Reason why the table is missing; None if it exists."""
        found = self._table_or_refusal
        return found if isinstance(found, NotTabulatedError) else None

    @cached_property
    def _table_or_refusal(self) -> StateTable | NotTabulatedError:
        if self.world.goal_type.timed:
            reason = f"its goal '{self.world.goal_type.name}' depends on the number of steps"
            return NotTabulatedError(self.world, reason)
        try:
            return table_of(self.world, self._max_table_states)
        except NotTabulatedError as error:
            return error.with_traceback(None)

    def distances(self, numbers: Sequence[int]) -> tuple[float, ...]:
        """Return the fewest actions to success, infinite if it is impossible, as after death; requires `table`.

        Args:
            numbers: numbers of states in `table`, `WON` and `DEAD`.
        """
        assert self.table is not None
        states = np.array(numbers)
        found = self.table.distance[np.maximum(states, 0)].astype(float)
        found[(found == LOST) | (states == DEAD)] = math.inf
        found[states == WON] = 0
        return tuple(found.tolist())

    @cached_property
    def needs(self) -> Needs:
        """Needs in each state; requires `table`."""
        assert self.table is not None
        return Needs(self.table)

    @cached_property
    def greedy_succeeds(self) -> bool:
        """Whether the model ``greedy`` reaches the goal within the step budget."""
        state = self.world.start
        for _ in range(self.world.max_steps):
            state, _ = transition(self.world, state, greedy_action(self.world, state))
            if state.status != Status.RUNNING:
                break
        return state.status == Status.SUCCEEDED

    @cached_property
    def optimal_paths(self) -> tuple[Cells, ...] | None:
        """Sets of cells of the shortest plans, start and end included, in a fixed order.

        Plans over the same cells, such as those that turn the other way around, are one path. None if distances are
        unknown, the task is unsolvable, or it has too many paths (`MOST_WAYS`).
        """
        if self.table is None or self.table.lost[0]:
            return None
        ways: dict[int, set[Cells]] = {0: {frozenset([self.world.start.cell])}}
        for _ in range(int(self.table.distance[0])):
            ways = self._next_ways(self.table, ways)
            if sum(map(len, ways.values())) > MOST_WAYS:
                return None
        return tuple(sorted(ways[WON], key=sorted))

    def _next_ways(self, table: StateTable, ways: dict[int, set[Cells]]) -> dict[int, set[Cells]]:
        """Advance all partial plans by one optimal action; return the sets of cells by state, or `WON`."""
        following = defaultdict[int, set[Cells]](set)
        for number, paths in ways.items():
            state = table.state(number)
            for action in np.flatnonzero(table.optimal[number]).tolist():
                cell = transition(self.world, state, action)[0].cell
                following[int(table.successor[number, action])].update(path | {cell} for path in paths)
        return following


Dimensions = Mapping[str, float | None]
"""The twelve static dimensions of a task, as in `gridworld.solver.Difficulty.dimensions`."""


class KnownSuite:
    """The tasks of a run and their difficulty on a tiling, computed on first use.

    Args:
        tasks: the tasks.
        compiled: compiles one of them on the tiling.
        max_table_states: maximum number of states; measures that need all states are unknown for larger tasks, as are
            all measures if the search for a plan needs more.
    """

    def __init__(
        self,
        tasks: Iterable[TaskSpecification],
        compiled: Callable[[TaskSpecification], World],
        max_table_states: int = MAX_STATES_OF_METRICS,
    ) -> None:
        self._tasks = tuple(tasks)
        self._compiled = compiled
        self._max_table_states = max_table_states

    @cached_property
    def dimensions(self) -> tuple[Dimensions, ...]:
        """Dimensions of all tasks for which a plan is known."""
        return tuple(each for each in self._measured.values() if each is not None)

    def dimensions_of(self, task: TaskSpecification) -> Dimensions | None:
        """Return a task's dimensions, ignoring its budget; None if no plan was found."""
        return self._measured[_key(task)]

    @cached_property
    def _measured(self) -> Mapping[str, Dimensions | None]:
        return {_key(task): self._measure(task) for task in self._tasks}

    def _measure(self, task: TaskSpecification) -> Dimensions | None:
        bound = self._max_table_states
        try:
            return measure_difficulty(self._compiled(task), bound, bound).dimensions()
        except GridworldError:
            return None


def _key(task: TaskSpecification) -> str:
    """Return a key for a task that ignores its step budget."""
    return task_hash(attrs.evolve(task, max_steps=1))


class KnownTasks:
    """The backends of a run, created on first use, and its tasks on each of their tilings.

    Args:
        directory: the run.
        max_table_states: maximum number of states; larger tasks have no distances.
        backend_arguments: ``key=value`` for credentials, which are not recorded, and for what is confirmed in the run
            of somebody else.
    """

    def __init__(
        self,
        directory: RunDirectory,
        max_table_states: int,
        backend_arguments: Iterable[str] = (),
    ) -> None:
        self._directory = directory
        self._manifest = directory.manifest
        self._tasks = directory.tasks()
        self._max_table_states = max_table_states
        self._given = Given(backend_arguments=backend_arguments)
        self._backends: dict[str | None, KernelBackend] = {}
        self._suites: dict[str | None, KnownSuite] = {}

    def known_task(self, task: TaskSpecification, tiling: str | None) -> KnownTask | None:
        """Return a task on a tiling; None on a backend that is not built on the kernel.

        Raises:
            ArgumentError: the backend needs credentials, which are not recorded.
            PluginFault: the backend, or a plugin that the task uses, failed.
        """
        if not self._manifest.backend_on(tiling).on_kernel:
            return None
        return KnownTask(self._compile(task, tiling), self._max_table_states)

    def known_suite(self, tiling: str | None) -> KnownSuite | None:
        """Return all tasks planned on a tiling, always as the same object; None as for `known_task`."""
        if not self._manifest.backend_on(tiling).on_kernel:
            return None
        if tiling not in self._suites:
            planned = dict.fromkeys(each.task for each in self._manifest.plan if each.tiling == tiling)
            tasks = [self._tasks[digest] for digest in planned]
            self._suites[tiling] = KnownSuite(tasks, lambda task: self._compile(task, tiling), self._max_table_states)
        return self._suites[tiling]

    def _compile(self, task: TaskSpecification, tiling: str | None) -> World:
        return compile_world(task, self._backend(tiling).make_topology(task))

    def _backend(self, tiling: str | None) -> KernelBackend:
        if tiling not in self._backends:
            run = self._directory
            settings = settings_to_draw(self._manifest.settings, run.is_own, run.path, self._given)
            arguments = list(settings.backend_arguments)
            self._backends[tiling] = make_kernel_backend(settings.backend, arguments, tiling)
        return self._backends[tiling]
