"""`VectorPlay`: resets, steps, autoresets and infos of a batch of environments, independent of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridworld.errors import ArgumentError, EpisodeOver, describe_value
from gridworld.runner.task_set import TASK_ID, TaskSet, check_options
from gridworld.support.checks import check_int
from gridworld.support.wording import shorten
from gridworld.vector.action_masks import ActionMasks
from gridworld.vector.observers import Observation, Observer
from gridworld.vector.stepping import Batch, Stepped
from gridworld.vector.stepping_table import SteppingTable
from gridworld.vector.task_batch import TaskBatch

Autoreset = Literal["NextStep", "SameStep", "Disabled"]
"""When the next episode follows an ended one: the values of Gymnasium's ``AutoresetMode``."""
RESET_MASK = "reset_mask"
"""Option of ``reset`` that selects the environments to reset: a bool array of shape (num_envs,)."""

Infos = dict[str, Any]
Flags = NDArray[np.bool_]


class VectorPlay:
    """A batch of environments with observations and autoreset.

    Args:
        tasks: the tasks.
        table: the transitions of the tasks.
        count: number of environments.
        observer: computes the observations.
        autoreset: when the next episode follows an ended one.
        events: whether infos contain the events of steps, which need another call of the kernel.
    """

    def __init__(
        self,
        tasks: TaskSet,
        table: SteppingTable,
        count: int,
        observer: Observer,
        autoreset: Autoreset,
        events: bool = False,
    ) -> None:
        self.batch = TaskBatch(tasks, table, count)
        self._masks = ActionMasks(table.rows, table.acts, count)
        self._tasks, self._table, self._observer = tasks, table, observer
        self._autoreset, self._with_events = autoreset, events
        self._ids = np.array([world.task.task_id for world in tasks.worlds], dtype=object)
        self._all, self._none = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
        self._same_id = np.full(count, self._ids[0], dtype=object)
        for array in (self._all, self._none, self._same_id):
            array.flags.writeable = False  # handed out with every step

    def reset(
        self, seed: int | Sequence[int | None] | None, options: Mapping[str, Any] | None
    ) -> tuple[Observation, Infos]:
        """Begin new episodes; if it raises, nothing changes.

        Args:
            seed: seeds the choice among several tasks: environment `i` gets ``seed + i``, or the i-th of a sequence;
                None keeps its generator.
            options: ``reset_mask``, by default all environments, and the options of `TaskSet.choose`.

        Raises:
            ArgumentError: the number of seeds is wrong, a mask has another shape or type, or an option is unknown.
            ValueError: a seed is not an integer of at least 0.
            UnknownNameError: no task has the id.
        """
        others = dict(check_options(options, [TASK_ID, RESET_MASK]))
        which = self._checked_mask(others.pop(RESET_MASK, self._all))
        self._tasks.chosen(others)
        if seed is not None:
            seeds = self._checked_seeds(seed)
            self.batch.seed([each if begins else None for each, begins in zip(seeds, which.tolist(), strict=True)])
        self.batch.restart(which, others)
        self._masks.beliefs.record_reset(self.batch.rows, which)
        infos = self._infos(self._none, which) | (_no_events(self.batch.count) if self._with_events else {})
        return self._observer.observe(self.batch.rows, which), infos

    def step(self, actions: ArrayLike) -> tuple[Observation, Stepped, Infos]:
        """Take one action in each environment; if it raises, nothing changes.

        Raises:
            NotResetError: `reset` has not been called.
            InvalidAction: `actions` are not one valid action per environment.
            EpisodeOver: an episode has ended, and autoreset is disabled.
        """
        before, taken = self.batch.positions, self.batch.checked(actions)
        begun: Flags = before.over
        if self._autoreset == "Disabled" and begun.any():
            raise EpisodeOver(
                f"the episode of environment {int(begun.argmax())} has ended; reset it before the next action"
            )
        events = _step_events(self._table, before, taken) if self._with_events else {}
        if not self._table.complete and self._table.is_too_large():
            self._masks.beliefs.before_eviction()
        stepped = self.batch.step(taken)
        if self._autoreset == "SameStep":
            observation, infos = self._restart_ended(stepped)
        else:
            observation, infos = self._observe(begun), self._infos(stepped.succeeded)
        return observation, stepped, infos | events

    def action_masks(self) -> Flags:
        """Return which actions could have an effect, given what the agent has seen; shape (num_envs, actions).

        Raises:
            NotResetError: `reset` has not been called, or the history since `reset` is longer than the masks keep.
        """
        return self._masks.at(self.batch.rows)

    def _observe(self, begun: Flags | None) -> Observation:
        """Observe after a step that began some episodes."""
        self._masks.beliefs.record_step(self.batch.rows, begun)
        return self._observer.observe(self.batch.rows, begun)

    def _restart_ended(self, stepped: Stepped) -> tuple[Observation, Infos]:
        """Begin the next episodes immediately, with the last observations of the ended ones in the infos."""
        ended: Flags = self.batch.positions.over
        over = np.flatnonzero(ended)
        if not over.size:
            return self._observe(None), self._infos(stepped.succeeded)
        last = np.full(self.batch.count, None, dtype=object)
        for env, shown in zip(over.tolist(), self._observer.last(self.batch.rows, over), strict=True):
            last[env] = shown
        final = {"final_obs": last, "final_info": self._infos(stepped.succeeded, ended)}
        self.batch.restart(ended)
        marks = {f"_{name}": ended for name in final}
        infos = self._infos(stepped.succeeded & ~ended)
        return self._observe(ended), {**final, **marks, **infos}

    def _infos(self, succeeded: Flags, which: Flags | None = None) -> Infos:
        """Return ``success`` and ``task_id`` of all or some environments in Gymnasium's layout."""
        told = self._all if which is None else which
        ids = self._same_id if len(self._ids) == 1 else self._ids[self.batch.task]
        if which is not None and not which.all():
            ids = ids.copy()
            ids[~which] = None
        return {"success": succeeded, "_success": told, "task_id": ids, "_task_id": told}

    def _checked_mask(self, mask: object) -> Flags:
        expected = f"{RESET_MASK}: expected a bool array of shape ({self.batch.count},)"
        if not isinstance(mask, np.ndarray):
            raise ArgumentError(f"{expected}, got {shorten(describe_value(mask))}")
        if mask.shape != (self.batch.count,) or mask.dtype != np.bool_:
            raise ArgumentError(f"{expected}, got {mask.dtype} of shape {mask.shape}")
        if not mask.any():
            raise ArgumentError(f"{RESET_MASK}: no environment is selected")
        return mask

    def _checked_seeds(self, seed: object) -> list[int | None]:
        """Return the seed of each environment; None to keep its generator."""
        count = self.batch.count
        if not isinstance(seed, list | tuple | np.ndarray):
            first = check_int("seed", seed, 0)
            return [first + env for env in range(count)]
        if len(seed) != count:
            raise ArgumentError(f"seed: expected {count} of them, one for each environment, got {len(seed)}")
        return [None if each is None else check_int(f"seed[{env}]", each, 0) for env, each in enumerate(seed)]


def _step_events(table: SteppingTable, before: Batch, actions: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return ``events`` and ``event_records`` of a step, as in `step_info`: object arrays of shape (num_envs,)."""
    infos = _no_events(len(before.row))
    for env in np.flatnonzero(~before.over).tolist():
        events = table.events(int(before.row[env]), int(before.left[env]), int(actions[env]))
        infos["events"][env] = events
        infos["event_records"][env] = [event.to_dict() for event in events]
    return infos


def _no_events(count: int) -> dict[str, NDArray[Any]]:
    """Return `_step_events` infos for a batch in which nothing has happened."""
    events, records = np.empty(count, dtype=object), np.empty(count, dtype=object)
    for env in range(count):
        events[env], records[env] = (), []
    return {"events": events, "event_records": records}
