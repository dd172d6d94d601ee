"""Older task files: their spellings, translated into today's before a file is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["modernize"]


def modernize(data: Mapping[str, Any]) -> dict[str, Any]:
    """Translate the spellings of older files; whatever is not recognized is left for the converter to refuse."""
    inner = data.get("TaskSpecification")
    task = dict(inner if isinstance(inner, Mapping) and len(data) == 1 else data)
    for name in ("mechanisms", "rules", "dependency_chain", "distractors", "metadata"):
        if name in task and task[name] is None:
            del task[name]
    if isinstance(task.get("maze"), Mapping):
        _flatten_maze(task)
    if isinstance(task.get("goal"), Mapping):
        task["goal"] = __modernize_goal(task["goal"])
    return task


def _flatten_maze(task: dict[str, Any]) -> None:
    maze = dict(task["maze"])
    if isinstance(maze.get("layout"), Mapping):
        maze = {**maze.pop("layout"), **{name: value for name, value in maze.items() if name != "layout"}}
        if "mechanisms" in maze and "mechanisms" not in task:
            task["mechanisms"] = maze.pop("mechanisms")
    task["maze"] = maze


def __modernize_goal(goal: Mapping[str, Any]) -> dict[str, Any]:
    modern = dict(goal)
    if "goal_type" in modern and "type" not in modern:
        modern["type"] = modern.pop("goal_type")
    if modern.get("auxiliary_conditions") in ([], None):
        modern.pop("auxiliary_conditions", None)
    return modern
