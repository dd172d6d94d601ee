"""A folder of generated tasks: one file each, and a report. What is there already is not made again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import ArgumentError, GridworldError
from gridworld.generation.certificate import SOLVER, Origin, read_certificate
from gridworld.generation.diversity import measure_diversity
from gridworld.generation.making import Found, Job, Made
from gridworld.plugins import get_registry
from gridworld.support.files import json_files, write_text
from gridworld.task.reading import is_task, load_json, read_task
from gridworld.task.writing import task_to_json
from gridworld.task_spec import TaskSpecification

__all__ = ["REPORT", "find_made", "report", "write_made", "write_report"]

REPORT = "report.json"
"""The name of the report's file; it has no maze, so it is not taken for a task."""
REPORT_FIELDS = {"recipes", "asked", "made", "refused"}
"""By which it is known."""


def find_made(folder: Path, jobs: Iterable[Job]) -> dict[Job, Made]:
    """The jobs whose tasks lie in a folder already.

    Raises:
        ArgumentError: there are task files that belong to none of the jobs, or a report of something else.
        TaskFormatError: there is one that cannot be read.
    """
    _refuse_foreign_report(folder / REPORT)
    by_place = {(job.recipe.digest, job.number): job for job in jobs}
    found: dict[Job, list[TaskSpecification]] = {}
    for path in json_files(folder):
        data = load_json(path)
        if is_task(data):
            task = read_task(data, get_registry(), str(path)).task
            origin = _origin(task)
            job = None if origin is None else by_place.get((origin.recipe, origin.number))
            if origin is None or job is None:
                raise ArgumentError(f"{path}: a task that is not of this recipe; choose another folder")
            if _versions(task, origin) != (SOLVER, version(origin.distribution)):
                raise ArgumentError(f"{path}: made by other versions of the toolkit; choose another folder")
            found.setdefault(job, []).append(task)
    return {job: _made(job, tasks) for job, tasks in found.items() if _is_whole(tasks)}


def _refuse_foreign_report(path: Path) -> None:
    if path.exists() and not set(load_json(path)) >= REPORT_FIELDS:
        raise ArgumentError(f"{path}: no report of generated tasks, and would be replaced; choose another folder")


def _origin(task: TaskSpecification) -> Origin | None:
    try:
        return read_certificate(task).generator
    except GridworldError:
        return None


def _versions(task: TaskSpecification, origin: Origin) -> tuple[str, str]:
    return (read_certificate(task).solver, origin.version)


def _is_whole(tasks: Sequence[TaskSpecification]) -> bool:
    origin = _origin(tasks[0])
    return origin is not None and len(tasks) == origin.tasks


def _made(job: Job, tasks: Sequence[TaskSpecification]) -> Made:
    return Made.of(job, tasks, read_certificate(tasks[0]).refused)


def write_made(folder: Path, made: Made, before: Made | None = None) -> None:
    """Write the tasks of a job, each whole or not at all; raises OSError if that cannot be done.

    Args:
        folder: where to.
        made: the tasks.
        before: what was found there for the job: where it differs, it is replaced.
    """
    if made == before:
        return
    for task in made.tasks:
        task_to_json(task, folder / f"{task.task_id}.json")
    for task in before.tasks if before else ():
        if task.task_id not in {each.task_id for each in made.tasks}:
            (folder / f"{task.task_id}.json").unlink(missing_ok=True)


def report(found: Sequence[Found]) -> dict[str, Any]:
    """What became of some jobs, JSON-ready; of salts, no more than that there are some.

    It tells how many were found, what was thrown away and why, and how different the tasks are.
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
    """Write `report` to a folder; raises OSError if that cannot be done."""
    write_text(folder / REPORT, json.dumps(contents, indent=2) + "\n")
