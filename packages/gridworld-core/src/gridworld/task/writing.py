"""Writing of task files: `TaskSpecification` to JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, cast, get_origin

import attrs
import cattrs

from gridworld.errors import Problem, TaskFormatError
from gridworld.support.files import write_text
from gridworld.task_spec import LEFT_OUT_IF_NONE, GoalSpec, MechanismSet, Position, TaskSpecification


def task_to_dict(task: TaskSpecification) -> dict[str, Any]:
    """Return the contents of a task file in field order, without unset optional parts."""
    plain: dict[str, Any] = _writer.unstructure(task)
    optional = ("mechanisms", "dependency_chain", "distractors", "metadata")
    return {name: value for name, value in plain.items() if value or name not in optional}


def task_to_json(task: TaskSpecification, path: str | PathLike[str]) -> None:
    """Write a task file atomically.

    Raises:
        OSError: the file cannot be written.
        TaskFormatError: `metadata` or a string cannot be expressed in JSON.
    """
    write_text(Path(path), task_to_text(task))


def task_to_text(task: TaskSpecification) -> str:
    """Return the text of a task file; raises TaskFormatError as `task_to_json` does."""
    return contents_to_text(task_to_dict(task))


def contents_to_text(contents: Mapping[str, Any]) -> str:
    """Return these contents as the text of a task file; raises TaskFormatError as `task_to_json` does."""
    try:
        text = json.dumps(contents, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise TaskFormatError([Problem("", f"cannot be written as JSON: {error}")], contents["task_id"]) from error
    return text


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter()
    converter.register_unstructure_hook(Position, list)
    converter.register_unstructure_hook_func(
        lambda kind: cast("Any", get_origin(kind)) is tuple, lambda items: [_writer.unstructure(item) for item in items]
    )
    converter.register_unstructure_hook(
        MechanismSet,
        lambda mechanisms: {name: list(map(_mechanism_to_dict, specs)) for name, specs in mechanisms.groups()},
    )
    converter.register_unstructure_hook(GoalSpec, _unstructure_goal)
    converter.register_unstructure_hook(Mapping, dict)
    return converter


def _mechanism_to_dict(spec: Any) -> dict[str, Any]:
    plain: dict[str, Any] = _writer.unstructure(spec)
    absent = {field.name for field in attrs.fields(type(spec)) if field.metadata.get(LEFT_OUT_IF_NONE)}
    return {name: value for name, value in plain.items() if value is not None or name not in absent}


def _unstructure_goal(goal: GoalSpec) -> dict[str, Any]:
    plain: dict[str, Any] = {"type": goal.type}
    if goal.target is not None:
        plain["target"] = list(goal.target)
    if goal.target_ids:
        plain["target_ids"] = list(goal.target_ids)
    if goal.target_positions:
        plain["target_positions"] = [list(position) for position in goal.target_positions]
    return plain | {name: _writer.unstructure(value) for name, value in goal.parameters.items()}


_writer = _make_converter()
