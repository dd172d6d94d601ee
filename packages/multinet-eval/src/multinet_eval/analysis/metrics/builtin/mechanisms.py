"""Which things were used, and in which order."""

from __future__ import annotations

from gridworld.task.validation import LABEL_DISTRACTOR
from multinet_eval.analysis.metrics.aggregation import AMOUNT, RATE, SCORE, SHARES
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric

__all__ = ["chain_kept", "chain_used", "distractor_interactions", "mechanism_order"]


@metric(RATE)
def chain_kept(episode: EpisodeAnalysis) -> float | None:
    """1 if the elements of the task's dependency chain that were used are the first of it, in its order; otherwise 0.

    The order is that in which each first took part in anything. Not defined for a task without a chain, where none of
    its elements was used, and on a backend that does not report what happens.
    """
    used = tuple(thing for thing in episode.uses or () if thing in episode.chain)
    return float(used == episode.chain[: len(used)]) if used else None


@metric(SCORE)
def chain_used(episode: EpisodeAnalysis) -> float | None:
    """The share of the elements of the task's dependency chain that were used, in [0, 1].

    Not defined for a task without a chain, and on a backend that does not report what happens.
    """
    chain = episode.chain
    if not chain or episode.uses is None:
        return None
    return sum(element in episode.uses for element in chain) / len(chain)


@metric(SHARES)
def mechanism_order(episode: EpisodeAnalysis) -> str | None:
    """The types of the things that took part in anything, in the order in which each first did: ``keys > doors``.

    Two things of a type are two words; ``nothing`` where there were none. Not defined on a backend that does not report
    what happens.
    """
    if episode.uses is None:
        return None
    types = {spec.id: name for name, specs in episode.task.mechanisms.groups() for spec in specs}
    return " > ".join(types[thing] for thing in episode.uses) or "nothing"


@metric(AMOUNT)
def distractor_interactions(episode: EpisodeAnalysis) -> float | None:
    """The number of steps in which a distractor of the task took part in anything; 0 or more.

    Such as one that is picked up, pushed or switched; a bump is none. Not defined for a task without distractors, but
    for labels of whole branches, and on a backend that does not report what happens.
    """
    distractors = {each.element_id for each in episode.task.distractors if each.type != LABEL_DISTRACTOR}
    if not distractors or not episode.header.reports_events:
        return None
    return float(sum(any(event.involves in distractors for event in step.events) for step in episode.taken))
