"""`VectorPlay`: what Gymnasium's vector environments do, without Gymnasium: resets, steps, autoresets and infos."""

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
from gridworld.vector.stepping import Copies, Stepped
from gridworld.vector.stepping_table import SteppingTable
from gridworld.vector.task_batch import TaskCopies


def step_events(table: SteppingTable, copies: Copies, actions: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The events of a step as `gridworld.runner.task_set.step_info` has them: ``events`` and ``event_records``.

    Args:
        table: what actions lead to.
        copies: where the copies stand before it; where an episode is over, nothing happens but that the next begins.
        actions: shape (copies,).

    Returns:
        Arrays of objects, both of shape (copies,): tuples of events, and lists of dictionaries.
    """
    infos = no_events(len(copies.row))
    for copy in np.flatnonzero(~copies.over).tolist():
        events = table.events(int(copies.row[copy]), int(copies.left[copy]), int(actions[copy]))
        infos["events"][copy] = events
        infos["event_records"][copy] = [event.to_dict() for event in events]
    return infos


def no_events(count: int) -> dict[str, NDArray[Any]]:
    """The same of so many copies in which nothing has happened."""
    events, records = np.empty(count, dtype=object), np.empty(count, dtype=object)
    for copy in range(count):
        events[copy], records[copy] = (), []
    return {"events": events, "event_records": records}


Autoreset = Literal["NextStep", "SameStep", "Disabled"]
"""When an ended episode is followed by the next: the values of Gymnasium's ``AutoresetMode``."""
RESET_MASK = "reset_mask"
"""The entry of the options of ``reset`` that says which copies begin anew; a bool array of shape (copies,)."""

Infos = dict[str, Any]
Flags = NDArray[np.bool_]


class VectorPlay:
    """Copies of tasks that are observed and begin anew.

    Args:
        tasks: the tasks.
        table: what actions lead to in them.
        count: how many copies.
        observer: what is shown of them.
        autoreset: when an ended episode is followed by the next.
        events: whether infos hold the events of steps, for which the kernel is asked again.
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
        self.copies = TaskCopies(tasks, table, count)
        self._masks = ActionMasks(table.rows, table.acts, count)
        self._tasks, self._table, self._observer = tasks, table, observer
        self._autoreset, self._tells_events = autoreset, events
        self._ids = np.array([world.task.task_id for world in tasks.worlds], dtype=object)
        self._all, self._none = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
        self._same_id = np.full(count, self._ids[0], dtype=object)
        for array in (self._all, self._none, self._same_id):
            array.flags.writeable = False  # handed out with every step

    def reset(
        self, seed: int | Sequence[int | None] | None, options: Mapping[str, Any] | None
    ) -> tuple[Observation, Infos]:
        """Begin new episodes.

        Args:
            seed: seeds the choice among several tasks: of copy `i` with ``seed + i``, or with the i-th of a sequence;
                None goes on with the generators that there are.
            options: ``reset_mask``, by default all copies, and those of `TaskSet.choose`.

        Raises:
            ArgumentError: a wrong number of seeds, a mask of another shape or type, or an unknown option.
            ValueError: a seed is not a whole number of at least 0.
            UnknownNameError: no task has the id. Nothing is changed in all these cases.
        """
        count = self.copies.count
        others = dict(check_options(options, [TASK_ID, RESET_MASK]))
        which = self._checked_mask(others.pop(RESET_MASK, self._all))
        self._tasks.chosen(others)
        if seed is not None:
            seeds = self._checked_seeds(seed)
            self.copies.seed([each if begins else None for each, begins in zip(seeds, which.tolist(), strict=True)])
        self.copies.restart(which, others)
        self._masks.moments.note_reset(self.copies.rows, which)
        infos = self._infos(self._none, which) | (no_events(count) if self._tells_events else {})
        return self._observer.observe(self.copies.rows, which), infos

    def step(self, actions: ArrayLike) -> tuple[Observation, Stepped, Infos]:
        """Take one action in each copy.

        Raises:
            NotResetError: before `reset`.
            InvalidAction: not one action of the task for each copy.
            EpisodeOver: an episode has ended, and is not followed by the next unless `reset` is called. The states
                are unchanged in all three cases.
        """
        before, taken = self.copies.copies, self.copies.checked(actions)
        begun: Flags = before.over
        if self._autoreset == "Disabled" and begun.any():
            raise EpisodeOver(
                f"the episode of environment {int(begun.argmax())} has ended; reset it before the next action"
            )
        events = step_events(self._table, before, taken) if self._tells_events else {}
        if not self._table.complete and self._table.is_too_large():
            self._masks.moments.forget_rows()
        stepped = self.copies.step(taken)
        if self._autoreset == "SameStep":
            observation, infos = self._begin_anew(stepped)
        else:
            observation, infos = self._seen(begun), self._infos(stepped.succeeded)
        return observation, stepped, infos | events

    def action_masks(self) -> Flags:
        """Which actions could have an effect in each copy as far as has been shown of it: shape (copies, actions).

        Raises:
            NotResetError: before `reset`; or they depend on what has been seen since, and too much has happened.
        """
        return self._masks.at(self.copies.rows)

    def _seen(self, begun: Flags | None) -> Observation:
        """What is observed after a step, of which episodes some have begun with it."""
        self._masks.moments.note_step(self.copies.rows, begun)
        return self._observer.observe(self.copies.rows, begun)

    def _begin_anew(self, stepped: Stepped) -> tuple[Observation, Infos]:
        """Let the next episodes begin at once, and tell of the last moments of those that have ended."""
        ended: Flags = self.copies.copies.over
        over = np.flatnonzero(ended)
        if not over.size:
            return self._seen(None), self._infos(stepped.succeeded)
        final = {"final_obs": self._last(over), "final_info": self._infos(stepped.succeeded, ended)}
        self.copies.restart(ended)
        marks = {f"_{name}": ended for name in final}
        infos = self._infos(stepped.succeeded & ~ended)
        return self._seen(ended), {**final, **marks, **infos}

    def _last(self, over: NDArray[np.intp]) -> NDArray[Any]:
        """The last observation of each copy whose episode has ended, None of the others."""
        last = np.full(self.copies.count, None, dtype=object)
        for copy, shown in zip(over.tolist(), self._observer.last(self.copies.rows, over), strict=True):
            last[copy] = shown
        return last

    def _infos(self, succeeded: Flags, which: Flags | None = None) -> Infos:
        """``success`` and ``task_id`` of the copies, or of some of them, as Gymnasium gathers those of environments."""
        told = self._all if which is None else which
        ids = self._same_id if len(self._ids) == 1 else self._ids[self.copies.task]
        if which is not None and not which.all():
            ids = ids.copy()
            ids[~which] = None
        return {"success": succeeded, "_success": told, "task_id": ids, "_task_id": told}

    def _checked_mask(self, mask: object) -> Flags:
        expected = f"{RESET_MASK}: expected a bool array of shape ({self.copies.count},)"
        if not isinstance(mask, np.ndarray):
            raise ArgumentError(f"{expected}, got {shorten(describe_value(mask))}")
        if mask.shape != (self.copies.count,) or mask.dtype != np.bool_:
            raise ArgumentError(f"{expected}, got {mask.dtype} of shape {mask.shape}")
        if not mask.any():
            raise ArgumentError(f"{RESET_MASK}: it names no environment")
        return mask

    def _checked_seeds(self, seed: object) -> list[int | None]:
        """The seed of each copy; None for those that go on with the generators that they have."""
        count = self.copies.count
        if not isinstance(seed, list | tuple | np.ndarray):
            first = check_int("seed", seed, 0)
            return [first + copy for copy in range(count)]
        if len(seed) != count:
            raise ArgumentError(f"seed: expected {count} of them, one for each environment, got {len(seed)}")
        return [None if each is None else check_int(f"seed[{copy}]", each, 0) for copy, each in enumerate(seed)]
