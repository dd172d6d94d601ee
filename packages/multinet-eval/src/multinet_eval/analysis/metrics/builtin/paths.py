"""Which way was taken, and how straight it was."""

from __future__ import annotations

from itertools import pairwise

from gridworld.solver.difficulty import count_revisits
from gridworld.task.routes import route_taken
from multinet_eval.analysis.metrics.aggregation import AMOUNT, SCORE, SHARES, SHARES_OF_TASK
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric

__all__ = ["loops", "optimal_overlap", "optimal_path", "revisits", "route", "route_overlap"]


@metric(SHARES)
def route(episode: EpisodeAnalysis) -> str | None:
    """The name of the route that was taken, of those that the task names (``metadata.routes``), or ``neither``.

    It is the first whose last cell was entered. Not defined for a task that names none, and on a backend that is not
    built on the kernel.
    """
    if not episode.routes or episode.positions is None:
        return None
    return route_taken(episode.routes, episode.positions)


@metric(SCORE)
def route_overlap(episode: EpisodeAnalysis) -> float | None:
    """The share of a named route's cells that were visited, of the route of which it is largest; in [0, 1].

    Not defined where `route` is not.
    """
    if not episode.routes or episode.positions is None:
        return None
    visited = set(episode.positions)
    return max(len(visited.intersection(route.cells)) / len(route.cells) for route in episode.routes.values())


@metric(SHARES_OF_TASK)
def optimal_path(episode: EpisodeAnalysis) -> str | None:
    """Which of several shortest paths was walked: ``2 of 5``, or ``other`` for any other cells.

    A shortest path is the set of cells of a shortest plan; they are numbered by their cells, so that a number means
    something within a task on a tiling alone. Not defined for a task with a single one, and where `optimal_overlap` is
    not.
    """
    paths = episode.optimal_paths
    if paths is None or len(paths) < 2 or episode.cells is None:
        return None
    visited = frozenset(episode.cells)
    return f"{paths.index(visited) + 1} of {len(paths)}" if visited in paths else "other"


@metric(SCORE)
def optimal_overlap(episode: EpisodeAnalysis) -> float | None:
    """The cells both visited and on a shortest path, divided by those in either (Jaccard 1901); in (0, 1].

    Of the shortest path for which it is largest. Not defined where d is not known or infinite at the start, and
    for tasks with too many shortest paths to be told apart.
    """
    paths = episode.optimal_paths
    if paths is None or episode.cells is None:
        return None
    visited = frozenset(episode.cells)
    return max(len(visited & path) / len(visited | path) for path in paths)


@metric(AMOUNT)
def revisits(episode: EpisodeAnalysis) -> float | None:
    """The number of moves that enter a cell where the agent has been before; 0 or more.

    Not defined on a backend that is not built on the kernel.
    """
    return None if episode.cells is None else float(count_revisits(episode.cells))


@metric(AMOUNT)
def loops(episode: EpisodeAnalysis) -> float | None:
    """The number of steps that lead back to an earlier state, such as the last of four turns; 0 or more.

    A state is everything but the number of steps; steps that change nothing are not counted. Not defined on a backend
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
