"""`TaskCopies`: many episodes of some tasks, side by side in arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridworld.errors import InvalidAction, NotResetError
from gridworld.runner.task_set import TaskSet
from gridworld.vector.stepping import Copies, Start, Stepped, advance, moved_to
from gridworld.vector.stepping_table import SteppingTable

__all__ = ["TaskCopies"]


class TaskCopies:
    """Copies of tasks, each with a state, a number of steps and a generator of its own.

    Args:
        tasks: the tasks. Each episode plays one; where there are several, the generator of its copy draws it.
        table: what actions lead to in them.
        count: how many copies.
    """

    def __init__(self, tasks: TaskSet, table: SteppingTable, count: int) -> None:
        self.count = count
        self.task = np.zeros(count, dtype=np.intp)
        """The task that each copy plays, by its place in the set; shape (copies,)."""
        self._tasks, self._table = tasks, table
        self._several = len(tasks.worlds) > 1
        self._number_of = {world.task.task_id: number for number, world in enumerate(tasks.worlds)}
        self._generators = [np.random.default_rng() for _ in range(count if self._several else 0)]
        self._copies: Copies | None = None

    @property
    def copies(self) -> Copies:
        """Where the copies stand.

        Raises:
            NotResetError: before the first `restart`.
        """
        if self._copies is None:
            raise NotResetError("reset() has to be called before the first step")
        return self._copies

    @property
    def rows(self) -> NDArray[np.intp]:
        """The row of the table where each copy is; shape (copies,)."""
        rows: NDArray[np.intp] = self.copies.row
        return rows

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Give each copy a new generator, but for those whose seed is None."""
        if self._several:
            given = zip(seeds, self._generators, strict=True)
            self._generators = [each if seed is None else np.random.default_rng(seed) for seed, each in given]

    def restart(self, which: NDArray[np.bool_], options: Mapping[str, Any] | None = None) -> None:
        """Begin new episodes.

        Args:
            which: in which copies; shape (copies,). In all of them when it is done for the first time.
            options: as of `TaskSet.choose`.

        Raises:
            UnknownNameError, ArgumentError: as `TaskSet.choose` does.
        """
        self._draw(which, options)
        start = self._start()
        if self._copies is None:
            row, left = (np.broadcast_to(each, (self.count,)).copy() for each in start)
            self._copies = Copies(row, left, np.zeros(self.count, dtype=np.bool_))
        else:
            row = moved_to(np, self.rows.copy(), which, start.row)
            left = moved_to(np, self._copies.left.copy(), which, start.left)
            self._copies = Copies(row, left, self._copies.over & ~which)

    def _draw(self, which: NDArray[np.bool_], options: Mapping[str, Any] | None = None) -> None:
        """Choose the tasks of new episodes."""
        if not self._several:
            self._tasks.chosen(options)  # refuses what it does not know
            return
        for copy in np.flatnonzero(which).tolist():
            world = self._tasks.choose(options, self._generators[copy])
            self.task[copy] = self._number_of[world.task.task_id]

    def _start(self) -> Start:
        """Where the next episode of each copy begins."""
        task = self.task if self._several else 0
        return Start(self._table.start_rows[task], self._table.budgets[task])

    def step(self, actions: NDArray[np.intp]) -> Stepped:
        """Take one action in each copy; those whose episode is over begin a new one instead.

        Args:
            actions: what `checked` has returned.

        Raises:
            NotResetError: before the first `restart`.
        """
        copies = self.copies
        if self._several:
            self._draw(copies.over)
        if not self._table.complete:
            copies = self._with_room(copies)
            self._table.learn(copies.row, actions)
        self._copies, stepped = advance(np, self._table.arrays, copies, actions, self._start())
        return stepped

    def _with_room(self, copies: Copies) -> Copies:
        """The copies, of which rows are other ones if the table had become too large."""
        if not self._table.is_too_large():
            return copies
        return copies._replace(row=self._table.forget_but(copies.row))

    def checked(self, given: ArrayLike) -> NDArray[np.intp]:
        """Actions as an array of integers, shape (copies,).

        Raises:
            InvalidAction: they are not one of the table's actions for each copy.
        """
        actions, most = np.asarray(given), self._table.arrays.actions
        if actions.shape != (self.count,) or actions.dtype.kind not in "iu":
            expected = f"expected an array of {self.count} integers"
            raise InvalidAction(f"{expected}, one for each environment, got {actions.dtype} of shape {actions.shape}")
        if actions.min() < 0 or actions.max() >= most:
            wrong = int(np.flatnonzero((actions < 0) | (actions >= most))[0])
            told = f"action {actions[wrong]} of environment {wrong}"
            raise InvalidAction(f"{told} is not in the action space, which is 0 to {most - 1}")
        return actions.astype(np.intp, copy=False)
