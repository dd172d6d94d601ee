"""`TaskBatch`: the episodes of a batch of environments, stored in arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridworld.errors import InvalidAction, NotResetError
from gridworld.runner.task_set import TaskSet
from gridworld.vector.stepping import Batch, Start, Stepped, advance, moved_to
from gridworld.vector.stepping_table import SteppingTable


class TaskBatch:
    """A batch of environments, each with its own state, step count and random generator.

    Args:
        tasks: the tasks. Each episode plays one; if there are several, the environment's generator chooses it.
        table: the transitions of the tasks.
        count: number of environments.
    """

    def __init__(self, tasks: TaskSet, table: SteppingTable, count: int) -> None:
        self.count = count
        self.task = np.zeros(count, dtype=np.intp)
        """Index of the task of each environment; shape (num_envs,)."""
        self._tasks, self._table = tasks, table
        self._several = len(tasks.worlds) > 1
        self._number_of = {world.task.task_id: number for number, world in enumerate(tasks.worlds)}
        self._generators = [np.random.default_rng() for _ in range(count if self._several else 0)]
        self._positions: Batch | None = None

    @property
    def positions(self) -> Batch:
        """Row and remaining steps of each environment; raises `NotResetError` before the first `restart`."""
        if self._positions is None:
            raise NotResetError("reset() must be called before the first step")
        return self._positions

    @property
    def rows(self) -> NDArray[np.intp]:
        """Current table row of each environment; shape (num_envs,)."""
        rows: NDArray[np.intp] = self.positions.row
        return rows

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Give each environment a new generator, unless its seed is None."""
        if self._several:
            given = zip(seeds, self._generators, strict=True)
            self._generators = [each if seed is None else np.random.default_rng(seed) for seed, each in given]

    def restart(self, which: NDArray[np.bool_], options: Mapping[str, Any] | None = None) -> None:
        """Begin new episodes.

        Args:
            which: the environments to restart, shape (num_envs,); all of them on the first call.
            options: as for `TaskSet.choose`, which may raise `UnknownNameError` or `ArgumentError`.
        """
        self._draw(which, options)
        start = self._start()
        if self._positions is None:
            row, left = (np.broadcast_to(each, (self.count,)).copy() for each in start)
            self._positions = Batch(row, left, np.zeros(self.count, dtype=np.bool_))
        else:
            row = moved_to(np, self.rows.copy(), which, start.row)
            left = moved_to(np, self._positions.left.copy(), which, start.left)
            self._positions = Batch(row, left, self._positions.over & ~which)

    def _draw(self, which: NDArray[np.bool_], options: Mapping[str, Any] | None = None) -> None:
        """Choose the tasks of new episodes."""
        if not self._several:
            self._tasks.chosen(options)  # refuses unknown options
            return
        for env in np.flatnonzero(which).tolist():
            world = self._tasks.choose(options, self._generators[env])
            self.task[env] = self._number_of[world.task.task_id]

    def _start(self) -> Start:
        """Return the start of each environment's next episode."""
        task = self.task if self._several else 0
        return Start(self._table.start_rows[task], self._table.budgets[task])

    def step(self, actions: NDArray[np.intp]) -> Stepped:
        """Take one action in each environment; an environment whose episode is over begins the next one instead.

        Args:
            actions: as returned by `checked`.
        """
        batch, table = self.positions, self._table
        if self._several:
            self._draw(batch.over)
        if not table.complete:
            if table.is_too_large():
                batch = batch._replace(row=table.evict_except(batch.row))
            table.learn(batch.row, actions)
        self._positions, stepped = advance(np, table.arrays, batch, actions, self._start())
        return stepped

    def checked(self, given: ArrayLike) -> NDArray[np.intp]:
        """Return the actions as an integer array of shape (num_envs,); raises `InvalidAction` unless all are valid."""
        actions, most = np.asarray(given), len(self._table.acts)
        if actions.shape != (self.count,) or actions.dtype.kind not in "iu":
            expected = f"expected an array of {self.count} integers"
            raise InvalidAction(f"{expected}, one for each environment, got {actions.dtype} of shape {actions.shape}")
        if actions.min() < 0 or actions.max() >= most:
            wrong = int(np.flatnonzero((actions < 0) | (actions >= most))[0])
            told = f"action {actions[wrong]} of environment {wrong}"
            raise InvalidAction(f"{told} is not in the action space, which is 0 to {most - 1}")
        return actions.astype(np.intp, copy=False)
