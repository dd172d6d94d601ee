"""Summaries of diagnosed episodes: shares of errors and of penalized regret, and contrasts between ways of playing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from multinet_eval.probing.diagnosis import Cause, Diagnosed
from multinet_eval.statistics.clusters import Observation, average
from multinet_eval.statistics.intervals import mean_interval
from multinet_eval.statistics.paired_differences import compare_pairs

UNJUDGED = (Cause.HOPELESS, Cause.UNKNOWN, Cause.LOST)
"""Verdicts that are neither right nor wrong."""
CAUSES = (Cause.ACTING, Cause.SEEING, Cause.PLANNING)
"""Possible causes of an error."""
Interval = tuple[float, float]
"""Lower and upper end of a 95 % interval."""


@attrs.frozen
class Share:
    """The share of one cause among the errors of a maze, or in their penalized regret, 0 to 1: the mean over mazes.

    The causes of undetermined errors are unknown, so there are two bounds, each with an interval.
    """

    cause: Cause
    low: float | None
    """Lower bound of the share, excluding undetermined errors; None without errors or regret."""
    low_interval: Interval
    high: float | None
    """Upper bound, including all undetermined errors."""
    high_interval: Interval


@attrs.frozen
class DiagnosisReport:
    """Summary of the actions of some episodes."""

    actions: Mapping[str, int]
    """Number of actions by verdict."""
    errors: int
    fatal: int
    """Number of errors that made success impossible."""
    error_rate: float | None
    """Share of errors among the judged actions of a maze: the mean over mazes; None without judged actions."""
    mazes: int
    """Number of base mazes with judged actions."""
    error_rate_interval: Interval
    penalized_regret: float
    """Sum over all errors, in actions; an error that makes success impossible counts as the remaining budget."""
    of_errors: tuple[Share, ...]
    of_penalized_regret: tuple[Share, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no action was taken, since there was no reply, or none that could be read."""
        return not any(count for cause, count in self.actions.items() if cause != Cause.LOST)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a JSON-ready dictionary."""
        return attrs.asdict(self)


def report_on_diagnosis(by_maze: Mapping[str, Sequence[Diagnosed]]) -> DiagnosisReport:
    """Summarize actions.

    Args:
        by_maze: the actions of each base maze, over all episodes of its tasks.
    """
    everything = [each for actions in by_maze.values() for each in actions]
    judged = {maze: [each for each in actions if each.cause not in UNJUDGED] for maze, actions in by_maze.items()}
    errors = {maze: [each for each in actions if each.cause is not Cause.RIGHT] for maze, actions in judged.items()}
    rates = [len(errors[maze]) / len(of) for maze, of in judged.items() if of]
    return DiagnosisReport(
        actions={cause.value: sum(each.cause is cause for each in everything) for cause in Cause},
        errors=sum(map(len, errors.values())),
        fatal=sum(each.fatal for each in everything),
        error_rate=average(rates) if rates else None,
        mazes=len(rates),
        error_rate_interval=mean_interval(rates),
        penalized_regret=sum(each.penalized_regret for each in everything),
        of_errors=tuple(_share(cause, errors, lambda each: 1.0) for cause in CAUSES),
        of_penalized_regret=tuple(_share(cause, errors, lambda each: each.penalized_regret) for cause in CAUSES),
    )


def _share(cause: Cause, errors: Mapping[str, Sequence[Diagnosed]], weight: Callable[[Diagnosed], float]) -> Share:
    low = _shares(errors, (cause,), weight)
    high = _shares(errors, (cause, Cause.UNDETERMINED), weight)
    means = (average(each) if each else None for each in (low, high))
    return Share(cause, next(means), mean_interval(low), next(means), mean_interval(high))


def _shares(
    errors: Mapping[str, Sequence[Diagnosed]], causes: tuple[Cause, ...], weight: Callable[[Diagnosed], float]
) -> list[float]:
    """Return the share of the given causes in the weight of the errors of each base maze that has any weight."""
    wholes = ((listed, math.fsum(map(weight, listed))) for listed in errors.values())
    return [
        min(1.0, math.fsum(weight(each) for each in listed if each.cause in causes) / whole)
        for listed, whole in wholes
        if whole
    ]


CONTRASTS = (
    ("asking for more", "diagnosis", "ordinary"),
    ("reading", "text", "transcription"),
    ("seeing again", "transcription", "ordinary"),
    ("carrying out", "plan", "text"),
)
"""Contrasts between two ways of playing: the success of the first minus the success of the second.

The contrasts need not add up: each compares whole episodes played in two ways.
"""


@attrs.frozen
class Contrast:
    """Difference in success between two ways of playing the same base mazes."""

    name: str
    one: str
    other: str
    mazes: int
    """Number of base mazes played both ways."""
    difference: float | None
    """Mean difference over mazes, -1 to 1; None without a maze."""
    interval: Interval
    """Interval of a paired difference (`multinet_eval.statistics.paired_tests.sign_flip_interval`)."""
    better: int
    """Number of mazes in which the first way succeeds more often."""
    worse: int
    """Number of mazes in which the second way succeeds more often."""
    majority_disagrees: bool
    """Whether one way has the higher mean but the other is better in more mazes."""
    test: str | None
    """Name of the test of the difference; None without a maze."""
    p_value: float | None
    """p-value of this contrast, not adjusted for multiple tests."""


def contrast(name: str, one: str, other: str, played: Mapping[str, Sequence[Observation]]) -> Contrast:
    """Compute the contrast between two ways of playing.

    Args:
        name: name of the contrast.
        one: the first way.
        other: the second way.
        played: successes for each way of playing.
    """
    (found,) = compare_pairs([played[one], played[other]], seed=0)
    test = found.test
    kind, p_value = (None, None) if test is None else (test.kind.value, test.p_value)
    return Contrast(
        name=name,
        one=one,
        other=other,
        mazes=found.clusters,
        difference=found.difference,
        interval=found.interval,
        better=found.better,
        worse=found.worse,
        majority_disagrees=found.majority_disagrees,
        test=kind,
        p_value=p_value,
    )
