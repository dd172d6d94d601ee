"""Compilation of tasks on a tiling, and the space of their observations."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.runner.task_set import TaskSet
from gridworld.task_spec import TaskSpecification
from gridworld.world import World
from gridworld_multigrid.codes import CODE_LENGTH

MISSION_CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " "


class MissionText(spaces.Text):
    """Space of missions, shared within batches."""


@batch_space.register(MissionText)
def _batch(space: MissionText, n: int = 1) -> spaces.Tuple[Any]:
    """Return the space of `n` missions without copying the character set `n` times, as Gymnasium would."""
    return spaces.Tuple([deepcopy(space)] * n)


def compile_tasks(tasks: TaskSpecification | Iterable[TaskSpecification], tiling: str) -> TaskSet:
    """Compile one or several tasks on a tiling.

    Raises:
        InvalidTaskError: a task is invalid.
        ArgumentError: no task is given, or two tasks have the same id.
        UnknownNameError: no installed plugin provides the tiling.
    """
    info = find_tiling(tiling)
    listed = [tasks] if isinstance(tasks, TaskSpecification) else tasks
    return TaskSet.compiled(listed, lambda each: lay_out(info, each))


def most_cells(worlds: Iterable[World]) -> int:
    """Return the number of cells of the largest task."""
    return max(world.topology.cell_count for world in worlds)


def observation_space(worlds: Sequence[World]) -> spaces.Dict:
    """Return the observation space of `gridworld_multigrid.env.MultiGridEnv` for all tasks."""
    missions, cells = [world.goal_type.mission(world) for world in worlds], most_cells(worlds)
    return spaces.Dict(
        cells=spaces.Box(0, 255, (cells, CODE_LENGTH), np.uint8),
        agent=spaces.Discrete(cells),
        direction=spaces.Discrete(worlds[0].headings),
        mission=MissionText(
            max(map(len, missions)), min_length=0, charset="".join(sorted({*MISSION_CHARACTERS, *"".join(missions)}))
        ),
    )
