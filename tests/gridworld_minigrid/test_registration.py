"""`gymnasium.make` makes environments of tasks by id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import gridworld
from gridworld.errors import ArgumentError, InvalidTaskError, TaskFormatError
from gridworld.plugins import get_registry
from gridworld.suites import read_named_task
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import CustomMiniGridEnv
from gridworld_minigrid.registration import ENVIRONMENT_ID, SUITE_IDS
from support.plugins import run_python
from support.worlds import corridor, describe

WITH_ITS_PACKAGE = f"gridworld_minigrid:{ENVIRONMENT_ID}"
"""What Gymnasium finds before anything of ours is imported."""

MakeTask = Callable[..., TaskSpecification]

PLAY_A_FILE = """
import sys
import gymnasium
assert "gridworld_minigrid" not in sys.modules
env = gymnasium.make("{environment_id}", task="{path}")
env.reset()
print(type(env.unwrapped).__name__, [env.step(action)[1:4] for action in (2, 2)])
"""

PLAY_A_FILE_TWICE_AT_ONCE = """
import gymnasium
envs = gymnasium.make_vec("{environment_id}", num_envs=2, vectorization_mode="sync", task="{path}")
envs.reset()
print([each.tolist() for each in envs.step([2, 6])[1:4]])
"""


@pytest.fixture
def task_file(tmp_path: Path) -> Path:
    """A task that two steps forward win."""
    path = tmp_path / "puzzle.json"
    corridor("@.G", max_steps=10).to_json(path)
    return path


def test_the_environment_is_known_without_an_import_of_ours(task_file: Path) -> None:
    done = run_python(PLAY_A_FILE.format(environment_id=WITH_ITS_PACKAGE, path=task_file), [])
    assert done.stderr == ""
    assert done.stdout.strip() == "CustomMiniGridEnv [(0.0, False, False), (0.82, True, False)]"


def test_environments_are_vectorized_without_an_import_of_ours(task_file: Path) -> None:
    done = run_python(PLAY_A_FILE_TWICE_AT_ONCE.format(environment_id=WITH_ITS_PACKAGE, path=task_file), [])
    assert done.stderr == ""
    assert done.stdout.strip() == "[[0.0, 0.0], [False, False], [False, False]]"


@pytest.mark.parametrize("kind", ["specification", "path", "text path", "contents"])
def test_a_task_can_be_given_in_any_form(kind: str, task_file: Path) -> None:
    task = TaskSpecification.from_json(task_file)
    forms = {"specification": task, "path": task_file, "text path": str(task_file), "contents": task.to_dict()}
    env = gymnasium.make(ENVIRONMENT_ID, task=forms[kind])
    assert isinstance(env.unwrapped, CustomMiniGridEnv)
    assert env.unwrapped.task == task


def test_options_reach_the_environment() -> None:
    env = gymnasium.make(
        ENVIRONMENT_ID, task=corridor("@.G"), render_mode="rgb_array", tile_size=16, agent_view_size=5, highlight=False
    )
    observation, _ = env.reset()
    assert observation["image"].shape == (5, 5, 3)
    np.testing.assert_array_equal(env.render(), env.unwrapped.get_full_render(False, 16))


def test_a_task_is_required() -> None:
    with pytest.raises(TypeError, match="task"):
        gymnasium.make(ENVIRONMENT_ID)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_an_unknown_option_is_refused_with_the_nearest_one(make: Callable[..., object]) -> None:
    with pytest.raises(ArgumentError, match=r"has no argument 'agent_viewsize' \(did you mean 'agent_view_size'\?\)"):
        make(ENVIRONMENT_ID, task=corridor("@.G"), agent_viewsize=5)


@pytest.mark.parametrize(
    ("change", "error"), [({"max_steps": 0}, InvalidTaskError), ({"max_steps": "ten"}, TaskFormatError)]
)
def test_a_bad_task_is_refused(change: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match="max_steps"):
        gymnasium.make(ENVIRONMENT_ID, task={**describe("####\n#@G#\n####"), **change})


def test_the_specification_of_an_environment_makes_another_one() -> None:
    env = gymnasium.make(ENVIRONMENT_ID, task=corridor("@.G"))
    again = env.spec.make(render_mode="rgb_array")
    assert again.unwrapped.task == env.unwrapped.task
    assert again.render_mode == "rgb_array"


def test_vectorized_environments_play_side_by_side(task: TaskSpecification) -> None:
    vector = gymnasium.make_vec(ENVIRONMENT_ID, num_envs=2, vectorization_mode="sync", task=task)
    alone = CustomMiniGridEnv(task)
    vector.reset(seed=1)
    alone.reset()
    for action in (1, 2, 2, 5, 0, 2, 3):
        observations, rewards, *_ = vector.step(np.array([6, action]))
        observation, reward, *_ = alone.step(action)
        np.testing.assert_array_equal(observations["image"][1], observation["image"])
        assert observations["mission"][1] == observation["mission"]
        assert rewards[1] == reward
    assert vector.envs[0].unwrapped.agent_pos == task.maze.start


def test_environments_play_in_their_own_processes() -> None:
    vector = gymnasium.make_vec(
        ENVIRONMENT_ID,
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"shared_memory": False},
        task=corridor("@.G", max_steps=10),
    )
    vector.reset()
    vector.step(np.array([2, 6]))
    _, rewards, terminated, *_ = vector.step(np.array([2, 2]))
    vector.close()
    assert (rewards.tolist(), terminated.tolist()) == ([0.82, 0.0], [True, False])


def test_a_vectorized_environment_starts_anew_after_its_end() -> None:
    vector = gymnasium.make_vec(ENVIRONMENT_ID, num_envs=2, vectorization_mode="sync", task=corridor("@.G"))
    vector.reset()
    vector.step(np.array([2, 6]))
    _, _, terminated, _, _ = vector.step(np.array([2, 6]))
    assert terminated.tolist() == [True, False]
    vector.step(np.array([2, 2]))
    assert [env.unwrapped.agent_pos for env in vector.envs] == [(1, 1), (2, 1)]


IDS = """
from gymnasium import registry
print(*sorted(name for name in registry if name.startswith("gridworld/")))
"""


@pytest.mark.parametrize("imports", ["gridworld_minigrid, gymnasium", "gymnasium, gridworld_minigrid"])
def test_ids_are_registered_in_any_import_order(imports: str) -> None:
    done = run_python(f"import {imports}\n{IDS}", [])
    assert done.stderr == ""
    assert done.stdout.split() == sorted([ENVIRONMENT_ID, *SUITE_IDS])


def test_ids_of_several_packages_are_known_side_by_side() -> None:
    done = run_python(f"import gridworld_multigrid, gridworld_minigrid, gymnasium\n{IDS}", [])
    assert done.stderr == ""
    assert {ENVIRONMENT_ID, "gridworld/MultiGrid-v0"} <= set(done.stdout.split())


def test_the_package_alone_imports_no_gymnasium() -> None:
    done = run_python("import sys, gridworld_minigrid, gridworld_multigrid; print(*sys.modules)", [])
    assert not {"gymnasium", "minigrid", "numpy"} & set(done.stdout.split())


def test_there_is_an_id_of_each_suite_of_the_toolkit() -> None:
    ours = {
        each.item.name for each in get_registry().benchmarks if each.distribution.startswith(("gridworld", "multinet"))
    }
    assert set(SUITE_IDS.values()) == {name for name in ours if not name.startswith("gridworld-example")}


def test_a_suite_has_each_reset_play_one_of_its_tasks() -> None:
    env = gymnasium.make("gridworld/validation_10-v0")
    played = {env.reset(seed=seed)[1]["task_id"] for seed in range(30)}
    assert played <= {task.task_id for task in gridworld.suite("validation_10")}
    assert len(played) > 5
    _, info = env.reset(options={"task_id": "v04_single_key"})
    assert info["task_id"] == "v04_single_key"


def test_copies_play_a_suite() -> None:
    envs = gymnasium.make_vec("gridworld/worked_examples-v0", num_envs=4)
    _, infos = envs.reset(seed=1)
    assert set(infos["task_id"]) <= {task.task_id for task in gridworld.suite("worked_examples")}


def test_a_loaded_task_is_taken() -> None:
    task = gridworld.load("validation_10/v04_single_key")
    assert gymnasium.make(ENVIRONMENT_ID, task=task).unwrapped.task == task  # type: ignore[attr-defined]  # of our class
    assert read_named_task("validation_10/v04_single_key") == task


def test_an_unknown_render_mode_is_refused(task_file: Path) -> None:
    with pytest.raises(ValueError, match="render_mode has to be 'human', 'rgb_array' or None, got 'foo'"):
        gymnasium.make(ENVIRONMENT_ID, task=task_file, render_mode="foo")
