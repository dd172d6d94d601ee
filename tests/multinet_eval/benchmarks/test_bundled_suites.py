"""The bundled suites: tasks that are sound, winnable as they say, and touch everything that a task can have."""

from collections import Counter
from functools import cache
from itertools import chain
from typing import Any

import pytest

from gridworld.plugins import get_registry
from gridworld.plugins.tilings import compile_on
from gridworld.solver import Solution, check_task, solve
from gridworld.suites import benchmark_place, find_suite, load_benchmark
from gridworld.suites.choosing_examples import choose_examples
from gridworld.task_spec import OBSERVABILITY_MODES, SWITCH_TYPES, TaskSpecification
from gridworld_minigrid import MiniGridBackend
from support.runs import task_ids
from support.tilings import TILINGS
from support.worlds import compiled

BENCHMARKS = get_registry().benchmarks
SUITES = {name: load_benchmark(BENCHMARKS.get(name)) for name in ("validation_10", "tiers")}
TIERS = SUITES["tiers"]
TASKS = [task for tasks in SUITES.values() for task in tasks]
MAX_STATES = 300_000

every_task = pytest.mark.parametrize(
    "task",
    [
        pytest.param(task, id=task.task_id, marks=pytest.mark.more if name == "tiers" else ())
        for name, tasks in SUITES.items()
        for task in tasks
    ],
)


@cache
def solution_of(task: TaskSpecification) -> Solution:
    return solve(compiled(task))


@every_task
def test_a_task_is_valid_and_its_budget_two_to_four_times_the_shortest_plan(task: TaskSpecification) -> None:
    assert task.validate() == (True, [])
    assert task.description
    assert isinstance(task.to_dict()["rules"]["key_consumption"], bool)
    length = solution_of(task).length
    assert length is not None
    survives = task.goal.type == "survive_steps"
    assert length == task.max_steps if survives else 2 * length <= task.max_steps <= 4 * length


@pytest.mark.more
@pytest.mark.parametrize("task", TIERS, ids=task_ids(TIERS))
def test_the_solver_finds_no_fault_in_a_task_and_leaves_nothing_undecided(task: TaskSpecification) -> None:
    report = check_task(compiled(task), MAX_STATES)
    assert [finding for finding in report.findings if finding.severity != "note"] == []
    assert (report.ok, report.verdict) == (True, "solved")


@every_task
def test_the_shortest_plan_wins_on_the_minigrid_backend_with_its_last_action(task: TaskSpecification) -> None:
    plan = solution_of(task).plan
    assert plan is not None
    backend = MiniGridBackend(render_mode=None)
    backend.configure(task)
    backend.reset(seed=task.seed)
    outcomes = [backend.step(action) for action in plan]
    assert [terminated for _, _, terminated, _, _, _ in outcomes] == [False] * (len(plan) - 1) + [True]
    state = backend.get_state()
    assert (state.goal_reached, state.step_count, state.truncated) == (True, len(plan), False)
    if task.goal.type != "survive_steps":
        assert state.reward == pytest.approx(1 - 0.9 * len(plan) / task.max_steps)


def test_ids_and_mazes_are_unique_and_each_task_lies_in_the_folder_of_its_tier() -> None:
    assert len({task.task_id for task in TASKS}) == len(TASKS)
    assert len({(task.maze, task.maze.wall_cells()) for task in TASKS}) == len(TASKS)
    files = sorted(benchmark_place(BENCHMARKS.get("tiers")).rglob("*.json"))
    places = [(file.stem, file.parent.name) for file in files]
    assert places == [(task.task_id, f"tier{task.difficulty_tier}") for task in TIERS]
    numbers = Counter(task.difficulty_tier for task in TIERS)
    assert set(numbers) == {1, 2, 3, 4, 5}
    assert min(numbers.values()) >= 6


def test_the_tiers_use_everything_that_a_task_can_have() -> None:
    def specs(kind: str) -> list[Any]:
        return [spec for task in TIERS for spec in getattr(task.mechanisms, kind)]

    used = {kind for task in TIERS for kind, _ in task.mechanisms.groups()}
    assert used == {"keys", "doors", "switches", "gates", "blocks", "teleporters", "hazards"}
    assert {task.goal.type for task in TIERS} == {"reach_position", "collect_all", "push_block_to", "survive_steps"}
    types = {spec.switch_type for spec in specs("switches")}
    assert None in types
    assert {*types, *(task.rules.switch_type for task in TIERS)} >= set(SWITCH_TYPES)
    assert {task.rules.observability for task in TIERS} == set(OBSERVABILITY_MODES)
    assert {spec.hazard_type for spec in specs("hazards")} == {"lava", "pit", "spike"}
    assert {spec.bidirectional for spec in specs("teleporters")} == {True, False}
    assert {spec.pushable for spec in specs("blocks")} == {True, False}
    hidden = set(chain.from_iterable(task.rules.hidden_mechanisms for task in TIERS))
    kinds = {kind for task in TIERS for kind, group in task.mechanisms.groups() for each in group if each.id in hidden}
    assert kinds >= {"switches", "doors"}
    assert {task.rules.key_consumption for task in TIERS if task.mechanisms.keys} == {True, False}


@pytest.mark.more
@pytest.mark.parametrize("tiling", TILINGS)
def test_worked_examples_are_sound_on_every_tiling(tiling: str) -> None:
    assert all(check_task(compile_on(tiling, task)).ok for task in find_suite("worked_examples"))


@pytest.mark.parametrize("suite", SUITES)
def test_worked_examples_show_every_mechanism_and_goal_of_the_core_and_suffice_for_every_suite(suite: str) -> None:
    examples = find_suite("worked_examples")
    assert {kind for task in examples for kind, _ in task.mechanisms.groups()} == {
        kind for task in TIERS for kind, _ in task.mechanisms.groups()
    }
    assert {task.goal.type for task in examples} == {task.goal.type for task in TIERS}
    assert len(choose_examples(5, examples, SUITES[suite], "worked_examples")) == 5
