"""Metrics of behaviour: routes, used mechanisms, answers and effort."""

from __future__ import annotations

from itertools import pairwise

from gridworld.model_interface import AnswerOutcome
from gridworld.solver.difficulty import count_revisits
from gridworld.task.routes import route_taken
from gridworld.task.validation import LABEL_DISTRACTOR
from multinet_eval.analysis.metrics.aggregation import (
    AMOUNT,
    PER_SUCCESS,
    RATE,
    SCORE,
    SHARES,
    SHARES_OF_TASK,
    STEPS,
    TOTAL,
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
def route_overlap(episode: EpisodeAnalysis) -> float | None:
    """Largest share of a declared route's cells that were visited, over the routes; in [0, 1].

    Undefined if `route` is.
    """
    if not episode.routes or episode.positions is None:
        return None
    visited = set(episode.positions)
    return max(len(visited.intersection(route.cells)) / len(route.cells) for route in episode.routes.values())


@metric(SHARES_OF_TASK)
def optimal_path(episode: EpisodeAnalysis) -> str | None:
    """Which of several shortest paths was walked: ``2 of 5``, or ``other`` for any other cells.

    A shortest path is the set of cells of a shortest plan; paths are numbered by their cells, so a number has a meaning
    only within a task on a tiling. Undefined for a task with a single shortest path, and if `optimal_overlap` is.
    """
    paths = episode.optimal_paths
    if paths is None or len(paths) < 2 or episode.cells is None:
        return None
    visited = frozenset(episode.cells)
    return f"{paths.index(visited) + 1} of {len(paths)}" if visited in paths else "other"


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


@metric(RATE)
def chain_kept(episode: EpisodeAnalysis) -> float | None:
    """1 if the elements used, in order of use, form a prefix of the task's dependency chain; otherwise 0.

    An element is used when it first takes part in an event. Undefined if the task has no chain, if none of its elements
    was used, or if the backend does not report events.
    """
    used = tuple(thing for thing in episode.uses or () if thing in episode.chain)
    return float(used == episode.chain[: len(used)]) if used else None


@metric(SCORE)
def chain_used(episode: EpisodeAnalysis) -> float | None:
    """Share of the elements of the task's dependency chain that were used, in [0, 1].

    Undefined for a task without a chain, and on a backend that does not report events.
    """
    chain = episode.chain
    if not chain or episode.uses is None:
        return None
    return sum(element in episode.uses for element in chain) / len(chain)


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


@metric(SCORE)
def no_effect_share(episode: EpisodeAnalysis) -> float | None:
    """Share of actions that changed nothing, such as bumps; in [0, 1].

    ``done`` is an action, but never counts as one that changed nothing, since its purpose is to wait. Undefined without
    an action, and on a backend that does not report events.
    """
    result = episode.result
    if result.ineffective_steps is None or not result.actions_taken:
        return None
    return result.ineffective_steps / result.actions_taken


@metric(SCORE)
def illegal_share(episode: EpisodeAnalysis) -> float | None:
    """Share of answers, repeated ones included, that are clear but not in the action space; in [0, 1].

    Undefined if there are no answers.
    """
    return _share(episode, AnswerOutcome.ILLEGAL)


@metric(SCORE)
def unparsable_share(episode: EpisodeAnalysis) -> float | None:
    """Share of answers, repeated ones included, that are not in the required format; in [0, 1].

    Empty and truncated replies are not included. Undefined if there are no answers.
    """
    return _share(episode, AnswerOutcome.UNPARSABLE)


@metric(SCORE)
def refused_share(episode: EpisodeAnalysis) -> float | None:
    """Share of answers, repeated ones included, by which the model or its server declined to answer; in [0, 1].

    Undefined if there are no answers.
    """
    return _share(episode, AnswerOutcome.REFUSED)


@metric(TOTAL)
def lost_steps(episode: EpisodeAnalysis) -> float:
    """Number of steps without a usable answer, summed over all episodes; 0 or more."""
    return float(episode.result.lost_steps)


def _share(episode: EpisodeAnalysis, outcome: AnswerOutcome) -> float | None:
    result = episode.result
    return result.outcomes[outcome] / result.requests_answered if result.requests_answered else None


@metric(STEPS)
def steps(episode: EpisodeAnalysis) -> float:
    """Number of budget steps that an episode used: actions and lost steps; 0 or more."""
    return float(episode.result.steps_taken)


@metric(AMOUNT)
def requests(episode: EpisodeAnalysis) -> float:
    """Number of answers of the model in an episode, repeated requests included; 0 or more.

    Requests that failed because no server answered are not counted.
    """
    return float(episode.result.requests_answered)


@metric(AMOUNT)
def tokens(episode: EpisodeAnalysis) -> float | None:
    """Number of tokens in the prompts and replies of an episode; 0 or more.

    Undefined if the server does not report both. Answers from a cache cost none.
    """
    usage = episode.result.usage
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return float(usage.prompt_tokens + usage.completion_tokens)


@metric(AMOUNT)
def seconds(episode: EpisodeAnalysis) -> float | None:
    """Total wall-clock time of the requests of an episode, in seconds; 0 or more.

    Undefined if it was not measured. Answers from a cache take none.
    """
    return episode.result.usage.seconds


@metric(AMOUNT)
def requests_per_step(episode: EpisodeAnalysis) -> float | None:
    """`requests` of an episode divided by its `steps`; 0 or more, below 1 if a reply holds several actions.

    Undefined for an episode without steps.
    """
    return _per_step(requests(episode), episode)


@metric(AMOUNT)
def tokens_per_step(episode: EpisodeAnalysis) -> float | None:
    """`tokens` of an episode divided by its `steps`; 0 or more. Undefined if either of them is undefined."""
    return _per_step(tokens(episode), episode)


@metric(AMOUNT)
def seconds_per_step(episode: EpisodeAnalysis) -> float | None:
    """`seconds` of an episode divided by its `steps`; 0 or more. Undefined if either of them is undefined."""
    return _per_step(seconds(episode), episode)


@metric(PER_SUCCESS)
def requests_per_success(episode: EpisodeAnalysis) -> float:
    """All `requests`, also of failed episodes, divided by the number of successes; 0 or more.

    Undefined without a success.
    """
    return requests(episode)


@metric(PER_SUCCESS)
def tokens_per_success(episode: EpisodeAnalysis) -> float | None:
    """All `tokens`, also of failed episodes, divided by the number of successes; 0 or more.

    Undefined without a success. Covers the episodes for which `tokens` is defined.
    """
    return tokens(episode)


@metric(PER_SUCCESS)
def seconds_per_success(episode: EpisodeAnalysis) -> float | None:
    """All `seconds`, also of failed episodes, divided by the number of successes; 0 or more.

    Undefined without a success. Covers the episodes for which `seconds` is defined.
    """
    return seconds(episode)


def _per_step(amount: float | None, episode: EpisodeAnalysis) -> float | None:
    taken = episode.result.steps_taken
    return None if amount is None or not taken else amount / taken
