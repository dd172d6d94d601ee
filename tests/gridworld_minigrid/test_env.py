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
from minigrid.core.constants import COLOR_TO_IDX, OBJECT_TO_IDX
from minigrid.core.grid import Grid
from minigrid.minigrid_env import MiniGridEnv
from minigrid.wrappers import (
    ActionBonus,
    DirectionObsWrapper,
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
from gridworld.world import Episode
from gridworld.world.events import Moved, PickedUp
from gridworld.world.looks import look_at
from gridworld_minigrid import ENVIRONMENT_ID, CustomMiniGridEnv
from gridworld_minigrid.objects import make_object
from gridworld_minigrid.tiles import Shade, draw_tile, draw_unseen_tile
from gridworld_minigrid.vector_env import VectorGridEnv
from support.environments import expect_kept_picture
from support.worlds import compiled, corridor, door, draw, draw_everything, hazard, key, roaming_action, tasks

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


def test_info_tells_what_a_step_did() -> None:
    env = CustomMiniGridEnv(corridor("@.kG", k=key()))
    _, info = env.reset()
    assert info["events"] == ()
    assert env.step(Action.MOVE_FORWARD)[4]["events"] == (Moved(origin=7, target=8),)
    assert [type(event) for event in env.step(Action.PICKUP)[4]["events"]] == [PickedUp]


def test_the_mission_is_the_sentence_of_the_goal() -> None:
    env = CustomMiniGridEnv(draw_everything(goal={"type": "collect_all", "target_ids": ["k", "s"]}))
    observation, _ = env.reset()
    assert observation["mission"] == env.mission == "pick up the red key and switch on the purple switch"


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


def test_an_environment_can_share_the_episode_of_its_owner() -> None:
    episode = Episode(compiled(corridor("@.G")))
    env = CustomMiniGridEnv(episode)
    env.reset()
    episode.step(Action.MOVE_FORWARD)
    env.sync()
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


def test_what_is_carried_is_seen_in_the_agents_own_place() -> None:
    env = make_env(corridor("@kG", k=key("blue")))
    observation, *_ = env.step(Action.PICKUP)
    assert (env.carrying.type, env.carrying.color) == ("key", "blue")
    assert tuple(observation["image"][3, 6]) == (OBJECT_TO_IDX["key"], COLOR_TO_IDX["blue"], 0)
    assert env.grid.get(2, 1) is None


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


def test_the_direction_wrapper_works_with_a_goal_position() -> None:
    env = DirectionObsWrapper(CustomMiniGridEnv(corridor("@..G")), type="angle_atan2")
    observation, _ = env.reset()
    assert env.observation_space.contains(observation)


def test_the_fully_observing_wrapper_sees_the_grid_and_the_agent() -> None:
    env = FullyObsWrapper(CustomMiniGridEnv(corridor("@kG", k=key("blue"))))
    env.reset()
    image = env.step(Action.PICKUP)[0]["image"]
    assert [OBJECT_TO_IDX["agent"], OBJECT_TO_IDX["empty"], OBJECT_TO_IDX["goal"]] == list(image[1:4, 1, 0])


def test_the_view_size_wrapper_equals_an_environment_of_that_size(task: TaskSpecification) -> None:
    wrapped, own = ViewSizeWrapper(CustomMiniGridEnv(task), 5), CustomMiniGridEnv(task, agent_view_size=5)
    wrapped.reset()
    own.reset()
    for theirs, ours in zip(roam(wrapped, seed=8), roam(own, seed=8), strict=True):
        np.testing.assert_array_equal(theirs[0]["image"], ours[0]["image"])


# --- Pictures ----------------------------------------------------------------------------------------------------

NATIVE_MAZES = {
    "a locked door": draw(
        """
        ########
        #@..#..#
        #.k.D..#
        #...#.G#
        ########
        """,
        k=key("yellow"),
        D=door("yellow"),
    ),
    "doors and keys of many colours": draw(
        """
        #########
        #@b.D..O#
        #.g.#.G.#
        #.C.E...#
        #########
        """,
        b=key("blue"),
        g=key("grey"),
        D=door("blue"),
        C=door("purple", "closed"),
        E=door("grey"),
        O=door("green", "open"),
        goal={"type": "survive_steps"},
    ),
    "lava": draw(
        """
        #######
        #@....#
        #..lm.#
        #....G#
        #######
        """,
        l=hazard(),
        m=hazard(),
    ),
}


@pytest.fixture
def _empty_tile_cache() -> None:
    """MiniGrid keeps tiles by encoding, which would let other tests' objects show up here."""
    Grid.tile_cache.clear()


@pytest.mark.usefixtures("_empty_tile_cache")
@pytest.mark.parametrize("highlight", [False, True], ids=["plain", "highlighted"])
@pytest.mark.parametrize("maze", NATIVE_MAZES.values(), ids=NATIVE_MAZES)
def test_the_picture_is_minigrids_pixel_for_pixel(maze: TaskSpecification, highlight: bool) -> None:
    env = make_env(maze)
    for _ in roam(env, seed=0):
        ours = env.get_full_render(highlight, TILE)
        np.testing.assert_array_equal(ours, MiniGridEnv.get_full_render(env, highlight, TILE))


@pytest.mark.usefixtures("_empty_tile_cache")
@pytest.mark.parametrize("maze", NATIVE_MAZES.values(), ids=NATIVE_MAZES)
def test_the_agents_own_picture_is_minigrids_pixel_for_pixel(maze: TaskSpecification) -> None:
    env = make_env(maze)
    for _ in roam(env, seed=0):
        np.testing.assert_array_equal(env.get_pov_render(TILE), MiniGridEnv.get_pov_render(env, TILE))


def drawn_afresh(env: CustomMiniGridEnv, lit: frozenset[int]) -> np.ndarray:
    """A picture of what the agent may be shown, which owes nothing to earlier pictures."""
    episode, world, state = env.episode, env.episode.world, env.episode.state

    def tile(cell: int) -> np.ndarray:
        look = episode.look(cell)
        if look is None:
            return draw_unseen_tile(TILE)
        shade = Shade.LIT if cell in lit else Shade.PLAIN
        heading = state.heading if cell == state.cell else None
        return draw_tile(
            make_object(world, look), heading, shade if cell in episode.knowledge.visible else Shade.REMEMBERED, TILE
        )

    rows = [range(y * env.width, (y + 1) * env.width) for y in range(env.height)]
    return np.vstack([np.hstack([tile(cell) for cell in row]) for row in rows])


@given(task=tasks(), seed=seeds, stride=st.integers(1, 5))
def test_a_kept_picture_equals_one_drawn_afresh(task: TaskSpecification, seed: int, stride: int) -> None:
    env = make_env(task)
    world = env.episode.world
    for _ in islice(roam(env, seed), 0, None, stride):
        state = env.episode.state
        view = world.topology.sight(state.cell, state.heading, env.agent_view_size)
        lit = view.seen(world.opaque_cells(state))
        np.testing.assert_array_equal(env.get_full_render(True, TILE), drawn_afresh(env, lit))
        np.testing.assert_array_equal(env.get_full_render(False, TILE), drawn_afresh(env, frozenset()))


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


def test_render_can_show_the_agents_own_view() -> None:
    env = make_env(corridor("@.G"), render_mode="rgb_array", agent_pov=True, agent_view_size=5)
    np.testing.assert_array_equal(env.render(), env.get_pov_render(32))
    assert env.render().shape == (5 * 32, 5 * 32, 3)


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
