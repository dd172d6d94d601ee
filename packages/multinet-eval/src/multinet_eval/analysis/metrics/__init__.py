"""Metrics: numbers and words that recorded episodes are turned into, computed from recordings alone.

Authors of metrics import from here; the metrics of this distribution are in
`multinet_eval.analysis.metrics.builtin`.
"""

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
