"""Metrics: what recorded episodes are turned into, computed from recordings alone.

What the author of a metric imports is here; the metrics of this distribution are in `multinet_eval.metrics.builtin`.
"""

from multinet_eval.metrics.aggregation import MEAN, PER_SUCCESS, RATE, SCORE, SHARES, SHARES_OF_TASK, TOTAL, Aggregation
from multinet_eval.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.metrics.metric import Metric, metric

__all__ = [
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
    "metric",
]
