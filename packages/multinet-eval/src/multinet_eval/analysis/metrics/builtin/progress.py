"""How near to success episodes came."""

from __future__ import annotations

from multinet_eval.analysis.metrics.aggregation import SCORE
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric

__all__ = ["progress_best", "progress_final"]


@metric(SCORE)
def progress_best(episode: EpisodeAnalysis) -> float | None:
    """1 - min d / d₀ over all moments of an episode, in [0, 1]: 1 for a success, 0 if it never came nearer.

    d₀ = d(s₀) is the fewest actions to success from the start. Not defined where `regret_total` is not.
    """
    distances = episode.distances
    return None if distances is None else 1 - min(distances) / distances[0]


@metric(SCORE)
def progress_final(episode: EpisodeAnalysis) -> float | None:
    """max(0, 1 - d / d₀) at the end of an episode, in [0, 1]; 0 after a loss.

    Not defined where `regret_total` is not.
    """
    distances = episode.distances
    return None if distances is None else max(0.0, 1 - distances[-1] / distances[0])
