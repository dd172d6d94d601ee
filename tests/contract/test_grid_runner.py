"""`GridRunner`: its calls as the contract shows them, and what an `EpisodeResult` tells."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from gridworld.backends.base import GridState
from gridworld.runner.grid_runner import EpisodeResult, GridRunner
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from support.worlds import corridor, describe, hazard

LEFT, RIGHT, FORWARD, WAIT = 0, 1, 2, 6


def task(task_id: str = "corridor", row: str = "@.G", **options: Any) -> TaskSpecification:
    edge = "#" * (len(row) + 2)
    data = describe(f"{edge}\n#{row}#\n{edge}", **{"max_steps": 10, **options})
    return TaskSpecification.from_dict({**data, "task_id": task_id, "seed": 17})


def forward(observation: Any, state: GridState, mission: str) -> int:
    return FORWARD


def wait(observation: Any, state: GridState, mission: str) -> int:
    return WAIT


@pytest.fixture
def runner() -> GridRunner:
    return GridRunner(backend=MiniGridBackend(tile_size=8))


# --- run_episode and its result --------------------------------------------------------------------------------


def test_an_episode_result_has_the_fields_of_the_contract(runner: GridRunner) -> None:
    spec = task()
    result = runner.run_episode(spec, policy_fn=forward, seed=spec.seed)

    assert isinstance(result, EpisodeResult)
    assert result.task_id == "corridor"
    assert result.success is True
    assert result.total_reward == pytest.approx(1 - 0.9 * 2 / 10)
    assert (result.steps_taken, result.max_steps) == (2, 10)
    assert (result.terminated, result.truncated) == (True, False)
    assert len(result.trajectory) == 2
    assert isinstance(result.final_state, GridState)
    assert result.final_state.agent_position == (3, 1)
    assert (result.seed, result.mission) == (17, "reach the goal")


def test_an_episode_that_runs_out_of_steps_is_truncated(runner: GridRunner) -> None:
    result = runner.run_episode(task(), policy_fn=wait)
    assert (result.success, result.terminated, result.truncated) == (False, False, True)
    assert (result.steps_taken, result.total_reward, len(result.trajectory)) == (10, 0, 10)


def test_an_episode_in_which_the_agent_dies_is_terminated_without_success(runner: GridRunner) -> None:
    result = runner.run_episode(task(row="@hG", h=hazard()), policy_fn=forward)
    assert (result.success, result.terminated, result.truncated, result.total_reward) == (False, True, False, 0)


def test_the_seed_is_the_given_one_and_otherwise_the_tasks_own(runner: GridRunner) -> None:
    assert runner.run_episode(task(), policy_fn=forward, seed=3).seed == 3
    assert runner.run_episode(task(), policy_fn=forward).seed == 17


def test_the_trajectory_tells_what_was_done_and_what_came_of_it(runner: GridRunner) -> None:
    actions = [LEFT, RIGHT, FORWARD, FORWARD]
    result = runner.run_episode(task(), policy_fn=lambda observation, state, mission: actions[state.step_count])
    assert [step.action for step in result.trajectory] == actions
    assert [step.state.agent_position for step in result.trajectory] == [(1, 1), (1, 1), (2, 1), (3, 1)]
    assert [step.reward for step in result.trajectory] == [0, 0, 0, result.total_reward]
    assert result.trajectory[-1].state == result.final_state


# --- policies --------------------------------------------------------------------------------------------------


def test_a_policy_is_given_observation_state_and_mission(runner: GridRunner) -> None:
    asked: list[tuple[Any, Any, Any]] = []

    def policy_fn(observation: Any, state: GridState, mission: str) -> int:
        asked.append((observation, state, mission))
        return FORWARD

    runner.run_episode(task(), policy_fn=policy_fn)

    assert len(asked) == 2
    for step, (observation, state, mission) in enumerate(asked):
        assert isinstance(observation, np.ndarray)
        assert observation.shape == (3 * 8, 5 * 8, 3)
        assert isinstance(state, GridState)
        assert (state.step_count, state.agent_position, mission) == (step, (1 + step, 1), "reach the goal")
    assert (asked[0][0] != asked[1][0]).any()


def test_a_policy_may_return_an_action_with_a_dictionary(runner: GridRunner) -> None:
    plain = runner.run_episode(task(), policy_fn=forward)
    told = runner.run_episode(task(), policy_fn=lambda observation, state, mission: (FORWARD, {"at": state.step_count}))
    assert [step.action for step in told.trajectory] == [step.action for step in plain.trajectory]
    assert told.final_state == plain.final_state
    assert [step.policy_info for step in told.trajectory] == [{"at": 0}, {"at": 1}]


def test_the_dictionary_may_be_empty(runner: GridRunner) -> None:
    assert runner.run_episode(task(), policy_fn=lambda observation, state, mission: (FORWARD, {})).success


# --- batches, demonstrations, datasets -------------------------------------------------------------------------


def test_a_batch_gives_a_result_for_each_task_in_order(runner: GridRunner) -> None:
    spec1, spec2 = task("one"), task("two", "@...G")
    results = runner.run_batch([spec1, spec2], policy_fn=forward)
    assert [(result.task_id, result.success, result.steps_taken) for result in results] == [
        ("one", True, 2),
        ("two", True, 4),
    ]


def test_a_demonstration_plays_the_given_actions(runner: GridRunner) -> None:
    demo = runner.collect_demonstrations(task(row="@...G"), actions=[2, 2, 1, 2])
    assert isinstance(demo, EpisodeResult)
    assert [step.action for step in demo.trajectory] == [2, 2, 1, 2]
    assert (demo.steps_taken, demo.final_state.agent_position, demo.final_state.agent_direction) == (4, (3, 1), 1)
    assert (demo.success, demo.terminated, demo.truncated) == (False, False, False)


def test_a_demonstration_ends_with_its_episode(runner: GridRunner) -> None:
    demo = runner.collect_demonstrations(task(), actions=[2, 2, 1, 2])
    assert ([step.action for step in demo.trajectory], demo.success) == ([2, 2], True)


def test_an_observation_dataset_is_written_and_its_records_returned(
    runner: GridRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    records = runner.generate_observation_dataset([task()], output_dir="observations")

    lines = (tmp_path / "observations" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == records
    assert [(record["task_id"], record["step"], record["action"]) for record in records] == [
        ("corridor", 0, FORWARD),
        ("corridor", 1, FORWARD),
        ("corridor", 2, None),
    ]
    backend = MiniGridBackend(tile_size=8)
    backend.configure(task())
    seen = [backend.reset()[0], backend.step(FORWARD)[0], backend.step(FORWARD)[0]]
    for record, picture in zip(records, seen, strict=True):
        np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "observations" / record["image"])), picture)


def test_an_observation_dataset_holds_an_episode_of_each_task(runner: GridRunner, tmp_path: Path) -> None:
    records = runner.generate_observation_dataset([task("one"), task("two", "@...G")], output_dir=tmp_path / "new")
    assert [record["task_id"] for record in records] == ["one"] * 3 + ["two"] * 5


def test_a_runner_can_be_used_again_for_any_task() -> None:
    runner = GridRunner(backend=MiniGridBackend(render_mode=None))
    results = [runner.run_episode(spec, policy_fn=forward) for spec in (task(), corridor("@...G"), task())]
    assert [result.steps_taken for result in results] == [2, 4, 2]
