"""Whether episodes were won, how near they came, and which actions were not optimal.

With d(s) the fewest actions to success from a state. It is that of an agent that knows the whole task, so under partial
views a model is held against somebody who knows what it was not shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from gridworld.runner.record import EndReason
from multinet_eval.analysis.metrics.aggregation import AMOUNT, RATE, SCORE, SHARES, STEPS
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric


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


@metric(STEPS)
def regret_total(episode: EpisodeAnalysis) -> float | None:
    """The sum of 1 + d(s') - d(s) over the actions of an episode from s to s' with both finite; 0 or more, in actions.

    Of a success without lost steps it is the length of the episode minus that of a shortest plan. An action to d = ∞
    has no regret: it is a `loss`, which always stands beside it, since an early death leaves regret low. Under partial
    views d is that of an agent that knows everything, so what a model was not shown counts against it. Not defined
    where d(s₀) is 0 or ∞, for goals such as survive_steps, and where d is not known.
    """
    return None if episode.regrets is None else math.fsum(episode.regrets)


@metric(AMOUNT)
def regret_mean(episode: EpisodeAnalysis) -> float | None:
    """The mean of 1 + d(s') - d(s) over the actions of an episode that have a regret (`regret_total`); 0 or more.

    0 for an optimal action, and 1 for one without effect where nothing moves by itself. Not defined where
    `regret_total` is not, and without any such action.
    """
    return math.fsum(episode.regrets) / len(episode.regrets) if episode.regrets else None


@metric(RATE)
def loss(episode: EpisodeAnalysis) -> float | None:
    """1 if an action led from a state with a way to success to one without, d from finite to ∞; otherwise 0.

    Death is such an action, and so is a push into a corner. After it there is no second one. Not defined where
    `regret_total` is not.
    """
    return None if episode.distances is None else float(episode.structural_no_return is not None)


@metric(STEPS)
def structural_no_return(episode: EpisodeAnalysis) -> float | None:
    """The structural point of no return: the number of the first step after which d = ∞; 1 or more.

    Not defined for episodes without one, as all successes are, and where `regret_total` is not.
    """
    return episode.structural_no_return


@metric(STEPS)
def budget_no_return(episode: EpisodeAnalysis) -> float | None:
    """The budget's point of no return: the number of the first step after which d > b; 0 or more.

    b is what is left of the budget of steps, which lost steps use up, too; 0 is the start, where the budget never
    sufficed. It never comes after the structural one. Not defined for episodes without one, as all successes are, and
    where `regret_total` is not.
    """
    return episode.budget_no_return
