"""Tasks as environments play them: compiled on a tiling, with the space that holds what is observed of all of them."""

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


class MissionText(spaces.Text):
    """Sentences of so many characters at most."""


@batch_space.register(MissionText)
def _batch(space: MissionText, n: int = 1) -> spaces.Tuple[Any]:
    """The space of the sentences of `n` copies; Gymnasium would copy the set of characters for each of them."""
    return spaces.Tuple([deepcopy(space)] * n)


MISSION_CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " "


def compile_tasks(tasks: Iterable[TaskSpecification], tiling: str) -> TaskSet:
    """The tasks on a tiling.

    Raises:
        InvalidTaskError: a task is invalid.
        ArgumentError: there is none, or two have one id.
        UnknownNameError: no installed plugin provides the tiling.
    """
    info = find_tiling(tiling)
    return TaskSet.compiled(tasks, lambda each: lay_out(info, each))


def mission_of(world: World) -> str:
    """The sentence that tells an agent of the goal."""
    return world.goal_type.mission(world)


def most_cells(worlds: Iterable[World]) -> int:
    """How many cells the largest of some tasks has."""
    return max(world.topology.cell_count for world in worlds)


def observation_space(worlds: Sequence[World]) -> spaces.Dict:
    """The space of `gridworld_multigrid.env.MultiGridEnv`, for the observations of all of some tasks."""
    missions, cells = list(map(mission_of, worlds)), most_cells(worlds)
    return spaces.Dict(
        cells=spaces.Box(0, 255, (cells, CODE_LENGTH), np.uint8),
        agent=spaces.Discrete(cells),
        direction=spaces.Discrete(worlds[0].headings),
        mission=MissionText(
            max(map(len, missions)), min_length=0, charset="".join(sorted({*MISSION_CHARACTERS, *"".join(missions)}))
        ),
    )
