"""Whether episodes were won, how well, and how they ended."""

from __future__ import annotations

import math
from collections.abc import Mapping

from gridworld.runner.record import EndReason
from multinet_eval.analysis.metrics.aggregation import RATE, SCORE, SHARES
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric

__all__ = ["ended", "optimality_ratio", "spl", "success"]


@metric(RATE)
def success(episode: EpisodeAnalysis) -> float:
    """1 for an episode that reached the goal of its task, otherwise 0."""
    return float(episode.result.success)


@metric(SCORE)
def spl(episode: EpisodeAnalysis) -> float | None:
    """Success weighted by path length (Anderson et al. 2018): l / p of a success, 0 of a failure; in [0, 1].

    l is the length of a shortest plan, p the steps of the budget that were used, lost ones among them. Not defined
    where l is not known.
    """
    return episode.result.spl


@metric(SCORE)
def optimality_ratio(episode: EpisodeAnalysis) -> float | None:
    """The length of a shortest plan divided by the steps that were used, of a success; in (0, 1].

    Not defined for a failure, and where no shortest plan is known.
    """
    return episode.result.optimality_ratio


CERTAIN: Mapping[EndReason, str] = {
    EndReason.GOAL: "goal",
    EndReason.DEATH: "hazard",
    EndReason.INFRASTRUCTURE: "infrastructure",
    EndReason.PLUGIN: "infrastructure",
}


@metric(SHARES, scored_only=False)
def ended(episode: EpisodeAnalysis) -> str:
    """How an episode ended, in a word; the share of each is that of all episodes that ended, scored or not.

    *goal*: the goal was reached; *hazard*: the agent died; *dead end*: the budget was used up, or nothing was done any
    more, where there was no way to success, d = ∞; *budget*: it was used up where there was a way, or where d is not
    known; *stopped*: there was no action any more, or no usable answer, before that; *infrastructure*: no answer could
    be had from the model, or a plugin failed.
    """
    reason = episode.end.reason
    if reason in CERTAIN:
        return CERTAIN[reason]
    if episode.distances is not None and episode.distances[-1] == math.inf:
        return "dead end"
    return "budget" if reason is EndReason.BUDGET else "stopped"
