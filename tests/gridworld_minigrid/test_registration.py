"""`gymnasium.make` makes environments of tasks by id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from gridworld.errors import ArgumentError, InvalidTaskError, TaskFormatError
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import CustomMiniGridEnv
from gridworld_minigrid.registration import ENVIRONMENT_ID
from plugin_factory import run_python
from worlds import corridor, describe

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
    done = run_python(PLAY_A_FILE.format(environment_id=ENVIRONMENT_ID, path=task_file), [])
    assert done.stderr == ""
    assert done.stdout.strip() == "CustomMiniGridEnv [(0.0, False, False), (0.82, True, False)]"


def test_environments_are_vectorized_without_an_import_of_ours(task_file: Path) -> None:
    done = run_python(PLAY_A_FILE_TWICE_AT_ONCE.format(environment_id=ENVIRONMENT_ID, path=task_file), [])
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


def test_environments_play_in_processes_of_their_own_as_minigrids_do() -> None:
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


def test_the_short_id_is_known_once_the_registration_is_imported() -> None:
    assert isinstance(gymnasium.make("Gridworld-v0", task=corridor("@.G")).unwrapped, CustomMiniGridEnv)


def test_an_unknown_render_mode_is_refused(task_file: Path) -> None:
    with pytest.raises(ValueError, match="render_mode has to be 'human', 'rgb_array' or None, got 'foo'"):
        gymnasium.make(ENVIRONMENT_ID, task=task_file, render_mode="foo")
