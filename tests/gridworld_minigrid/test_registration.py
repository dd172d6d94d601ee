"""`gymnasium.make` and `make_vec` make environments of tasks by id, with both backends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import gridworld
from gridworld.errors import ArgumentError, InvalidTaskError, TaskFormatError, UnknownNameError
from gridworld.plugins import get_registry
from gridworld_minigrid import ENVIRONMENT_ID as SQUARES
from gridworld_minigrid import SUITE_IDS, CustomMiniGridEnv
from gridworld_multigrid import ENVIRONMENT_ID as TILED
from gridworld_multigrid import MultiGridEnv
from support.programs import run_python
from support.worlds import corridor, describe

MADE: dict[str, type] = {
    f"gridworld_minigrid:{SQUARES}": CustomMiniGridEnv,
    f"gridworld_multigrid:{TILED}": MultiGridEnv,
}
"""Id with its package, as Gymnasium finds it before anything of ours is imported, to the class."""
both = pytest.mark.parametrize("name", MADE)

PLAY_A_FILE = """
import sys
import gymnasium
assert not {{"gridworld_minigrid", "gridworld_multigrid"}} & set(sys.modules)
env = gymnasium.make("{name}", task="{path}")
env.reset(seed=1)
print(type(env.unwrapped).__name__, [env.step(2)[1:4] for _ in range(2)])
envs = gymnasium.make_vec("{name}", num_envs=2, vectorization_mode="sync", task="{path}")
envs.reset()
print([each.tolist() for each in envs.step([2, 6])[1:4]])
"""


@pytest.mark.parametrize("name", [next(iter(MADE)), pytest.param([*MADE][1], marks=pytest.mark.more)])
def test_ids_are_known_without_an_import_of_ours(name: str, tmp_path: Path) -> None:
    corridor("@.G", max_steps=10).to_json(tmp_path / "puzzle.json")
    done = run_python(PLAY_A_FILE.format(name=name, path=tmp_path / "puzzle.json"), [])
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"{MADE[name].__name__} [(0.0, False, False), (0.82, True, False)]",
        "[[0.0, 0.0], [False, False], [False, False]]",
    ]


@both
@pytest.mark.parametrize("form", ["specification", "path", "text path", "contents"])
def test_a_task_is_taken_in_any_form(name: str, form: str, tmp_path: Path) -> None:
    task, path = corridor("@.G"), tmp_path / "puzzle.json"
    task.to_json(path)
    forms = {"specification": task, "path": path, "text path": str(path), "contents": task.to_dict()}
    env = gymnasium.make(name, task=forms[form])
    assert isinstance(env.unwrapped, MADE[name])
    assert env.unwrapped.task == task


@both
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_an_unknown_option_is_refused_with_the_nearest(name: str, make: Callable[..., object]) -> None:
    given, nearest = ("agent_viewsize", "agent_view_size") if "minigrid" in name else ("tilling", "tiling")
    with pytest.raises(ArgumentError, match=rf"has no argument '{given}' \(did you mean '{nearest}'\?\)"):
        make(name, task=corridor("@.G"), **{given: 5})


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        (SQUARES, {"task": {**describe("####\n#@G#\n####"), "max_steps": 0}}, InvalidTaskError, "max_steps"),
        (SQUARES, {"task": {**describe("####\n#@G#\n####"), "max_steps": "ten"}}, TaskFormatError, "max_steps"),
        (SQUARES, {"render_mode": "foo"}, ValueError, "render_mode must be 'human', 'rgb_array' or None, got 'foo'"),
        (TILED, {"task": {**describe("####\n#@G#\n####"), "max_steps": 0}}, InvalidTaskError, "max_steps"),
        (TILED, {"task": {**describe("####\n#@G#\n####"), "max_steps": "ten"}}, TaskFormatError, "max_steps"),
        (TILED, {"tiling": "hexes"}, UnknownNameError, "tiling"),
        (TILED, {"render_mode": "ansi"}, ValueError, "render_mode"),
        (TILED, {"actions": "natives"}, ValueError, "actions"),
        (TILED, {"image_size": 12}, ValueError, "image_size"),
    ],
    ids=str,
)
def test_invalid_arguments_are_refused(
    name: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        gymnasium.make(name, **{"task": corridor("@.G"), **options})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (SQUARES, {"vectorization_mode": "async", "vector_kwargs": {"shared_memory": False}}),
        (SQUARES, {"vectorization_mode": "sync"}),
        (TILED, {"vectorization_mode": "sync"}),
    ],
)
def test_vectorized_environments_end_and_begin_again_one_by_one(name: str, options: dict[str, Any]) -> None:
    vector = gymnasium.make_vec(name, num_envs=2, task=corridor("@.G", max_steps=10), **options)
    vector.reset()
    vector.step(np.array([2, 6]))
    _, rewards, terminated, *_ = vector.step(np.array([2, 2]))
    assert (rewards.tolist(), terminated.tolist()) == ([0.82, 0.0], [True, False])
    _, rewards, terminated, *_ = vector.step(np.array([2, 2]))
    assert (rewards.tolist(), terminated.tolist()) == ([0.0, pytest.approx(0.73)], [False, True])
    vector.close()


def test_every_suite_of_the_toolkit_has_an_id() -> None:
    ours = {
        each.item.name for each in get_registry().benchmarks if each.distribution.startswith(("gridworld", "multinet"))
    }
    assert set(SUITE_IDS.values()) == {name for name in ours if not name.startswith("gridworld-example")}


def test_resets_draw_the_tasks_of_a_suite() -> None:
    env = gymnasium.make("gridworld/validation_10-v0")
    played = {env.reset(seed=seed)[1]["task_id"] for seed in range(30)}
    assert played <= {task.task_id for task in gridworld.suite("validation_10")}
    assert len(played) > 5
    _, info = env.reset(options={"task_id": "v04_single_key"})
    assert info["task_id"] == "v04_single_key"
    envs = gymnasium.make_vec("gridworld/worked_examples-v0", num_envs=4)
    _, infos = envs.reset(seed=1)
    assert set(infos["task_id"]) <= {task.task_id for task in gridworld.suite("worked_examples")}
