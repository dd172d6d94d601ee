"""The plan of a run: its episodes, numbered, each with all that decides how it begins."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

import attrs

from gridworld.task_spec import TaskSpecification
from multinet_eval.settings.task_hashes import task_hash

__all__ = ["PlannedEpisode", "epoch_seed", "plan_episodes"]

MAX_SEED = 2**31


@attrs.frozen
class PlannedEpisode:
    """One episode of a plan."""

    number: int
    """From 0; the name of its file."""
    task: str
    """The hash of the task."""
    task_id: str
    tiling: str | None
    epoch: int
    """From 0: which repetition of the task it is."""
    seed: int
    max_steps: int | None = None
    """The steps that it has; None for those of the task."""

    def bound(self, task: TaskSpecification) -> TaskSpecification:
        """Its task as it is played in this episode."""
        return task if self.max_steps is None else attrs.evolve(task, max_steps=self.max_steps)


def epoch_seed(seed: int, epoch: int) -> int:
    """The seed of a repetition: that of a single run in epoch 0, otherwise one derived from it, below 2**31."""
    if epoch == 0:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed}/{epoch}".encode()).digest()[:8]) % MAX_SEED


def plan_episodes(
    tasks: Sequence[TaskSpecification],
    tilings: Iterable[str | None],
    epochs: range,
    seed: int | None,
    first: int = 0,
    budgets: Mapping[tuple[str, str | None], int] | None = None,
) -> tuple[PlannedEpisode, ...]:
    """The episodes of a run: epoch by epoch, tiling by tiling, in the order of the tasks.

    Args:
        tasks: the tasks.
        tilings: the tilings to play them on.
        epochs: which repetitions.
        seed: the seed of every episode; None for each task's own.
        first: the number of the first one.
        budgets: the hash of a task and a tiling to the steps that it has there, where these are not its own.
    """
    steps = budgets or {}
    numbers, hashes, all_tilings = count(first), [task_hash(task) for task in tasks], tuple(tilings)

    def planned() -> Iterator[PlannedEpisode]:
        for epoch in epochs:
            for tiling in all_tilings:
                for task, digest in zip(tasks, hashes, strict=True):
                    start = epoch_seed(task.seed if seed is None else seed, epoch)
                    allowed = steps.get((digest, tiling))
                    yield PlannedEpisode(next(numbers), digest, task.task_id, tiling, epoch, start, allowed)

    return tuple(planned())
