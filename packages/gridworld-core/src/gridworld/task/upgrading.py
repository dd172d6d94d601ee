"""Rewriting older task files into today's form, without losing what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from gridworld.errors import InvalidTaskError, TaskFormatError
from gridworld.task.catalogs import Catalogs
from gridworld.task.older_files import Change, Draft, Steps, upgrading
from gridworld.task.reading import read_task, refuse_misshapen, refusing_depth, structure_draft
from gridworld.task.validation import find_problems
from gridworld.task.writing import task_to_dict
from gridworld.task_spec import TaskSpecification

__all__ = ["LEGACY", "Upgrade", "upgrade_task"]

LEGACY = "legacy"
"""The key of ``metadata`` under which stands, by its former place, what today's form has no field for."""


@attrs.frozen
class Upgrade:
    """A task in today's form, and what had to be changed for it; nothing where the file is in that form already."""

    task: TaskSpecification
    changes: tuple[Change, ...]
    contents: Mapping[str, Any]
    """Those of its file: without what the older one did not say and today's form takes for said, such as ``floor``."""


def upgrade_task(data: Any, catalogs: Catalogs, source: str = "") -> Upgrade:
    """Translate the contents of a task file into today's form.

    The task means what it meant; its file is read without a warning, and upgraded once more it stays as it is.

    Args:
        data: the contents.
        catalogs: the mechanism and goal types that they may use.
        source: what error messages call the file.

    Raises:
        TaskFormatError: something in it cannot be translated; every problem is named by its path.
        InvalidTaskError: it can be, but the task is invalid.
    """
    with refusing_depth(source):
        refuse_misshapen(data, source)
        draft = Draft.of(data, upgrading(catalogs))
        task = structure_draft(draft, catalogs, _anything, source)
    problems = find_problems(task, catalogs)
    if problems:
        raise InvalidTaskError(problems, source)
    if draft.put_away:
        task = attrs.evolve(task, metadata=_with_legacy(task.metadata, draft.put_away))
    return Upgrade(task, tuple(draft.changes), _as_terse(task, draft.data, catalogs))


def _as_terse(task: TaskSpecification, given: Mapping[str, Any], catalogs: Catalogs) -> dict[str, Any]:
    """The contents of the file of a task, with no field more than was given but where it would say something else."""
    contents = task_to_dict(task)
    for name in [each for each in contents["maze"] if each not in given["maze"]]:
        shorter = {**contents, "maze": _without(contents["maze"], name)}
        contents = shorter if _says(shorter, task, catalogs) else contents
    for name in [each for each in contents if each not in given]:
        shorter = _without(contents, name)
        contents = shorter if _says(shorter, task, catalogs) else contents
    return contents


def _without(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {each: value for each, value in fields.items() if each != name}


def _says(contents: Mapping[str, Any], task: TaskSpecification, catalogs: Catalogs) -> bool:
    """Whether a task file of these contents is that of a task."""
    try:
        return read_task(contents, catalogs).task == task
    except TaskFormatError:
        return False


def _anything(steps: Steps) -> bool:
    return True


def _with_legacy(metadata: Mapping[str, Any], put_away: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata with more in it; what is there already stays."""
    there = metadata.get(LEGACY, {})
    legacy = dict(there) if isinstance(there, Mapping) else {f"metadata.{LEGACY}": there}
    for path, value in put_away.items():
        legacy[_unused(path, legacy)] = value
    return {**metadata, LEGACY: legacy}


def _unused(path: str, taken: Mapping[str, Any]) -> str:
    name, number = path, 1
    while name in taken:
        number += 1
        name = f"{path} ({number})"
    return name
