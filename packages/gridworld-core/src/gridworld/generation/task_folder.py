"""A folder of generated tasks: one file per task, and a report; existing tasks are kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import attrs
import numpy as np

from gridworld.errors import ArgumentError, GridworldError
from gridworld.generation.canonical import canonical_form
from gridworld.generation.certificate import SOLVER, Origin, read_certificate
from gridworld.generation.making import Found, Job, Made
from gridworld.plugins import get_registry
from gridworld.plugins.registry import version_of
from gridworld.support.files import json_files, write_text
from gridworld.task.reading import is_task, load_json, read_task
from gridworld.task.writing import task_to_json
from gridworld.task_spec import Position, TaskSpecification

REPORT = "report.json"
"""File name of the report; it has no maze, so it is not mistaken for a task."""
REPORT_FIELDS = {"recipes", "asked", "made", "refused"}
"""Fields that identify a report."""


def find_made(folder: Path, jobs: Iterable[Job]) -> dict[Job, Made]:
    """Find the jobs whose tasks are already in a folder.

    Raises:
        ArgumentError: a task file belongs to none of the jobs, or the report is foreign.
        TaskFormatError: a task file cannot be read.
    """
    if (place := folder / REPORT).exists() and not set(load_json(place)) >= REPORT_FIELDS:
        raise ArgumentError(f"{place}: not a report of generated tasks; choose another folder")
    by_place = {(job.recipe.digest, job.number): job for job in jobs}
    found: dict[Job, list[TaskSpecification]] = {}
    for path in json_files(folder):
        data = load_json(path)
        if is_task(data):
            task = read_task(data, get_registry(), str(path)).task
            origin = _origin(task)
            job = None if origin is None else by_place.get((origin.recipe, origin.number))
            if origin is None or job is None:
                raise ArgumentError(f"{path}: this task does not belong to the recipe; choose another folder")
            if (read_certificate(task).solver, origin.version) != (SOLVER, version_of(origin.distribution)):
                raise ArgumentError(f"{path}: made by other versions of the toolkit; choose another folder")
            found.setdefault(job, []).append(task)
    made = {}
    for job, tasks in found.items():
        certificate = read_certificate(tasks[0])
        if certificate.generator is not None and len(tasks) == certificate.generator.tasks:
            made[job] = Made.of(job, tasks, certificate.refused)
    return made


def _origin(task: TaskSpecification) -> Origin | None:
    try:
        return read_certificate(task).generator
    except GridworldError:
        return None


def write_made(folder: Path, made: Made, before: Made | None = None) -> None:
    """Write the tasks of a job, each file atomically; raises OSError on failure.

    Args:
        folder: the folder.
        made: the tasks.
        before: the tasks of the job found in the folder, replaced if they differ.
    """
    if made == before:
        return
    for task in made.tasks:
        task_to_json(task, folder / f"{task.task_id}.json")
    for task in before.tasks if before else ():
        if task.task_id not in {each.task_id for each in made.tasks}:
            (folder / f"{task.task_id}.json").unlink(missing_ok=True)


def report(found: Sequence[Found]) -> dict[str, Any]:
    """Build a JSON-ready report on jobs: successes, rejected attempts by reason, and diversity of the tasks.

    The report never contains salts.
    """
    made = [each for each in found if isinstance(each, Made)]
    refused = sum((Counter(each.refused) for each in found), Counter[str]())
    recipes = dict.fromkeys(each.job.recipe for each in found)
    return {
        "recipes": [recipe.to_dict() for recipe in recipes],
        "asked": len(found),
        "made": len(made),
        "refused": dict(sorted(refused.items())),
        "acceptance": len(made) / (len(made) + refused.total()) if found else None,
        "diversity": attrs.asdict(measure_diversity([task for each in made for task in each.tasks])),
    }


def write_report(folder: Path, contents: dict[str, Any]) -> None:
    """Write a `report` to a folder; raises OSError on failure."""
    write_text(folder / REPORT, json.dumps(contents, indent=2) + "\n")


@attrs.frozen
class Spread:
    """Minimum, median and maximum of a list of numbers."""

    least: int
    median: float
    most: int


@attrs.frozen
class Diversity:
    """Measures of how much the tasks of a set differ."""

    tasks: int
    """Number of tasks."""

    forms: int
    """Number of different canonical forms (`gridworld.generation.canonical`)."""

    layouts: int
    """Number of different arrangements of walls and of mechanisms by type."""

    nearest_layout: float | None
    """Mean share of cells whose contents differ from the most similar other task of equal dimensions.

    Contents are wall, floor or mechanism type; None if no two tasks have equal dimensions.
    """

    lengths: dict[str, Spread]
    """Certified lengths of shortest plans, by tiling."""

    chains: dict[str, int]
    """Number of dependency chains by their kinds of steps, such as ``key-door, switch-gate``."""


def measure_diversity(tasks: Sequence[TaskSpecification]) -> Diversity:
    """Measure the diversity of certified tasks; raises GridworldError if one has no certificate."""
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
    """Return, for each task, the share of cells that differ from the most similar other task; dimensions must agree."""
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
    """Map each cell to its contents, a wall or a mechanism type; bare floor is omitted."""
    contents = dict.fromkeys(task.maze.wall_cells(), "wall")
    for name, specs in task.mechanisms.groups():
        for spec in specs:
            places = [each for each in attrs.asdict(spec, recurse=False).values() if isinstance(each, Position)]
            contents |= dict.fromkeys(places, name)
    return contents
