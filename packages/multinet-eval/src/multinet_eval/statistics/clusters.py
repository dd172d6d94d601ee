"""Clusters: a suite is a sample of base mazes, so all episodes of one maze count as one observation."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping

import attrs

from gridworld.task_spec import TaskSpecification


@attrs.frozen
class Observation:
    """The score of one episode, with its cluster and cell."""

    cluster: str
    """Base maze; its variants, tilings and epochs are not independent observations of a model."""
    cell: Hashable
    """Variant of the maze; repetitions, and the counterpart in a compared run, share the cell."""
    score: float | None
    """The score; None if the episode ended with an infrastructure fault, or is unfinished."""


VARIANT = "variant"
"""Field of ``metadata`` that distinguishes the tasks of a matched set."""


def base_maze(task: TaskSpecification) -> str:
    """Return the base maze of a task: ``metadata.base_id``, or the task's own id."""
    return str(task.metadata.get("base_id", task.task_id))


def bases_by_id(tasks: Iterable[TaskSpecification]) -> dict[str, str]:
    """Return the base mazes by task id."""
    return {task.task_id: base_maze(task) for task in tasks}


def average(values: Iterable[float]) -> float:
    """Return the arithmetic mean of at least one value, exactly rounded and therefore independent of the order."""
    given = list(values)
    return math.fsum(given) / len(given)


def cluster_means(observations: Iterable[Observation]) -> dict[str, float]:
    """Return the mean score of each cluster, by name: the mean over its cells of the mean over their episodes.

    Missing scores, and clusters without a score, are ignored.
    """
    return {cluster: average(cells.values()) for cluster, cells in _cell_means(observations).items()}


def paired_differences(first: Iterable[Observation], second: Iterable[Observation]) -> dict[str, float]:
    """Return the mean difference, first minus second, of each cluster over the cells with both scores.

    Clusters without such a cell are ignored. Differences of scores in [0, 1] are in [-1, 1].
    """
    ours, theirs = _cell_means(first), _cell_means(second)
    common = {cluster: ours[cluster].keys() & theirs[cluster].keys() for cluster in sorted(ours.keys() & theirs.keys())}
    return {
        cluster: average(ours[cluster][cell] - theirs[cluster][cell] for cell in cells)
        for cluster, cells in common.items()
        if cells
    }


Cell = tuple[str, Hashable]
"""A cluster, and one of its cells."""
Pair = tuple[float, float]
"""Scores of two runs."""


def paired_cells(first: Iterable[Observation], second: Iterable[Observation]) -> dict[Cell, Pair]:
    """Return the mean scores of two runs in each cell with both scores."""
    ours, theirs = _cell_means(first), _cell_means(second)
    return {
        (cluster, cell): (score, theirs[cluster][cell])
        for cluster, cells in ours.items()
        for cell, score in cells.items()
        if cell in theirs.get(cluster, {})
    }


def paired_scores(cells: Mapping[Cell, Pair]) -> dict[str, Pair]:
    """Return the mean scores of two runs in each cluster: the means over its cells."""
    found: dict[str, list[Pair]] = {}
    for (cluster, _), pair in cells.items():
        found.setdefault(cluster, []).append(pair)
    return {
        cluster: (average(one for one, _ in pairs), average(two for _, two in pairs))
        for cluster, pairs in found.items()
    }


def with_missing(observations: Iterable[Observation], score: float) -> list[Observation]:
    """Replace missing scores, for instance with the lowest or the highest possible one.

    The two resulting estimates bound the result, whatever the missing scores would have been (Manski 1989).
    """
    return [attrs.evolve(each, score=score) if each.score is None else each for each in observations]


def scores_by_cell(observations: Iterable[Observation]) -> Mapping[str, Mapping[Hashable, list[float]]]:
    """Return the scores of each cell of each cluster, by name; empty cells are ignored."""
    scores: dict[str, dict[Hashable, list[float]]] = {}
    for each in observations:
        if each.score is not None:
            scores.setdefault(each.cluster, {}).setdefault(each.cell, []).append(each.score)
    return dict(sorted(scores.items()))


def _cell_means(observations: Iterable[Observation]) -> Mapping[str, Mapping[Hashable, float]]:
    """Return the mean score of each cell of each cluster, by name; empty cells are ignored."""
    return {
        cluster: {cell: average(scores) for cell, scores in cells.items()}
        for cluster, cells in scores_by_cell(observations).items()
    }
