"""Metrics of success, progress, and deviations from optimal play.

d(s) is the fewest actions to success from a state for an agent that knows the whole task. Under partial views the model
is thus compared with an agent that knows what the model was not shown.
"""

from __future__ import annotations

import math

from multinet_eval.analysis.metrics.aggregation import RATE, SCORE, SHARES, STEPS
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric
from multinet_eval.analysis.mistakes.episode_mistakes import ending_of


@metric(RATE)
def success(episode: EpisodeAnalysis) -> float:
    """1 for an episode that reached the goal of its task, otherwise 0."""
    return float(episode.result.success)


@metric(SCORE)
def spl(episode: EpisodeAnalysis) -> float | None:
    """Success weighted by path length (Anderson et al. 2018): l / p for a success, 0 for a failure; in [0, 1].

    l is the length of a shortest plan, p the used steps of the budget, including lost ones. Undefined if l is unknown.
    """
    return episode.result.spl  # computed in `record/task_result.py`


@metric(SCORE)
def optimality_ratio(episode: EpisodeAnalysis) -> float | None:
    """Length of a shortest plan divided by the number of steps used, for a success; in (0, 1].

    Undefined for a failure, and if no shortest plan is known.
    """
    return episode.result.optimality_ratio  # computed in `record/task_result.py`


@metric(SHARES, scored_only=False)
def ended(episode: EpisodeAnalysis) -> str:
    """How an episode ended, as one word; shares refer to all ended episodes, whether scored or not.

    Of several that apply, the first. *solved*; *died*; *lost*: success had become impossible whatever the budget,
    d = ∞; *unanswered*: more than half of the steps had no action, or the episode ended for lack of a usable answer;
    *stopped*: the model had no more actions, or a fault of the infrastructure or a plugin ended the episode;
    *circling*: d reached no new minimum in the last third of the steps, and the agent entered a state three times by
    moves since the last one; *stuck*: no new minimum in the last third; *out of steps*: the budget was used up while
    the agent came nearer; *unknown*: d is unknown.
    """
    return ending_of(episode).value


@metric(SCORE)
def progress_best(episode: EpisodeAnalysis) -> float | None:
    """1 - min d / d₀ over all moments of an episode, in [0, 1]: 1 for a success, 0 if it never came nearer.

    d₀ = d(s₀) is the fewest actions to success from the start. Undefined if `regret_total` is.
    """
    distances = episode.distances
    return None if distances is None else 1 - min(distances) / distances[0]


@metric(STEPS)
def regret_total(episode: EpisodeAnalysis) -> float | None:
    """Sum of 1 + d(s') - d(s) over the actions of an episode from s to s' with both finite; 0 or more, in actions.

    For a success without lost steps it is the length of the episode minus that of a shortest plan. An action to d = ∞
    has no regret: it is a `loss`, which is always reported with it, since an early death keeps regret low. Under
    partial views, d assumes an agent that knows everything, so what a model was not shown counts against it. Undefined
    if d(s₀) is 0 or ∞, for goals such as survive_steps, and if d is unknown.
    """
    if episode.regrets is None:
        return None
    steps = zip(episode.taken, episode.regrets, strict=True)
    return math.fsum(regret for step, regret in steps if step.action is not None and regret is not None)


@metric(RATE)
def loss(episode: EpisodeAnalysis) -> float | None:
    """1 if an action made success impossible, changing d from finite to ∞; otherwise 0.

    Examples are death and a push into a corner. An episode has at most one such action. Undefined if `regret_total` is.
    """
    return None if episode.distances is None else float(episode.structural_no_return is not None)


@metric(STEPS)
def structural_no_return(episode: EpisodeAnalysis) -> float | None:
    """Structural point of no return: the number of the first step after which d = ∞; 1 or more.

    Undefined for episodes without one, such as all successes, and if `regret_total` is.
    """
    return episode.structural_no_return
