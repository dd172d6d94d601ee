"""What is known of the shortest plans of the tasks that are played."""

import pytest

from gridworld.solver import Solution
from gridworld.solver.plans import optimal_solution
from gridworld.world import World
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.play import optimum
from support.runs import ScriptedModel
from support.worlds import corridor


def test_tasks_that_are_played_again_and_again_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_tasks_that_differ_in_anything_are_solved_each() -> None:
    harness = EvaluationHarness(ScriptedModel("F" * 100))
    rows = ("@.G", "@..G", "@.G")
    assert [harness.evaluate_task(corridor(row)).optimal_steps for row in rows] == [2, 3, 2]
