"""Tasks as environments of the package ``multigrid``, and its levels as tasks.

That the rules and observations agree step by step is tested in `test_against_pypi_multigrid`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from multigrid.base import MultiGridEnv
from multigrid.core.world_object import Door, Goal, Key
from multigrid.envs import CONFIGURATIONS
from multigrid.pettingzoo import PettingZooWrapper, to_pettingzoo_env
from multigrid.wrappers import FullyObsWrapper, OneHotObsWrapper, SingleAgentWrapper
from pettingzoo.test import parallel_api_test

from gridworld.errors import ArgumentError, EpisodeOver, InvalidAction, InvalidTaskError, NotResetError
from gridworld.generation.importer import Inexpressible
from gridworld.plugins.tilings import compile_on
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid import multigrid_env
from gridworld_multigrid.pypi_env import TaskMultiGridEnv
from gridworld_multigrid.pypi_importer import MultiGridImporter
from gridworld_multigrid.pypi_levels import make_environment, reset_level
from support.commands import multinet, run_eval
from support.worlds import LETTERS, block, corridor, door, draw, gate, hazard, key, switch

LOCKED = draw("#######\n#@kd.G#\n#..#h.#\n#######", k=key(), d=door("red"), h=hazard())
IMPORTED = (
    "MultiGrid-BlockedUnlockPickup-v0",
    "MultiGrid-Empty-5x5-v0",
    "MultiGrid-Empty-Random-5x5-v0",
    "MultiGrid-Empty-6x6-v0",
    "MultiGrid-Empty-Random-6x6-v0",
    "MultiGrid-Empty-8x8-v0",
    "MultiGrid-Empty-16x16-v0",
)
INEXPRESSIBLE = {
    "MultiGrid-LockedHallway-2Rooms-v0": "each unlocked door is rewarded",
    "MultiGrid-LockedHallway-4Rooms-v0": "each unlocked door is rewarded",
    "MultiGrid-LockedHallway-6Rooms-v0": "each unlocked door is rewarded",
    "MultiGrid-Playground-v0": "it has no goal squares",
    "MultiGrid-RedBlueDoors-6x6-v0": "two doors in order",
    "MultiGrid-RedBlueDoors-8x8-v0": "two doors in order",
}


def step(env: MultiGridEnv, letters: str) -> tuple[Any, ...]:
    """Take actions by their letters; return what the last one returned."""
    for letter in letters:
        result = env.step({0: LETTERS[letter]})
    return tuple(each[0] for each in result)


# --- The environment -------------------------------------------------------------------------------------------------


def test_a_task_is_an_environment_of_the_package_with_its_grid_and_objects() -> None:
    env = multigrid_env(LOCKED)
    env.reset(seed=0)

    assert isinstance(env, MultiGridEnv)
    assert (env.num_agents, env.width, env.height, env.max_steps) == (1, 7, 4, LOCKED.max_steps)
    assert isinstance(env.grid.get(2, 1), Key)
    assert env.grid.get(3, 1).is_locked
    step(env, "P")
    assert env.agents[0].state.carrying.color == "red"
    assert env.grid.get(2, 1) is None
    step(env, "FT")
    assert isinstance(env.grid.get(3, 1), Door)
    assert env.grid.get(3, 1).is_open


def test_success_ends_the_episode_with_the_kernels_reward() -> None:
    env = multigrid_env(corridor("@G", max_steps=10))
    env.reset()

    _, reward, terminated, truncated, info = step(env, "F")

    assert (reward, terminated, truncated, info["success"]) == (pytest.approx(0.91), True, False, True)
    assert env.agents[0].terminated
    with pytest.raises(EpisodeOver):
        step(env, "F")


def test_wrong_calls_are_refused() -> None:
    env = multigrid_env(LOCKED)
    with pytest.raises(NotResetError):
        step(env, "F")
    env.reset()
    with pytest.raises(InvalidAction):
        env.step({0: 7})
    with pytest.raises(ArgumentError, match="agent_view_size"):
        multigrid_env(LOCKED, agent_viewsize=5)
    with pytest.raises(ArgumentError, match="expected one task, got"):
        multigrid_env("tiers")


def test_everything_that_the_package_does_not_know_is_named() -> None:
    things = {"s": switch("g"), "g": gate(), "b": block(), "h": hazard(hazard_type="pit")}
    task = draw("#######\n#@s.gG#\n#b.h..#\n#######", **things)

    with pytest.raises(InvalidTaskError) as caught:
        multigrid_env(task)

    named = {problem.path for problem in caught.value.problems}
    assert named == {
        "mechanisms.switches[0]",
        "mechanisms.gates[0]",
        "mechanisms.blocks[0]",
        "mechanisms.hazards[0].hazard_type",
    }


def test_a_goal_without_a_goal_square_shows_none() -> None:
    env = multigrid_env(corridor("@k.G", goal={"type": "collect_all", "target_ids": ["k"]}, k=key()))
    env.reset()
    assert not any(isinstance(each, Goal) for each in env.grid.grid)
    assert step(env, "P")[1:3] == (pytest.approx(env.episode.reward), True)


def test_it_passes_gymnasiums_check_as_an_environment_of_one_agent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a wrapper is not what the checker expects
        check_env(SingleAgentWrapper(multigrid_env(LOCKED, render_mode="rgb_array")))


@pytest.mark.parametrize(("wrapper", "shape"), [(FullyObsWrapper, (4, 7, 3)), (OneHotObsWrapper, (7, 7, 21))])
def test_its_wrappers_work(wrapper: Any, shape: tuple[int, ...]) -> None:
    env = wrapper(multigrid_env(LOCKED))
    observation, _ = env.reset()
    assert env.unwrapped.agents[0].observation_space["image"].shape == shape
    assert sorted(np.shape(observation[0]["image"])) == sorted(shape)
    assert not np.array_equal(step(env, "P")[0]["image"], observation[0]["image"])


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_it_passes_the_api_test_of_pettingzoo() -> None:
    parallel_api_test(PettingZooWrapper(multigrid_env(LOCKED)), num_cycles=300)
    parallel_api_test(to_pettingzoo_env(TaskMultiGridEnv, metadata={"name": "locked_v0"})(LOCKED), num_cycles=300)


def test_it_is_drawn_by_the_package() -> None:
    env = multigrid_env(LOCKED, render_mode="rgb_array", tile_size=8)
    env.reset()
    before = env.render()
    step(env, "P")
    assert before.shape == (4 * 8, 7 * 8, 3)
    assert not np.array_equal(before, env.render())


IMPORTS = """
import sys
import gridworld_multigrid.pypi_importer
from gridworld_multigrid import multigrid_env
print("numba" in sys.modules)
"""


def test_numba_is_not_imported_before_it_is_needed() -> None:
    finished = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True)
    assert finished.stdout.split() == ["False"]


def test_without_the_package_the_command_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "multigrid"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "multigrid", None)
    for name in ("pypi_env", "pypi_levels"):
        monkeypatch.delitem(sys.modules, f"gridworld_multigrid.{name}")

    for call in (lambda: multigrid_env(LOCKED), lambda: MultiGridImporter().make(IMPORTED[0])):
        with pytest.raises(ArgumentError, match=r"pip install 'gridworld-multigrid\[multigrid\]'"):
            call()


# --- Levels ----------------------------------------------------------------------------------------------------------


def levels(name: str, seeds: str) -> list[Any]:
    return list(MultiGridImporter(seeds).levels(name))


@pytest.mark.parametrize("name", IMPORTED)
def test_a_shortest_plan_solves_the_level_with_the_same_reward(name: str) -> None:
    tasks = [(seed, task) for seed, task in enumerate(levels(name, "0-9")) if isinstance(task, TaskSpecification)]
    assert tasks
    for seed, task in tasks:
        plan = solve(compile_on("square", task)).plan
        assert plan is not None
        env = make_environment(name)
        reset_level(env, seed)
        outcomes = [env.step({0: int(action)}) for action in plan]
        assert env.agents[0].terminated
        assert float(outcomes[-1][1][0]) == pytest.approx(1 - 0.9 * len(plan) / task.max_steps)
        assert not any(float(each[1][0]) for each in outcomes[:-1])


@pytest.mark.parametrize("name", INEXPRESSIBLE)
def test_what_cannot_be_expressed_is_named(name: str) -> None:
    (level,) = levels(name, "3")
    assert isinstance(level, Inexpressible)
    assert level.level == f"{name}, seed 3"
    assert INEXPRESSIBLE[name] in level.reason


def test_every_environment_of_the_package_is_known() -> None:
    assert {*IMPORTED, *INEXPRESSIBLE} == set(CONFIGURATIONS)


def test_a_level_follows_from_its_seed() -> None:
    name = "MultiGrid-BlockedUnlockPickup-v0"
    assert levels(name, "1-4") == [*levels(name, "1-2"), *levels(name, "3-4")]
    assert len({str(each.maze) for each in levels(name, "1-4") if isinstance(each, TaskSpecification)}) > 1


def test_an_unknown_environment_is_refused_with_the_nearest() -> None:
    with pytest.raises(ArgumentError, match="did you mean 'MultiGrid-Empty-8x8-v0'"):
        levels("MultiGrid-Empty-8x8", "0")


def test_imported_levels_are_solved_and_played(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    for number, name in enumerate(IMPORTED[:5]):
        finished = multinet("tasks", "import", "multigrid", name, "--seeds", "1-2", "-o", folder / str(number))
        assert finished.exit_code == 0, finished.stderr

    played = run_eval("--task-dir", folder, "-m", "optimal", "-o", tmp_path / "results.json", "-q")

    assert played.exit_code == 0, played.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert (results["num_tasks"], results["success_rate"]) == (10, 1.0)
