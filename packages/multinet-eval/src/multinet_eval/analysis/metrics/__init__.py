"""Metrics: what recorded episodes are turned into, computed from recordings alone.

Authors of metrics import from here; the metrics of this distribution are in
`multinet_eval.analysis.metrics.builtin`.
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
    "TOTAL",
    "Aggregation",
    "EpisodeAnalysis",
    "Metric",
    "WeightedMetric",
    "metric",
    "weighted_metric",
]

MODULES = {
    "AMOUNT": "aggregation",
    "MEAN": "aggregation",
    "PER_SUCCESS": "aggregation",
    "RATE": "aggregation",
    "SCORE": "aggregation",
    "SHARES": "aggregation",
    "SHARES_OF_TASK": "aggregation",
    "TOTAL": "aggregation",
    "Aggregation": "aggregation",
    "EpisodeAnalysis": "episode_analysis",
    "Metric": "metric_type",
    "metric": "metric_type",
    "WeightedMetric": "metric_type",
    "weighted_metric": "metric_type",
}

__getattr__ = names_from(__name__, MODULES)
