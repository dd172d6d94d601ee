"""The tasks of the five tiers: sound, winnable as they say, and together touching everything that a task can have."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from gridworld.plugins import get_registry
from gridworld.solver import Solution, check_task, solve
from gridworld.suites import benchmark_place, load_benchmark
from gridworld.task_spec import OBSERVABILITY_MODES, SWITCH_TYPES, TaskSpecification
from gridworld_minigrid import MiniGridBackend
from support.runs import task_ids
from support.worlds import compiled

BENCHMARKS = get_registry().benchmarks
FOLDER = benchmark_place(BENCHMARKS.get("tiers"))
FILES = sorted(FOLDER.rglob("*.json"))
TASKS = [TaskSpecification.from_json(file) for file in FILES]
TIERS = (1, 2, 3, 4, 5)
MAX_STATES = 300_000
QUICKLY_EXPLORED = ("t2_01_first_key", "t3_02_dead_weight", "t3_03_relay", "t3_04_master_switch")
"""Tasks above the first tier that have few states."""

every_file = pytest.mark.parametrize(("file", "task"), list(zip(FILES, TASKS, strict=True)), ids=task_ids(TASKS))
every_task = pytest.mark.parametrize("task", TASKS, ids=task_ids(TASKS))


def quick_or_thorough(task: TaskSpecification) -> Any:
    """A task whose states take long to be looked at is only looked at in thorough runs."""
    quick = task.difficulty_tier == 1 or task.task_id in QUICKLY_EXPLORED
    return pytest.param(task, id=task.task_id, marks=() if quick else pytest.mark.thorough)


@cache
def solution_of(task: TaskSpecification) -> Solution:
    return solve(compiled(task))


def specs(kind: str) -> list[tuple[TaskSpecification, Any]]:
    """All mechanisms of a type, each with its task."""
    return [(task, spec) for task in TASKS for spec in getattr(task.mechanisms, kind)]


def hidden_kinds() -> set[str]:
    return {
        kind
        for task in TASKS
        for kind, listed in task.mechanisms.groups()
        for spec in listed
        if spec.id in task.rules.hidden_mechanisms
    }


# --- Each task -----------------------------------------------------------------------------------------------------


@every_file
def test_a_task_is_called_as_its_file_and_is_of_the_tier_of_its_folder(file: Any, task: TaskSpecification) -> None:
    assert task.task_id == file.stem
    assert file.parent.name == f"tier{task.difficulty_tier}"
    assert file.parent.parent == FOLDER


@every_task
def test_a_task_is_valid_and_says_what_it_is_about(task: TaskSpecification) -> None:
    assert task.validate() == (True, [])
    assert task.description


@pytest.mark.parametrize("task", [quick_or_thorough(task) for task in TASKS])
def test_the_solver_finds_no_fault_in_a_task_and_leaves_nothing_undecided(task: TaskSpecification) -> None:
    report = check_task(compiled(task), MAX_STATES)
    assert [finding for finding in report.findings if finding.severity != "note"] == []
    assert report.ok
    assert report.verdict == "solved"


@every_task
def test_the_budget_is_two_to_four_times_the_shortest_plan(task: TaskSpecification) -> None:
    length = solution_of(task).length
    assert length is not None
    if task.goal.type == "survive_steps":
        assert length == task.max_steps
    else:
        assert 2 * length <= task.max_steps <= 4 * length


@every_task
def test_the_shortest_plan_wins_on_the_minigrid_backend_with_its_last_action(task: TaskSpecification) -> None:
    plan = solution_of(task).plan
    assert plan is not None
    backend = MiniGridBackend(render_mode=None)
    backend.configure(task)
    backend.reset(seed=task.seed)

    outcomes = [backend.step(action) for action in plan]

    assert [terminated for _, _, terminated, _, _, _ in outcomes] == [False] * (len(plan) - 1) + [True]
    assert not any(truncated for _, _, _, truncated, _, _ in outcomes)
    state = backend.get_state()
    assert (state.goal_reached, state.step_count) == (True, len(plan))


# --- The suite -----------------------------------------------------------------------------------------------------


def test_the_suite_has_all_files_of_its_folder() -> None:
    assert load_benchmark(BENCHMARKS.get("tiers")) == TASKS


def test_each_of_the_five_tiers_has_at_least_six_tasks() -> None:
    numbers = Counter(task.difficulty_tier for task in TASKS)
    assert set(numbers) == set(TIERS)
    assert min(numbers.values()) >= 6


@pytest.mark.parametrize(
    "names", [("tiers", "validation_10"), pytest.param(BENCHMARKS.names(), marks=pytest.mark.thorough)], ids=str
)
def test_no_id_is_used_twice_in_all_suites(names: Sequence[str]) -> None:
    ids = [task.task_id for name in names for task in load_benchmark(BENCHMARKS.get(name))]
    assert [name for name, times in Counter(ids).items() if times > 1] == []
    assert len(ids) > len(TASKS)


def test_no_two_tasks_have_the_same_maze() -> None:
    mazes = Counter((task.maze.dimensions, task.maze.start, task.maze.goal, task.maze.wall_cells()) for task in TASKS)
    assert max(mazes.values()) == 1


def test_every_mechanism_type_of_the_core_is_used() -> None:
    used = {kind for task in TASKS for kind, _ in task.mechanisms.groups()}
    assert used == {"keys", "doors", "switches", "gates", "blocks", "teleporters", "hazards"}


def test_every_goal_type_of_the_core_is_used() -> None:
    assert {task.goal.type for task in TASKS} == {"reach_position", "collect_all", "push_block_to", "survive_steps"}


@pytest.mark.parametrize("switch_type", SWITCH_TYPES)
def test_every_switch_type_is_named_by_a_switch_or_by_the_rules_for_one(switch_type: str) -> None:
    assert switch_type in {spec.switch_type or task.rules.switch_type for task, spec in specs("switches")}


def test_some_switches_name_their_type_and_others_have_that_of_the_rules() -> None:
    named = [spec.switch_type is not None for _, spec in specs("switches")]
    assert any(named)
    assert not all(named)


@pytest.mark.parametrize("mode", OBSERVABILITY_MODES)
def test_every_observability_mode_is_used(mode: str) -> None:
    assert mode in {task.rules.observability for task in TASKS}


def test_every_hazard_type_is_used() -> None:
    assert {spec.hazard_type for _, spec in specs("hazards")} == {"lava", "pit", "spike"}


def test_teleporters_lead_one_way_and_both_ways() -> None:
    assert {spec.bidirectional for _, spec in specs("teleporters")} == {True, False}


def test_blocks_can_be_pushed_and_cannot() -> None:
    assert {spec.pushable for _, spec in specs("blocks")} == {True, False}


def test_solid_and_flat_mechanisms_are_hidden() -> None:
    assert hidden_kinds() >= {"switches", "doors"}


def test_keys_are_used_up_in_some_tasks_and_last_in_others() -> None:
    assert {task.rules.key_consumption for task, _ in specs("keys")} == {True, False}
