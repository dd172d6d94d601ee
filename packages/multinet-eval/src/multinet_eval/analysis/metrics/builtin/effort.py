"""What episodes took: steps, requests, tokens and seconds, by episode, by step and by success."""

from __future__ import annotations

from multinet_eval.analysis.metrics.aggregation import AMOUNT, PER_SUCCESS
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric

__all__ = [
    "requests",
    "requests_per_step",
    "requests_per_success",
    "seconds",
    "seconds_per_step",
    "seconds_per_success",
    "steps",
    "tokens",
    "tokens_per_step",
    "tokens_per_success",
]


@metric(AMOUNT)
def steps(episode: EpisodeAnalysis) -> float:
    """The steps of the budget that an episode used: actions, and lost steps; 0 or more."""
    return float(episode.result.steps_taken)


@metric(AMOUNT)
def requests(episode: EpisodeAnalysis) -> float:
    """How often the model answered in an episode, repeated requests included; 0 or more.

    Requests that failed for want of a server are not counted.
    """
    return float(episode.result.requests_answered)


@metric(AMOUNT)
def tokens(episode: EpisodeAnalysis) -> float | None:
    """The tokens of the prompts and replies of an episode together; 0 or more.

    Not defined where the server does not say both. Answers from a cache cost none.
    """
    usage = episode.result.usage
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return float(usage.prompt_tokens + usage.completion_tokens)


@metric(AMOUNT)
def seconds(episode: EpisodeAnalysis) -> float | None:
    """How long the requests of an episode took together, in seconds of wall-clock time; 0 or more.

    Not defined where that was not measured. Answers from a cache take none.
    """
    return episode.result.usage.seconds


@metric(AMOUNT)
def requests_per_step(episode: EpisodeAnalysis) -> float | None:
    """`requests` of an episode divided by its `steps`; 0 or more, below 1 where a reply holds several actions.

    Not defined for an episode without steps.
    """
    return _per_step(requests(episode), episode)


@metric(AMOUNT)
def tokens_per_step(episode: EpisodeAnalysis) -> float | None:
    """`tokens` of an episode divided by its `steps`; 0 or more. Not defined where one of the two is not."""
    return _per_step(tokens(episode), episode)


@metric(AMOUNT)
def seconds_per_step(episode: EpisodeAnalysis) -> float | None:
    """`seconds` of an episode divided by its `steps`; 0 or more. Not defined where one of the two is not."""
    return _per_step(seconds(episode), episode)


@metric(PER_SUCCESS)
def requests_per_success(episode: EpisodeAnalysis) -> float:
    """All `requests`, those of failed episodes too, divided by the number of successes; 0 or more.

    None without a success.
    """
    return requests(episode)


@metric(PER_SUCCESS)
def tokens_per_success(episode: EpisodeAnalysis) -> float | None:
    """All `tokens`, those of failed episodes too, divided by the number of successes; 0 or more.

    None without a success. Over the episodes for which `tokens` is defined.
    """
    return tokens(episode)


@metric(PER_SUCCESS)
def seconds_per_success(episode: EpisodeAnalysis) -> float | None:
    """All `seconds`, those of failed episodes too, divided by the number of successes; 0 or more.

    None without a success. Over the episodes for which `seconds` is defined.
    """
    return seconds(episode)


def _per_step(amount: float | None, episode: EpisodeAnalysis) -> float | None:
    taken = episode.result.steps_taken
    return None if amount is None or not taken else amount / taken
