"""Scores by which runs are compared and ranked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.wording import listed
from multinet_eval.analysis.recorded_run import PlayedEpisode, RecordedRun
from multinet_eval.record.task_result import TaskResult

if TYPE_CHECKING:
    from multinet_eval.analysis.metrics.metric_type import Metric, WeightsFile


DEFAULT_SCORE = "success"
"""Default score."""


@attrs.frozen
class Score:
    """A score of episodes, in [0, 1]."""

    of: Callable[[PlayedEpisode, TaskResult], float | None]
    """Returns an episode's score from its result; None if unknown."""
    metrics: Mapping[str, Metric[Any]] = attrs.field(factory=dict)
    """The metric behind the score, by name; empty for a score already in the results."""

    @property
    def weights(self) -> WeightsFile | None:
        """File with the score's weights; None for a score without weights."""
        return next((metric.weights for metric in self.metrics.values()), None)

    def measured(self, runs: Sequence[RecordedRun]) -> Sequence[RecordedRun]:
        """Return the runs with the metric values that the score needs; raises as `RecordedRun.measured` does."""
        return [run.measured(self.metrics) for run in runs] if self.metrics else runs


SCORES: Mapping[str, Score] = {
    DEFAULT_SCORE: Score(lambda _, result: float(result.success)),
    "spl": Score(lambda _, result: result.spl),
}
"""The built-in scores: success, and success weighted by path length (Anderson et al. 2018), which is 0 for a failure.
"""


def find_score(name: str, weights: Path | None = None) -> Score:
    """Find a score by name: one of `SCORES`, or a metric with values from 0 to 1.

    Args:
        name: the name.
        weights: a TOML file with the weights of the metric.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the metric.
        ArgumentError: the metric's values are unbounded, words or sums, or the weights are invalid.
        PluginFault: the metric cannot be imported or is invalid.
    """
    from multinet_eval.analysis.metrics.aggregation import Bounded
    from multinet_eval.analysis.metrics.measuring import load_metrics

    if name in SCORES and weights is None:
        return SCORES[name]
    metrics = load_metrics([name], weights)
    if not isinstance(metrics[name].aggregation, Bounded):
        known = listed([*SCORES], "or")
        raise ArgumentError(
            f"metric '{name}' is not a score: expected {known}, or a metric of rates, or of scores from 0 to 1"
        )

    def value(episode: PlayedEpisode, _: TaskResult) -> float | None:
        found = episode.values.get(name)
        return None if found is None else float(found)

    return Score(value, metrics)
