"""The plan of a run: hashes of its tasks and suite, and its numbered episodes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import attrs

from gridworld.task_spec import TaskSpecification

MAX_SEED = 2**31
Budgets = Mapping[tuple[str, str | None], int]
"""Step budgets by task hash and tiling, where they differ from the task's ``max_steps``."""


def task_hash(task: TaskSpecification) -> str:
    """Hash a task's content, independent of its file's formatting: 32 hexadecimal digits (BLAKE2b)."""
    return _hash(json.dumps(task.to_dict(), sort_keys=True, ensure_ascii=True))


def suite_hash(tasks: Iterable[TaskSpecification]) -> str:
    """Hash a suite's tasks in their order: 32 hexadecimal digits (BLAKE2b)."""
    return _hash("\n".join(map(task_hash, tasks)))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@attrs.frozen
class PlannedEpisode:
    """One episode of a plan."""

    number: int
    """Number of the episode, from 0; also the name of its file."""
    task: str
    """Hash of the task."""
    task_id: str
    tiling: str | None
    epoch: int
    """Repetition of the task, from 0."""
    seed: int
    max_steps: int | None = None
    """Step budget of the episode; None for the task's own."""

    def bound(self, task: TaskSpecification) -> TaskSpecification:
        """Return the task with this episode's step budget."""
        return task if self.max_steps is None else attrs.evolve(task, max_steps=self.max_steps)


def epoch_seed(seed: int, epoch: int) -> int:
    """Return the seed of a repetition: the seed itself in epoch 0, otherwise a derived one below 2**31."""
    if epoch == 0:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed}/{epoch}".encode()).digest()[:8]) % MAX_SEED


def plan_episodes(
    tasks: Sequence[TaskSpecification],
    tilings: Iterable[str | None],
    epochs: range,
    seed: int | None,
    first: int = 0,
    budgets: Budgets | None = None,
) -> tuple[PlannedEpisode, ...]:
    """Plan a run epoch by epoch, tiling by tiling, in the order of the tasks.

    Args:
        tasks: the tasks.
        tilings: the tilings to play them on.
        epochs: the repetitions.
        seed: the seed of every episode; None for each task's own.
        first: the number of the first episode.
        budgets: step budgets that differ from the tasks' own.
    """
    combinations = product(epochs, tilings, [(task, task_hash(task)) for task in tasks])
    return tuple(
        PlannedEpisode(
            number=number,
            task=digest,
            task_id=task.task_id,
            tiling=tiling,
            epoch=epoch,
            seed=epoch_seed(task.seed if seed is None else seed, epoch),
            max_steps=(budgets or {}).get((digest, tiling)),
        )
        for number, (epoch, tiling, (task, digest)) in enumerate(combinations, first)
    )
