"""Worlds on any tiling, for tests of the multi-tiling backend."""

import random

from gridworld.task_spec import TaskSpecification
from gridworld.testing.walks import roaming_action
from gridworld.world import Episode, World, compile_world
from tessellations import make_topology
from worlds import draw_everything, steps_of

__all__ = ["DIAGONALS", "compiled_on", "everything", "played_on", "random_actions", "start_on"]

DIAGONALS = """
#########
#@.#..#.#
#.#..#..#
#.......#
#.#..#.G#
##..#...#
#########
"""
"""Walls that meet in corners, with floor on the other two sides."""


def everything(mode: str = "full", view_size: int = 7, **options: object) -> TaskSpecification:
    """A maze with every mechanism in most of its kinds."""
    rules = {"observability": mode, "view_size": view_size}
    goal = {"type": "push_block_to", "target_ids": ["B"], "target_positions": ["m"]}
    return draw_everything(goal=goal, rules=rules, **{"max_steps": 200, **options})


def compiled_on(tiling: str, task: TaskSpecification) -> World:
    """A task on a tiling."""
    return compile_world(task, make_topology(tiling, task.maze.dimensions))


def start_on(tiling: str, task: TaskSpecification) -> Episode:
    """An episode at the start of a task on a tiling."""
    episode = Episode(compiled_on(tiling, task))
    episode.reset()
    return episode


def random_actions(tiling: str, task: TaskSpecification, seed: int, length: int) -> list[int]:
    """Random actions that can be played in a task on a tiling."""
    return [int(action) for _, action, _ in steps_of(compiled_on(tiling, task), seed, length)]


def played_on(tiling: str, task: TaskSpecification, seed: int, length: int) -> Episode:
    """An episode after so many random steps, or at its end."""
    episode, rng = start_on(tiling, task), random.Random(seed)
    while not episode.world.is_over(episode.state) and episode.state.steps < length:
        episode.step(roaming_action(episode.world, episode.state, rng))
    return episode
