"""Summaries of diagnosed episodes: shares of errors and of regret, with bounds, and contrasts of ways of playing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from multinet_eval.probing.diagnosis import Cause, Diagnosed
from multinet_eval.record.task_result import TaskResult
from multinet_eval.statistics.intervals import bounded_mean_interval, clustered_interval

UNJUDGED = (Cause.HOPELESS, Cause.UNKNOWN, Cause.LOST)
"""The causes of actions that are neither right nor wrong."""
CAUSES = (Cause.ACTING, Cause.SEEING, Cause.PLANNING)
"""Possible causes of an error."""
Interval = tuple[float, float]
"""At 95 %."""


@attrs.frozen
class Share:
    """The share of one cause in all errors, or in their regret, 0 to 1.

    Which part of what is undetermined is of this cause cannot be known, so that there are two bounds; each has an
    interval of its own.
    """

    cause: Cause
    low: float | None
    """With nothing of what is undetermined; None where there are no errors, or where they have no regret."""
    low_interval: Interval
    high: float | None
    """With all of it."""
    high_interval: Interval


@attrs.frozen
class DiagnosisReport:
    """Summary of the actions of some episodes."""

    actions: Mapping[str, int]
    """Cause to number of actions, in all."""
    errors: int
    fatal: int
    """Number of errors that left no way to the goal."""
    error_rate: float | None
    """Errors among the actions that could be judged; None if there were none."""
    error_interval: Interval
    regret: float
    """Of all errors together, in actions."""
    of_errors: tuple[Share, ...]
    of_regret: tuple[Share, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return attrs.asdict(self)


def report_on_diagnosis(by_task: Mapping[str, Sequence[Diagnosed]]) -> DiagnosisReport:
    """Summarize actions.

    Args:
        by_task: the actions of each task, of all its episodes; those of one task are taken for alike.
    """
    everything = [each for actions in by_task.values() for each in actions]
    judged = {task: [each for each in actions if each.cause not in UNJUDGED] for task, actions in by_task.items()}
    errors = {task: [each for each in actions if each.cause is not Cause.RIGHT] for task, actions in judged.items()}
    wrong, of = sum(map(len, errors.values())), sum(map(len, judged.values()))
    return DiagnosisReport(
        actions={cause.value: sum(each.cause is cause for each in everything) for cause in Cause},
        errors=wrong,
        fatal=sum(each.fatal for each in everything),
        error_rate=wrong / of if of else None,
        error_interval=clustered_interval((len(errors[task]), len(judged[task])) for task in by_task),
        regret=sum(each.regret for each in everything),
        of_errors=tuple(_share(cause, errors, lambda each: 1.0) for cause in CAUSES),
        of_regret=tuple(_share(cause, errors, lambda each: each.regret) for cause in CAUSES),
    )


def _share(cause: Cause, errors: Mapping[str, Sequence[Diagnosed]], weight: Callable[[Diagnosed], float]) -> Share:
    low = _parts(errors, (cause,), weight)
    high = _parts(errors, (cause, Cause.UNDETERMINED), weight)
    return Share(cause, _ratio(low), clustered_interval(low), _ratio(high), clustered_interval(high))


def _parts(
    errors: Mapping[str, Sequence[Diagnosed]], causes: tuple[Cause, ...], weight: Callable[[Diagnosed], float]
) -> list[tuple[float, float]]:
    return [
        (sum(weight(each) for each in listed if each.cause in causes), sum(map(weight, listed)))
        for listed in errors.values()
    ]


def _ratio(parts: Sequence[tuple[float, float]]) -> float | None:
    whole = sum(of for _, of in parts)
    return sum(part for part, _ in parts) / whole if whole else None


CONTRASTS = (
    ("asking for more", "diagnosis", "ordinary"),
    ("reading", "text", "transcription"),
    ("seeing again", "transcription", "ordinary"),
    ("carrying out", "plan", "text"),
)
"""Name of each contrast, and the two ways of playing: the first one's success minus the second one's.

They are not parts of a whole, and need not add up: each compares two ways of playing whole episodes.
"""


@attrs.frozen
class Contrast:
    """A difference in success on the same tasks."""

    name: str
    one: str
    other: str
    tasks: int
    """Number of tasks that were played both ways."""
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
    low, high = bounded_mean_interval(differences, -1.0, 1.0)
    mean = sum(differences) / len(differences) if differences else None
    return Contrast(name, one, other, len(tasks), mean, (float(low), float(high)))
