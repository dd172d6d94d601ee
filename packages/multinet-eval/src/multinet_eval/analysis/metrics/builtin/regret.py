"""What actions cost that were not optimal, and those after which a task cannot be won.

With d(s) the fewest actions to success from a state. It is that of an agent that knows the whole task, so under partial
views a model is held against somebody who knows what it was not shown.
"""

from __future__ import annotations

import math

from multinet_eval.analysis.metrics.aggregation import AMOUNT, RATE
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric

__all__ = ["budget_no_return", "loss", "regret_mean", "regret_total", "structural_no_return"]


@metric(AMOUNT)
def regret_total(episode: EpisodeAnalysis) -> float | None:
    """The sum of 1 + d(s') - d(s) over the actions of an episode from s to s' with both finite; 0 or more, in actions.

    Of a success without lost steps it is the length of the episode minus that of a shortest plan. An action to d = ∞
    has no regret: it is a `loss`. Under partial views d is that of an agent that knows everything, so what a model was
    not shown counts against it. Not defined where d(s₀) is 0 or ∞, for goals such as survive_steps, and where d is not
    known.
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


@metric(AMOUNT)
def structural_no_return(episode: EpisodeAnalysis) -> float | None:
    """The structural point of no return: the number of the first step after which d = ∞; 1 or more.

    Not defined for episodes without one, as all successes are, and where `regret_total` is not.
    """
    return episode.structural_no_return


@metric(AMOUNT)
def budget_no_return(episode: EpisodeAnalysis) -> float | None:
    """The budget's point of no return: the number of the first step after which d > b; 0 or more.

    b is what is left of the budget of steps, which lost steps use up, too; 0 is the start, where the budget never
    sufficed. It never comes after the structural one. Not defined for episodes without one, as all successes are, and
    where `regret_total` is not.
    """
    return episode.budget_no_return
