"""Lossless upgrade of older task files to the current format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from gridworld.errors import InvalidTaskError, TaskFormatError
from gridworld.task.catalogs import Catalogs
from gridworld.task.older_files import Change, Draft, upgrading
from gridworld.task.reading import read_task, refuse_misshapen, refusing_depth, structure_draft
from gridworld.task.validation import find_problems
from gridworld.task.writing import task_to_dict
from gridworld.task_spec import TaskSpecification

LEGACY = "legacy"
"""Key of ``metadata`` for obsolete data, by its former path."""


@attrs.frozen
class Upgrade:
    """A task in the current format, and the changes made to it."""

    task: TaskSpecification
    changes: tuple[Change, ...]
    contents: Mapping[str, Any]
    """Contents of the new file, without defaults that the older file omitted."""


def upgrade_task(data: Any, catalogs: Catalogs, source: str = "") -> Upgrade:
    """Translate the contents of a task file into the current format.

    The task keeps its meaning. Its new file is read without a warning, and another upgrade changes nothing.

    Args:
        data: the contents.
        catalogs: the known mechanism and goal types.
        source: the file's name in messages.

    Raises:
        TaskFormatError: the contents cannot be translated; the error lists every problem with its path.
        InvalidTaskError: the translated task is invalid.
    """
    with refusing_depth(source):
        refuse_misshapen(data, source)
        draft = Draft.of(data, upgrading(catalogs))
        task = structure_draft(draft, catalogs, lambda steps: True, source)
    problems = find_problems(task, catalogs)
    if problems:
        raise InvalidTaskError(problems, source)
    if draft.put_away:
        task = attrs.evolve(task, metadata=_with_legacy(task.metadata, draft.put_away))
    return Upgrade(task, tuple(draft.changes), _as_terse(task, draft.data, catalogs))


def _as_terse(task: TaskSpecification, given: Mapping[str, Any], catalogs: Catalogs) -> dict[str, Any]:
    """Return the contents of a task's file, without fields that were not given and have no effect."""
    contents = task_to_dict(task)
    for name in [each for each in contents["maze"] if each not in given["maze"]]:
        shorter = {**contents, "maze": _without(contents["maze"], name)}
        contents = shorter if _describes(shorter, task, catalogs) else contents
    for name in [each for each in contents if each not in given]:
        shorter = _without(contents, name)
        contents = shorter if _describes(shorter, task, catalogs) else contents
    return contents


def _without(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {each: value for each, value in fields.items() if each != name}


def _describes(contents: Mapping[str, Any], task: TaskSpecification, catalogs: Catalogs) -> bool:
    """Whether reading these contents gives an equal task."""
    try:
        return read_task(contents, catalogs).task == task
    except TaskFormatError:
        return False


def _with_legacy(metadata: Mapping[str, Any], put_away: Mapping[str, Any]) -> dict[str, Any]:
    """Add legacy entries to metadata; existing entries are kept."""
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
