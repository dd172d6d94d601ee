"""`TaskParser`: from a task specification to a populated environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import attrs

from gridworld.plugins.arguments import check_names
from gridworld.suites import TaskSource, find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid.env import CustomMiniGridEnv
from gridworld_minigrid.sizes import MAX_SIDE

__all__ = ["CustomMiniGridEnv", "TaskParser", "make_environment"]


@attrs.frozen
class TaskParser:
    """Makes environments; its fields are the arguments that each of them gets."""

    render_mode: str | None = None
    tile_size: int = 32
    highlight: bool = True
    max_side: int = MAX_SIDE

    def parse(self, spec: TaskSpecification, seed: int | None = None) -> CustomMiniGridEnv:
        """An environment of a task, already reset.

        Raises:
            InvalidTaskError: the task is invalid.
        """
        env = CustomMiniGridEnv(spec, **attrs.asdict(self))
        env.reset(seed=spec.seed if seed is None else seed)
        return env

    def parse_dict(self, data: Mapping[str, Any], seed: int | None = None) -> CustomMiniGridEnv:
        """An environment from the contents of a task file; raises as `TaskSpecification.from_dict` and `parse` do."""
        return self.parse(TaskSpecification.from_dict(data), seed)

    def parse_file(self, path: str | PathLike[str], seed: int | None = None) -> CustomMiniGridEnv:
        """An environment from a task file; raises as `TaskSpecification.from_json` and `parse` do."""
        return self.parse(TaskSpecification.from_json(path), seed)


def make_environment(task: TaskSource | Iterable[TaskSource], **options: Any) -> CustomMiniGridEnv:
    """What ``gymnasium.make`` calls: an environment of the tasks that are named.

    Raises as `find_tasks` and `check_names` do.
    """
    check_names(CustomMiniGridEnv, options, "the environment")
    return CustomMiniGridEnv(find_tasks(task), **options)
