"""`MiniGridBackend` keeps the contract of every backend and shows tasks as frames of MiniGrid's tiles."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from minigrid.minigrid_env import MiniGridEnv

from gridworld.actions import Action
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import CustomMiniGridEnv, MiniGridBackend
from gridworld_minigrid.tiles import draw_unseen_tile
from support.worlds import corridor, roaming_action, tasks

TILE = 8
seeds = st.integers(0, 10_000)


def ready(task: TaskSpecification, **options: Any) -> MiniGridBackend:
    """A backend at the start of an episode."""
    backend = MiniGridBackend(**options)
    backend.configure(task)
    backend.reset()
    return backend


# --- What it is --------------------------------------------------------------------------------------------------


def test_its_environment_shares_the_episode() -> None:
    backend = ready(corridor("@.G"))
    assert isinstance(backend.env, CustomMiniGridEnv)
    assert isinstance(backend.env, MiniGridEnv)
    backend.step(2)
    assert backend.env.agent_pos == (2, 1)


def test_its_environment_is_up_to_date_even_unseen() -> None:
    backend = MiniGridBackend()
    backend.configure(corridor("@..G"))
    backend.unseen = True
    backend.reset()
    for x in (1, 2, 3):
        assert tuple(backend.env.agent_pos) == (x, 1)
        backend.step(Action.MOVE_FORWARD)


@pytest.mark.parametrize(
    "arguments", [{"render_mode": "human"}, {"render_mode": "ansi"}, {"tile_size": 7}, {"max_side": 63}]
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(ValueError, match=name):
        MiniGridBackend(**arguments)


def test_max_side_limits_pictures_of_large_mazes() -> None:
    wide = corridor("@" + "." * 197 + "G")
    assert ready(wide).render().shape == (3 * 7, 201 * 7, 3)
    assert ready(wide, max_side=300).render().shape == (3, 201, 3)
    assert ready(corridor("@.G")).render().shape == (3 * 32, 5 * 32, 3)


# --- configure, reset, step --------------------------------------------------------------------------------------


def test_the_environment_gives_minigrids_symbolic_observation(task: TaskSpecification) -> None:
    backend = ready(task)
    for action in (2, 1, 2, 5):
        backend.step(action)
        symbolic = backend.env.gen_obs()
        theirs = MiniGridEnv.gen_obs(backend.env)
        np.testing.assert_array_equal(symbolic["image"], theirs["image"])
        assert (symbolic["direction"], symbolic["mission"]) == (theirs["direction"], theirs["mission"])


def test_the_symbolic_observation_has_the_view_size_of_the_task() -> None:
    assert ready(corridor("@.G", rules={"view_size": 9})).env.gen_obs()["image"].shape == (9, 9, 3)


# --- Frames ------------------------------------------------------------------------------------------------------


def test_every_turn_and_move_can_be_seen() -> None:
    backend = ready(corridor("@..G"))
    frames = [backend.render(), *(backend.step(action)[0] for action in (0, 0, 0, 0, 2))]
    assert len({frame.tobytes() for frame in frames[:4]}) == 4
    np.testing.assert_array_equal(frames[4], frames[0])
    assert not np.array_equal(frames[5], frames[4])


def test_the_field_of_view_is_highlighted_only_when_asked_for() -> None:
    maze = corridor("@..G")
    plain, highlighted = ready(maze).render(), ready(maze, highlight=True).render()
    np.testing.assert_array_equal(plain, ready(maze, highlight=False).render())
    assert (highlighted.mean(axis=2) >= plain.mean(axis=2)).all()
    assert highlighted.sum() > plain.sum()


# --- What the rules hide is in no frame --------------------------------------------------------------------------


def cells_drawn_as_unseen(frame: np.ndarray) -> set[tuple[int, int]]:
    height, width = frame.shape[0] // TILE, frame.shape[1] // TILE
    tiles = frame.reshape(height, TILE, width, TILE, 3).swapaxes(1, 2)
    unseen = draw_unseen_tile(TILE)
    return {(x, y) for y in range(height) for x in range(width) if np.array_equal(tiles[y, x], unseen)}


@given(task=tasks(), seed=seeds, highlight=st.booleans())
def test_a_frame_shows_the_cells_that_the_rules_show_and_no_others(
    task: TaskSpecification, seed: int, highlight: bool
) -> None:
    backend = ready(task, tile_size=TILE, highlight=highlight)
    rng = random.Random(seed)
    everywhere = {(x, y) for x in range(task.maze.width) for y in range(task.maze.height)}
    while not backend.world.is_over(backend.episode.state):
        frame, *_, state, _ = backend.step(roaming_action(backend.world, backend.episode.state, rng))
        shown = state.visible_cells if task.rules.observability == "view_cone" else state.explored_cells
        hand = {(0, 0)} if state.agent_carrying else set()
        assert cells_drawn_as_unseen(frame) == everywhere - shown - hand
