"""Paired contrasts: the difference in success between two ways of playing the same tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from multinet_eval.record.task_result import TaskResult
from multinet_eval.statistics.mean_intervals import bounded_mean_interval

__all__ = ["CONTRASTS", "Contrast", "contrast", "success_by_task"]

CONTRASTS = (
    ("asking for more", "diagnosis", "ordinary"),
    ("reading", "text", "transcription"),
    ("seeing again", "transcription", "ordinary"),
    ("carrying out", "plan", "text"),
)
"""What each contrast is called, and the two ways of playing: the first one's success minus the second one's.

They are not parts of a whole, and need not add up: each compares two ways of playing whole episodes.
"""


@attrs.frozen
class Contrast:
    """A difference in success on the same tasks."""

    name: str
    one: str
    other: str
    tasks: int
    """How many were played both ways."""
    difference: float | None
    """The mean over tasks of the success of the one way minus that of the other, -1 to 1; None without a task."""
    interval: tuple[float, float]
    """At 95 %, for a suite of such tasks."""


def success_by_task(results: Iterable[TaskResult]) -> dict[str, float]:
    """Task to the share of its episodes, on all tilings, that succeeded; what is not scored is left out."""
    found: dict[str, list[bool]] = {}
    for result in results:
        if result.scored:
            found.setdefault(result.task_id, []).append(result.success)
    return {task: sum(successes) / len(successes) for task, successes in found.items()}


def contrast(name: str, one: str, other: str, successes: Mapping[str, Mapping[str, float]]) -> Contrast:
    """The contrast of two ways of playing.

    The interval is that of `bounded_mean_interval`, which is sound where few tasks differ.

    Args:
        name: what it is called.
        one: the one way.
        other: the other.
        successes: each way's success by task.
    """
    tasks = sorted(successes[one].keys() & successes[other].keys())
    differences = [successes[one][task] - successes[other][task] for task in tasks]
    if not differences:
        return Contrast(name, one, other, 0, None, (-1.0, 1.0))
    low, high = bounded_mean_interval(differences, -1.0, 1.0)
    interval = (float(low), float(high))
    return Contrast(name, one, other, len(tasks), sum(differences) / len(differences), interval)
