"""Metrics of behaviour: routes, used mechanisms, answers and effort."""

from __future__ import annotations

from itertools import pairwise

from gridworld.solver.difficulty import count_revisits
from gridworld.task.routes import route_taken
from gridworld.task.validation import LABEL_DISTRACTOR
from multinet_eval.analysis.metrics.aggregation import (
    AMOUNT,
    PER_SUCCESS,
    SCORE,
    SHARES,
    STEPS,
)
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric


@metric(SHARES)
def route(episode: EpisodeAnalysis) -> str | None:
    """Name of the route taken, among those that the task declares (``metadata.routes``), or ``neither``.

    It is the first route whose last cell was entered. Undefined for a task without routes, and on a backend that is not
    built on the kernel.
    """
    if not episode.routes or episode.positions is None:
        return None
    return route_taken(episode.routes, episode.positions)


@metric(SCORE)
def optimal_overlap(episode: EpisodeAnalysis) -> float | None:
    """Number of cells both visited and on a shortest path, divided by those in either (Jaccard 1901); in (0, 1].

    The shortest path with the largest value counts. Undefined if d is unknown or infinite at the start, and for tasks
    with too many shortest paths to list.
    """
    paths = episode.optimal_paths
    if paths is None or episode.cells is None:
        return None
    visited = frozenset(episode.cells)
    return max(len(visited & path) / len(visited | path) for path in paths)


@metric(STEPS)
def revisits(episode: EpisodeAnalysis) -> float | None:
    """Number of moves into a cell visited before; 0 or more.

    Undefined on a backend that is not built on the kernel.
    """
    return None if episode.cells is None else float(count_revisits(episode.cells))


@metric(STEPS)
def loops(episode: EpisodeAnalysis) -> float | None:
    """Number of steps that lead back to an earlier state, such as the last of four turns; 0 or more.

    The state includes everything but the step count; steps that change nothing are not counted. Undefined on a backend
    that is not built on the kernel.
    """
    if episode.states is None:
        return None
    keys = [state.key for state in episode.states]
    met, loops = {keys[0]}, 0
    for before, after in pairwise(keys):
        loops += after != before and after in met
        met.add(after)
    return float(loops)


@metric(SHARES)
def mechanism_order(episode: EpisodeAnalysis) -> str | None:
    """Types of the mechanisms involved in events, ordered by their first participation: ``keys > doors``.

    Each mechanism contributes a word, so that types can repeat; ``nothing`` if there were none. Undefined on a backend
    that does not report events.
    """
    if episode.uses is None:
        return None
    types = {spec.id: name for name, specs in episode.task.mechanisms.groups() for spec in specs}
    return " > ".join(types[thing] for thing in episode.uses) or "nothing"


@metric(STEPS)
def distractor_interactions(episode: EpisodeAnalysis) -> float | None:
    """Number of steps with an event that involves a distractor of the task; 0 or more.

    Picking up, pushing and switching a distractor count, bumping into it does not. Undefined for a task without
    distractors, not counting labels of whole branches, and on a backend that does not report events.
    """
    distractors = {each.element_id for each in episode.task.distractors if each.type != LABEL_DISTRACTOR}
    if not distractors or not episode.header.reports_events:
        return None
    return float(sum(any(event.involves in distractors for event in step.events) for step in episode.taken))


@metric(STEPS)
def steps(episode: EpisodeAnalysis) -> float:
    """Number of budget steps that an episode used: actions and lost steps; 0 or more."""
    return float(episode.result.steps_taken)


@metric(AMOUNT)
def answered(episode: EpisodeAnalysis) -> float:
    """Number of answers of the model in an episode, those to repeated requests included; 0 or more.

    Requests that failed because no server answered are not counted.
    """
    return float(episode.result.answered)


@metric(AMOUNT)
def tokens(episode: EpisodeAnalysis) -> float | None:
    """Number of tokens in the prompts and replies of an episode; 0 or more.

    Undefined if the server does not report both. Answers from a cache cost none.
    """
    usage = episode.result.usage
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return float(usage.prompt_tokens + usage.completion_tokens)


@metric(PER_SUCCESS)
def tokens_per_success(episode: EpisodeAnalysis) -> float | None:
    """All `tokens`, also of failed episodes, divided by the number of successes; 0 or more.

    Undefined without a success. Covers the episodes for which `tokens` is defined.
    """
    return tokens(episode)
