"""What answers were worth."""

from __future__ import annotations

from gridworld.model_interface import AnswerOutcome
from multinet_eval.analysis.metrics.aggregation import SCORE, TOTAL
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric

__all__ = ["illegal_share", "lost_steps", "no_effect_share", "refused_share", "unparsable_share"]


@metric(SCORE)
def no_effect_share(episode: EpisodeAnalysis) -> float | None:
    """The share of actions that changed nothing, such as bumps; in [0, 1].

    ``done`` is among the actions, and not among those that changed nothing: it waits, which is what it is for.
    Not defined without an action, and on a backend that does not report what happens.
    """
    result = episode.result
    if result.ineffective_steps is None or not result.actions_taken:
        return None
    return result.ineffective_steps / result.actions_taken


@metric(SCORE)
def illegal_share(episode: EpisodeAnalysis) -> float | None:
    """The share of answers, repeated ones included, that are clear and not in the action space; in [0, 1].

    Not defined where nobody has answered.
    """
    return _share(episode, AnswerOutcome.ILLEGAL)


@metric(SCORE)
def unparsable_share(episode: EpisodeAnalysis) -> float | None:
    """The share of answers, repeated ones included, that are not in the form that was asked for; in [0, 1].

    Empty replies, and those that were cut off, are not among them. Not defined where nobody has answered.
    """
    return _share(episode, AnswerOutcome.UNPARSABLE)


@metric(SCORE)
def refused_share(episode: EpisodeAnalysis) -> float | None:
    """The share of answers, repeated ones included, by which the model or its server declined to answer; in [0, 1].

    Not defined where nobody has answered.
    """
    return _share(episode, AnswerOutcome.REFUSED)


@metric(TOTAL)
def lost_steps(episode: EpisodeAnalysis) -> float:
    """The number of steps to which there was no usable answer; 0 or more, in all episodes together."""
    return float(episode.result.lost_steps)


def _share(episode: EpisodeAnalysis, outcome: AnswerOutcome) -> float | None:
    result = episode.result
    return result.outcomes[outcome] / result.requests_answered if result.requests_answered else None
