"""Metrics: numbers and words computed from recorded episodes.

Authors of metrics import from `multinet_eval`; the bundled metrics are in `multinet_eval.analysis.metrics.builtin`.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from multinet_eval.analysis.metrics.aggregation import (
        AMOUNT,
        MEAN,
        PER_SUCCESS,
        RATE,
        SCORE,
        SHARES,
        SHARES_OF_TASK,
        STEPS,
        TOTAL,
        Aggregation,
    )
    from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
    from multinet_eval.analysis.metrics.metric_type import Metric, WeightedMetric, metric, weighted_metric

__all__ = [
    "AMOUNT",
    "MEAN",
    "PER_SUCCESS",
    "RATE",
    "SCORE",
    "SHARES",
    "SHARES_OF_TASK",
    "STEPS",
    "TOTAL",
    "Aggregation",
    "EpisodeAnalysis",
    "Metric",
    "WeightedMetric",
    "metric",
    "weighted_metric",
]

NUMBERS = ("AMOUNT", "MEAN", "PER_SUCCESS", "RATE", "SCORE", "STEPS", "TOTAL")
WORDS = ("SHARES", "SHARES_OF_TASK")
TYPES = ("Metric", "WeightedMetric", "metric", "weighted_metric")

__getattr__ = names_from(
    __name__,
    {
        **dict.fromkeys((*NUMBERS, *WORDS, "Aggregation"), "aggregation"),
        **dict.fromkeys(TYPES, "metric_type"),
        "EpisodeAnalysis": "episode_analysis",
    },
)
