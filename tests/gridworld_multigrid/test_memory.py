"""How much memory walks through the largest worlds take, in processes of their own."""

import subprocess
import sys

import pytest

from support.tilings import TILINGS

pytestmark = pytest.mark.more

MOST_GROWTH = 20.0
"""Megabytes."""
STEPS = 1500
VIEW_SIZES = {"hex": 21, "triangle": 15, "488": 31}
"""Views that are so wide that a walk would take more if none of them were forgotten; 7 elsewhere."""
WALK = """
import random, resource, sys
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid.backend import MultiGridBackend

tiling, mode, view_size, side, steps = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
walls = [[x, y] for x in range(2, side - 2, 2) for y in range(2, side - 2, 2)]
maze = {"dimensions": [side, side], "walls": walls, "start": [1, 1], "goal": [side - 2, side - 2]}
rules = {"observability": mode, "view_size": view_size}
task = {"task_id": "hall", "seed": 0, "difficulty_tier": 1, "maze": maze, "rules": rules, "max_steps": 10**6}
backend = MultiGridBackend(tiling, render_mode=None)
backend.configure(TaskSpecification.from_dict({**task, "goal": {"type": "reach_position"}}))

def megabytes():
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)

backend.reset()
before, dice = megabytes(), random.Random(0)
for _ in range(steps):
    backend.step(2 if dice.random() < 0.8 else dice.choice((0, 1)))
print(megabytes() - before)
"""


def growth(tiling: str, mode: str, view_size: int, side: int, steps: int) -> float:
    """The megabytes by which the peak of a process has grown after so many steps in a hall of pillars."""
    arguments = [tiling, mode, str(view_size), str(side), str(steps)]
    walked = subprocess.run([sys.executable, "-c", WALK, *arguments], check=True, capture_output=True, text=True)
    return float(walked.stdout)


@pytest.mark.parametrize("tiling", TILINGS)
def test_a_walk_in_fog_takes_hardly_more_memory_than_its_start(tiling: str) -> None:
    assert growth(tiling, "fog_of_war", VIEW_SIZES.get(tiling, 7), 100, STEPS) <= MOST_GROWTH


def test_wide_views_are_forgotten_as_others_are_made() -> None:
    assert growth("square", "view_cone", 199, 100, 60) <= MOST_GROWTH
