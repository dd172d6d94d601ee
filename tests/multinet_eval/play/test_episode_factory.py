"""Optima of tasks, and pictures of an exact size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.solver import Solution
from gridworld.solver.plans import optimal_solution
from gridworld.world import World
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.play import optimum
from multinet_eval.play.episode_factory import resized
from support.runs import ScriptedModel
from support.worlds import corridor


def test_repeated_tasks_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[int] = []

    def solve(world: World, max_states: int) -> Solution:
        solved.append(world.task.maze.width)
        return optimal_solution(world, max_states)

    monkeypatch.setattr(optimum, "optimal_solution", solve)
    tasks = [corridor("@.G"), corridor("@..G"), corridor("@.#.G.")]
    harness = EvaluationHarness(ScriptedModel("F" * 100))
    results = [harness.evaluate_task(task) for _ in range(3) for task in tasks]

    assert solved == [5, 6, 8]
    assert [(each.optimal_steps, each.unsolvable) for each in results] == 3 * [(2, False), (3, False), (None, True)]


@given(st.integers(1, 80), st.integers(1, 80), st.integers(1, 200))
def test_the_longest_side_is_exact_and_the_proportions_stay(width: int, height: int, longest: int) -> None:
    picture = np.full((height, width, 3), 77, dtype=np.uint8)
    made = resized(longest, picture)
    assert max(made.shape[:2]) == longest
    assert made.dtype == np.uint8
    assert (made == 77).all()
    for side in (0, 1):
        assert abs(made.shape[side] - picture.shape[side] * longest / max(width, height)) <= 1


def test_a_picture_of_the_size_is_left_alone() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (30, 20, 3), dtype=np.uint8)
    np.testing.assert_array_equal(resized(30, picture), picture)


@pytest.mark.parametrize("longest", [10, 60])
def test_halves_stay_halves(longest: int) -> None:
    picture = np.zeros((20, 20, 3), dtype=np.uint8)
    picture[:, 10:] = 255
    made = resized(longest, picture)
    assert made[:, : longest // 4].max() <= 20
    assert made[:, -longest // 4 :].min() >= 235
