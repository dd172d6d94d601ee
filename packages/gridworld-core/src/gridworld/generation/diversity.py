"""How different the tasks of a set are from each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import mean, median

import attrs
import numpy as np

from gridworld.generation.canonical import canonical_form
from gridworld.generation.certificate import read_certificate
from gridworld.task_spec import Position, TaskSpecification

__all__ = ["Diversity", "Spread", "measure_diversity"]


@attrs.frozen
class Spread:
    """The smallest, the middle and the largest of some numbers."""

    least: int
    median: float
    most: int


@attrs.frozen
class Diversity:
    """How different tasks are; each number says below how it is computed."""

    tasks: int
    """How many there are."""

    forms: int
    """How many of them are not alike (`gridworld.generation.canonical`)."""

    layouts: int
    """How many arrangements of walls and of things by their types there are."""

    nearest_layout: float | None
    """For each task, the share of cells that hold something else (wall, floor or a type of thing) than in that other
    task of its dimensions which is most like it; the mean over the tasks. None where no two have equal dimensions."""

    lengths: dict[str, Spread]
    """Tiling to the lengths of shortest plans, by the tasks' certificates."""

    chains: dict[str, int]
    """Each sequence of kinds of steps, such as ``key-door, switch-gate``, to how many dependency chains are of it."""


def measure_diversity(tasks: Sequence[TaskSpecification]) -> Diversity:
    """Measure certified tasks.

    Raises:
        GridworldError: a task has no certificate.
    """
    return Diversity(
        tasks=len(tasks),
        forms=len({canonical_form(task) for task in tasks}),
        layouts=len({(task.maze.dimensions, frozenset(_contents(task).items())) for task in tasks}),
        nearest_layout=_nearest_layout(tasks),
        lengths=_lengths(tasks),
        chains=dict(sorted(Counter(map(_chain, tasks)).items())),
    )


def _lengths(tasks: Iterable[TaskSpecification]) -> dict[str, Spread]:
    found: dict[str, list[int]] = {}
    for task in tasks:
        for tiling, length in read_certificate(task).optimal_length.items():
            found.setdefault(tiling, []).append(length)
    return {tiling: Spread(min(all_), median(all_), max(all_)) for tiling, all_ in found.items()}


def _chain(task: TaskSpecification) -> str:
    return ", ".join(step.type for step in task.dependency_chain.sequence) if task.dependency_chain else ""


def _nearest_layout(tasks: Iterable[TaskSpecification]) -> float | None:
    of_size: dict[tuple[int, int], list[TaskSpecification]] = {}
    for task in tasks:
        of_size.setdefault(task.maze.dimensions, []).append(task)
    nearest = [share for alike in of_size.values() if len(alike) > 1 for share in _least_differences(alike)]
    return mean(nearest) if nearest else None


def _least_differences(tasks: Sequence[TaskSpecification]) -> list[float]:
    """For each of some tasks of the same dimensions, the share of cells that differ from the most similar other."""
    contents = [_contents(task) for task in tasks]
    number_of = {
        what: number for number, what in enumerate(sorted({each for one in contents for each in one.values()}), 1)
    }
    cells = np.zeros((len(tasks), tasks[0].maze.height, tasks[0].maze.width), dtype=np.int16)
    for number, one in enumerate(contents):
        for position, what in one.items():
            cells[number, position.y, position.x] = number_of[what]
    flat = cells.reshape(len(tasks), -1)
    shares = []
    for number in range(len(tasks)):
        differing = (flat != flat[number]).mean(axis=1)
        differing[number] = np.inf
        shares.append(float(differing.min()))
    return shares


def _contents(task: TaskSpecification) -> dict[Position, str]:
    """Cell to what it holds: wall, or the type of a thing; nothing for bare floor."""
    contents = dict.fromkeys(task.maze.wall_cells(), "wall")
    for name, specs in task.mechanisms.groups():
        for spec in specs:
            places = [each for each in attrs.asdict(spec, recurse=False).values() if isinstance(each, Position)]
            contents |= dict.fromkeys(places, name)
    return contents
