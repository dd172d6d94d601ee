"""Clusters: a suite samples base mazes, so all that is played of one maze counts as one observation."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping

import attrs

from gridworld.task_spec import TaskSpecification


@attrs.frozen
class Observation:
    """The score of one episode, and what it belongs to."""

    cluster: str
    """The base maze, whose variants, tilings and epochs are no independent observations of a model."""
    cell: Hashable
    """Which of the things that are played of the maze: its repetitions have the same cell, and so has its counterpart
    in a run that is compared."""
    score: float | None
    """None where it is missing: the episode ended by an infrastructure fault, or was not played to its end."""


def base_maze(task: TaskSpecification) -> str:
    """The name of the maze that a task is a variant of: ``metadata.base_id``, or the id of a task that has none."""
    return str(task.metadata.get("base_id", task.task_id))


def bases_by_id(tasks: Iterable[TaskSpecification]) -> dict[str, str]:
    """The id of each task to its base maze."""
    return {task.task_id: base_maze(task) for task in tasks}


def average(values: Iterable[float]) -> float:
    """The arithmetic mean of at least one value; exactly rounded sums make it the same in every order."""
    given = list(values)
    return math.fsum(given) / len(given)


def cluster_means(observations: Iterable[Observation]) -> dict[str, float]:
    """Cluster to its mean score, by name: the mean over its cells of the mean over their episodes.

    Missing scores are left out, and so is a cluster that has no other.
    """
    return {cluster: average(cells.values()) for cluster, cells in _cell_means(observations).items()}


def cluster_plays(observations: Iterable[Observation]) -> dict[str, float]:
    """Cluster to the number of plays with a score that its mean is worth, in the order of `cluster_means`.

    That of plays that count the same; where cells have more plays than others, these count less, so that they are worth
    fewer than there are: 1 / Σ w² for weights w that sum to 1 (Kish 1965).
    """
    return {
        cluster: len(cells) ** 2 / math.fsum(1 / len(scores) for scores in cells.values())
        for cluster, cells in _cells(observations).items()
    }


def paired_differences(first: Iterable[Observation], second: Iterable[Observation]) -> dict[str, float]:
    """Cluster to the mean, over the cells that have a score in both, of the first's mean score minus the second's.

    A cluster without such a cell is left out. Of scores in [0, 1], differences are in [-1, 1].
    """
    ours, theirs = _cell_means(first), _cell_means(second)
    common = {cluster: ours[cluster].keys() & theirs[cluster].keys() for cluster in sorted(ours.keys() & theirs.keys())}
    return {
        cluster: average(ours[cluster][cell] - theirs[cluster][cell] for cell in cells)
        for cluster, cells in common.items()
        if cells
    }


def with_missing(observations: Iterable[Observation], score: float) -> list[Observation]:
    """Put a score in place of each that is missing, such as the lowest or the highest there is.

    With both in turn, an estimate is bounded whatever the missing episodes would have come to (Manski 1989).
    """
    return [attrs.evolve(each, score=score) if each.score is None else each for each in observations]


def _cell_means(observations: Iterable[Observation]) -> Mapping[str, Mapping[Hashable, float]]:
    """Cluster, by name, to cell to the mean of its scores; those without any are left out."""
    return {
        cluster: {cell: average(scores) for cell, scores in cells.items()}
        for cluster, cells in _cells(observations).items()
    }


def _cells(observations: Iterable[Observation]) -> Mapping[str, Mapping[Hashable, list[float]]]:
    """Cluster, by name, to cell to its scores; those without any are left out."""
    scores: dict[str, dict[Hashable, list[float]]] = {}
    for each in observations:
        if each.score is not None:
            scores.setdefault(each.cluster, {}).setdefault(each.cell, []).append(each.score)
    return dict(sorted(scores.items()))
