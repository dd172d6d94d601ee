"""`CustomMiniGridEnv` is an environment for Gymnasium and a real `MiniGridEnv`."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st
from minigrid.core.grid import Grid
from minigrid.minigrid_env import MiniGridEnv
from minigrid.wrappers import (
    ActionBonus,
    FlatObsWrapper,
    FullyObsWrapper,
    ImgObsWrapper,
    PositionBonus,
    ReseedWrapper,
    RGBImgObsWrapper,
    RGBImgPartialObsWrapper,
    SymbolicObsWrapper,
    ViewSizeWrapper,
)

from gridworld.actions import Action
from gridworld.errors import (
    ArgumentError,
    EpisodeOver,
    InvalidAction,
    NotResetError,
)
from gridworld.task_spec import TaskSpecification
from gridworld.world.looks import look_at
from gridworld_minigrid import ENVIRONMENT_ID, CustomMiniGridEnv
from gridworld_minigrid.objects import make_object
from gridworld_minigrid.vector_env import VectorGridEnv
from support.environments import expect_kept_picture
from support.worlds import corridor, hazard, roaming_action, tasks

TILE = 8
seeds = st.integers(0, 10_000)


def make_env(task: TaskSpecification, **options: Any) -> CustomMiniGridEnv:
    env = CustomMiniGridEnv(task, **options)
    env.reset()
    return env


def roam(env: gymnasium.Env[Any, Any], seed: int) -> Iterator[Any]:
    """The outcomes of random steps up to the end of the episode."""
    rng, episode = random.Random(seed), env.unwrapped.episode
    ended = False
    while not ended:
        outcome = env.step(roaming_action(episode.world, episode.state, rng))
        ended = outcome[2] or outcome[3]
        yield outcome


# --- Gymnasium ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("render_mode", [None, "rgb_array"])
def test_gymnasiums_checker_finds_nothing(
    task: TaskSpecification, render_mode: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # the checker also tries the render mode "human"
    env = gymnasium.make(ENVIRONMENT_ID, task=task, render_mode=render_mode, disable_env_checker=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings(
            "ignore", "The system font|'fc-list' is missing"
        )  # what fonts there are is the machine's affair
        check_env(env.unwrapped)


def test_a_step_tells_reward_and_end_in_plain_python_types(task: TaskSpecification) -> None:
    for _, reward, terminated, truncated, _ in roam(make_env(task), seed=2):
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)


# --- Reset and the limits of an episode --------------------------------------------------------------------------


@given(task=tasks(), seed=seeds, steps=st.integers(1, 80))
def test_reset_restores_the_task_after_any_actions(task: TaskSpecification, seed: int, steps: int) -> None:
    env = CustomMiniGridEnv(task)
    first, _ = env.reset()
    grid, picture = env.grid.encode(), env.get_full_render(True, TILE)
    for _ in islice(roam(env, seed), steps):
        pass
    again, _ = env.reset()
    np.testing.assert_array_equal(again["image"], first["image"])
    np.testing.assert_array_equal(env.grid.encode(), grid)
    np.testing.assert_array_equal(env.get_full_render(True, TILE), picture)
    assert (env.agent_pos, env.agent_dir, env.carrying, env.step_count) == (task.maze.start, 0, None, 0)


@pytest.mark.parametrize(
    "use",
    [
        lambda env: env.step(Action.DONE),
        lambda env: env.gen_obs(),
        lambda env: env.get_full_render(True, TILE),
    ],
    ids=["step", "gen_obs", "get_full_render"],
)
def test_nothing_works_before_reset(use: Callable[[CustomMiniGridEnv], object]) -> None:
    env = CustomMiniGridEnv(corridor("@.G"))
    with pytest.raises(NotResetError):
        use(env)


@pytest.mark.parametrize(
    ("row", "options"),
    [("@G", {}), ("@hG", {"h": hazard()}), ("@.G", {"max_steps": 1})],
    ids=["success", "death", "truncation"],
)
def test_a_step_after_the_end_is_refused_and_changes_nothing(row: str, options: dict[str, Any]) -> None:
    env = make_env(corridor(row, **options))
    env.step(Action.MOVE_FORWARD)
    before = (env.episode.state, env.agent_pos, env.hash())
    with pytest.raises(EpisodeOver):
        env.step(Action.TURN_LEFT)
    assert (env.episode.state, env.agent_pos, env.hash()) == before


@pytest.mark.parametrize("action", [7, -1, None, "forward", 1.5, [2]], ids=repr)
def test_an_action_outside_the_seven_is_refused_and_changes_nothing(action: Any) -> None:
    env = make_env(corridor("@.G"))
    before = env.episode.state
    with pytest.raises(InvalidAction):
        env.step(action)
    assert env.episode.state is before


@pytest.mark.parametrize("action", [np.int64(2), np.uint8(2), np.array(2)], ids=["int64", "uint8", "array"])
def test_actions_of_numpy_are_taken_as_minigrid_takes_them(action: Any) -> None:
    env = make_env(corridor("@.G"))
    env.step(action)
    assert env.agent_pos == (2, 1)


# --- MiniGrid's own view of the world ----------------------------------------------------------------------------


def assert_sees_what_minigrid_sees(env: CustomMiniGridEnv) -> None:
    ours, theirs = env.gen_obs(), MiniGridEnv.gen_obs(env)
    np.testing.assert_array_equal(ours["image"], theirs["image"])
    assert ours["image"].dtype == theirs["image"].dtype
    assert (ours["direction"], ours["mission"]) == (theirs["direction"], theirs["mission"])


@given(task=tasks(), seed=seeds, view_size=st.sampled_from([None, 3, 5, 9]))
def test_the_observation_is_what_minigrid_would_make_of_the_grid(
    task: TaskSpecification, seed: int, view_size: int | None
) -> None:
    env = make_env(task, agent_view_size=view_size)
    assert_sees_what_minigrid_sees(env)
    for observation, *_ in roam(env, seed):
        np.testing.assert_array_equal(observation["image"], MiniGridEnv.gen_obs(env)["image"])
        assert_sees_what_minigrid_sees(env)


def test_the_view_has_the_size_that_the_task_asks_for() -> None:
    env = make_env(corridor("@.G", rules={"view_size": 5}))
    assert env.gen_obs()["image"].shape == env.observation_space["image"].shape == (5, 5, 3)


def test_an_observation_is_the_callers_own() -> None:
    env = make_env(corridor("@.G"))
    first = env.gen_obs()["image"]
    kept = first.copy()
    first[:] = 0
    np.testing.assert_array_equal(env.gen_obs()["image"], kept)


@given(task=tasks(), seed=seeds)
def test_minigrids_grid_shows_every_change_of_the_world(task: TaskSpecification, seed: int) -> None:
    env = make_env(task)
    for _ in roam(env, seed):
        world, (state, known) = env.episode.world, env.episode.snapshot
        expected, cells = Grid(env.width, env.height), range(env.width * env.height)
        expected.grid = [make_object(world, look_at(world, state, cell, known.met)) for cell in cells]
        np.testing.assert_array_equal(env.grid.encode(), expected.encode())


@given(task=tasks(), seed=seeds)
def test_what_minigrids_grid_lets_pass_is_what_the_rules_let_pass(task: TaskSpecification, seed: int) -> None:
    env = make_env(task)
    for _ in roam(env, seed):
        world, state = env.episode.world, env.episode.state
        opaque = world.opaque_cells(state)
        for cell, thing in enumerate(env.grid.grid):
            assert (thing is None or thing.can_overlap()) == world.is_free(state, cell)
            assert (thing is None or thing.see_behind()) == (cell not in opaque)


def test_the_agent_of_minigrid_is_the_agent_of_the_episode(task: TaskSpecification) -> None:
    env = make_env(task)
    for _ in roam(env, seed=4):
        state = env.episode.state
        assert env.agent_pos == divmod(state.cell, env.width)[::-1]
        assert (env.agent_dir, env.step_count) == (state.heading, state.steps)
        assert env.steps_remaining == task.max_steps - state.steps


def test_the_grid_can_be_printed_whatever_is_in_it(task: TaskSpecification) -> None:
    env = make_env(task)
    rows = env.pprint_grid().split("\n")
    assert [len(row) for row in rows] == [2 * env.width] * env.height
    assert rows[1].startswith("WG>>  KR  LR")


# --- MiniGrid's wrappers -----------------------------------------------------------------------------------------

WRAPPERS: dict[str, Callable[[gymnasium.Env[Any, Any]], gymnasium.Env[Any, Any]]] = {
    "FullyObsWrapper": FullyObsWrapper,
    "RGBImgObsWrapper": RGBImgObsWrapper,
    "RGBImgPartialObsWrapper": RGBImgPartialObsWrapper,
    "FlatObsWrapper": FlatObsWrapper,
    "ImgObsWrapper": ImgObsWrapper,
    "SymbolicObsWrapper": SymbolicObsWrapper,
    "ViewSizeWrapper": lambda env: ViewSizeWrapper(env, agent_view_size=5),
    "ActionBonus": ActionBonus,
    "PositionBonus": PositionBonus,
    "ReseedWrapper": ReseedWrapper,
    "ImgObsWrapper of RGBImgPartialObsWrapper": lambda env: ImgObsWrapper(RGBImgPartialObsWrapper(env)),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_minigrids_wrappers_work(task: TaskSpecification, wrap: Callable[..., gymnasium.Env[Any, Any]]) -> None:
    env = wrap(CustomMiniGridEnv(task))
    observation, _ = env.reset()
    assert env.observation_space.contains(observation)
    for observation, *_ in roam(env, seed=6):
        assert env.observation_space.contains(observation)


def test_the_view_size_wrapper_equals_an_environment_of_that_size(task: TaskSpecification) -> None:
    wrapped, own = ViewSizeWrapper(CustomMiniGridEnv(task), 5), CustomMiniGridEnv(task, agent_view_size=5)
    wrapped.reset()
    own.reset()
    for theirs, ours in zip(roam(wrapped, seed=8), roam(own, seed=8), strict=True):
        np.testing.assert_array_equal(theirs[0]["image"], ours[0]["image"])


# --- Pictures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent_pov", [False, True])
def test_a_picture_is_the_callers_own(task: TaskSpecification, agent_pov: bool) -> None:
    env = make_env(task)
    first = env.get_frame(tile_size=TILE, agent_pov=agent_pov)
    kept = first.copy()
    first[:] = 7
    np.testing.assert_array_equal(env.get_frame(tile_size=TILE, agent_pov=agent_pov), kept)


@pytest.mark.parametrize("size", [-1, 0, 1, 4, 1025, 2.5, "x"])
def test_a_view_that_no_task_could_have_is_refused(size: Any) -> None:
    for make in (CustomMiniGridEnv, partial(VectorGridEnv, num_envs=1)):
        with pytest.raises(ArgumentError, match=r"agent_view_size must be an odd whole number from 3 to 1023"):
            make(corridor("@.G"), agent_view_size=size)


def test_without_copy_the_kept_picture_is_read_only_and_updated(task: TaskSpecification) -> None:
    kept, own = (CustomMiniGridEnv(task, render_mode="rgb_array", tile_size=TILE, copy=copy) for copy in (False, True))
    for env in (kept, own):
        env.reset()
    expect_kept_picture(kept, own)


def test_render_gives_a_frame_only_in_the_mode_that_has_frames() -> None:
    maze = corridor("@.G")
    frame = make_env(maze, render_mode="rgb_array", tile_size=16).render()
    assert (frame.shape, frame.dtype) == ((3 * 16, 5 * 16, 3), np.uint8)
    assert make_env(maze).render() is None


def test_the_highlight_can_be_left_out() -> None:
    maze = corridor("@.G")
    plain = make_env(maze, render_mode="rgb_array", highlight=False)
    np.testing.assert_array_equal(plain.render(), plain.get_full_render(False, 32))
    assert not np.array_equal(plain.render(), plain.get_full_render(True, 32))


def test_people_can_watch_an_episode_in_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = make_env(corridor("@.G"), render_mode="human", screen_size=320)
    env.step(Action.MOVE_FORWARD)
    assert env.window.get_size() == (320, 320)
    env.close()
