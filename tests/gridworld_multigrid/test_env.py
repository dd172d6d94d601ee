"""`MultiGridEnv`: a task on any tiling as a Gymnasium environment ."""

import random
import warnings
from collections.abc import Callable
from typing import Any

import attrs
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import ACTION_SPACE
from gridworld.errors import (
    EpisodeOver,
    InvalidAction,
    NotResetError,
)
from gridworld.task_spec import TaskSpecification
from gridworld.world.events import Moved, Pushed
from gridworld_multigrid import ENVIRONMENT_ID, Action, MultiGridEnv
from gridworld_multigrid.codes import COLOR_CODES, OBJECT_CODES, STATE_CODES, Codes
from support.environments import expect_kept_picture
from support.tilings import everything, on_two_tilings, start_on
from support.twins import with_rules
from support.worlds import block, corridor, door, hazard, key, look, switch, tasks, teleporter

SET = [everything(), attrs.evolve(corridor("@.k.G", k=key()), task_id="small")]


def started(task: TaskSpecification, **options: Any) -> MultiGridEnv:
    """An environment at the start of an episode."""
    env = MultiGridEnv(task, **options)
    env.reset()
    return env


def meaning(observation: dict[str, Any], env: MultiGridEnv, position: tuple[int, int]) -> tuple[str, str | None, str]:
    """(object, colour, state) of the anchor of a lattice cell, in words."""
    codes = observation["cells"][env.episode.world.topology.patches[position][0]][:3]
    tables = (OBJECT_CODES, COLOR_CODES, STATE_CODES)
    thing, color, state = (
        next(name for name, code in table.items() if code == each) for table, each in zip(tables, codes, strict=True)
    )
    return thing, color, state


# --- Gymnasium -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "render_mode", "actions"), [("square", None, "external"), ("3464", "rgb_array", "native")]
)
def test_gymnasium_finds_no_fault_in_it(
    name: str, render_mode: str | None, actions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # the checker also tries the render mode "human"
    options = {"tiling": name, "render_mode": render_mode, "image_size": 64, "actions": actions}
    env = gymnasium.make(ENVIRONMENT_ID, task=SET, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()


# --- Playing -------------------------------------------------------------------------------------------------------


def test_actions_are_external_by_default() -> None:
    assert MultiGridEnv(corridor("@.G")).action_space == gymnasium.spaces.Discrete(len(ACTION_SPACE))
    assert MultiGridEnv(corridor("@.G"), actions="native").action_space == gymnasium.spaces.Discrete(len(Action))


def test_backward_and_push_are_among_them() -> None:
    env = started(corridor(".@b..G", b=block()), actions="native")
    assert [type(event) for event in env.step(Action.PUSH)[4]["events"]] == [Pushed, Moved]
    env.step(Action.BACKWARD)
    env.step(Action.BACKWARD)
    assert look(env.episode).agent_position == (1, 1)


@on_two_tilings
def test_reset_restores_the_task(name: str) -> None:
    env, rng = MultiGridEnv(everything(), tiling=name, actions="native"), random.Random(1)
    first, info = env.reset(seed=4)
    assert info == {"events": (), "event_records": [], "success": False, "task_id": "drawn"}
    for _ in range(40):
        if env.episode.world.is_over(env.episode.state):
            break
        env.step(rng.randrange(env.action_space.n))
    again, _ = env.reset()
    np.testing.assert_equal(again, first)


WRONG_USES: dict[str, tuple[Callable[[], MultiGridEnv], int, type[Exception]]] = {
    "before reset": (lambda: MultiGridEnv(corridor("@.G")), 0, NotResetError),
    "no such action": (lambda: started(corridor("@.G")), 7, InvalidAction),
    "no such native action": (lambda: started(corridor("@.G"), actions="native"), 9, InvalidAction),
    "after the end": (lambda: started(corridor("@G")), 2, EpisodeOver),
}


@pytest.mark.parametrize("use", WRONG_USES)
def test_wrong_use_is_refused(use: str) -> None:
    make, action, error = WRONG_USES[use]
    env = make()
    if use == "after the end":
        env.step(action)
    with pytest.raises(error):
        env.step(action)


# --- Observations --------------------------------------------------------------------------------------------------


@given(task=tasks(), seed=st.integers(0, 10_000), name=st.sampled_from(("square", "hex", "3464")))
def test_every_observation_is_in_its_space_and_up_to_date(task: TaskSpecification, seed: int, name: str) -> None:
    env, rng = MultiGridEnv(task, tiling=name, actions="native"), random.Random(seed)
    observation, _ = env.reset()
    while not env.episode.world.is_over(env.episode.state) and env.episode.state.steps < 30:
        observation = env.step(rng.randrange(env.action_space.n))[0]
    assert observation in env.observation_space
    cells = range(len(observation["cells"]))
    assert [tuple(code) for code in observation["cells"]] == [
        Codes(env.episode.world).of(env.episode.look(cell)) for cell in cells
    ]
    assert (observation["agent"], observation["direction"]) == (env.episode.state.cell, env.episode.state.heading)


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (None, ("floor", None, "")),
        (key("purple"), ("keys", "purple", "")),
        (door("blue", "closed"), ("doors", "blue", "closed")),
        (door("blue", "open"), ("doors", "blue", "open")),
        (switch(color="green", initial_state="on"), ("switches", "green", "switched-on toggle")),
        (block(color="red"), ("blocks", "red", "")),
        (block(color="red", pushable=False), ("blocks", "red", "fixed")),
        (hazard("pit"), ("hazards", None, "pit")),
    ],
    ids=str,
)
def test_the_codes_of_a_cell_tell_what_is_there(thing: Any, told: tuple[str, str | None, str]) -> None:
    env = MultiGridEnv(corridor("@.x.G" if thing else "@...G", **({"x": thing} if thing else {})), tiling="488")
    observation, _ = env.reset()
    assert meaning(observation, env, (3, 1)) == told
    assert meaning(observation, env, (0, 0)) == ("wall", None, "")
    assert meaning(observation, env, (5, 1)) == ("goal", None, "")


def test_the_codes_tell_the_dots_of_blocks_targets_and_teleporters() -> None:
    goal = {"type": "push_block_to", "target_ids": ["b", "c"], "target_positions": ["t", "u"]}
    things = {"b": block(color="red"), "c": block(color="red"), "dD": teleporter(bidirectional=False)}
    env = MultiGridEnv(corridor("@bct.udDG", goal=goal, **things), tiling="hex")
    observation, _ = env.reset()
    assert [int(observation["cells"][env.episode.world.topology.anchor((x, 1))][3]) for x in range(2, 9)] == [
        *(1, 2, 1, 0, 2, 1, 1)
    ]
    parts = [meaning(observation, env, (x, 1)) for x in (7, 8)]
    assert parts == [("teleporters", None, "entrance"), ("teleporters", None, "exit")]
    assert meaning(observation, env, (4, 1)) == ("target", "red", "")


def test_unseen_cells_have_the_code_zero() -> None:
    env = MultiGridEnv(with_rules(everything(), observability="view_cone", view_size=3), tiling="hex")
    observation, _ = env.reset()
    for cell, code in enumerate(observation["cells"]):
        assert (code.tolist() == [0, 0, 0, 0]) == (env.episode.look(cell) is None)


def test_the_mission_is_told() -> None:
    assert MultiGridEnv(corridor("@.G")).reset()[0]["mission"] == "reach the goal"


# --- Pictures ------------------------------------------------------------------------------------------------------


@on_two_tilings
def test_pictures_are_drawn_on_request_and_kept_up_to_date(name: str) -> None:
    env = started(everything(), tiling=name, render_mode="rgb_array", image_size=(96, 80), actions="native")
    frames = [env.render()]
    for action in (Action.TURN_RIGHT, Action.FORWARD, Action.BACKWARD):
        env.step(action)
        frames.append(env.render())
    assert {frame.shape for frame in frames if frame is not None} == {frames[0].shape}
    assert frames[0].shape[0] <= 80
    assert frames[0].shape[1] <= 96
    env.reset()
    np.testing.assert_array_equal(env.render(), frames[0])
    assert env.episode.state == start_on(name, everything()).state


@on_two_tilings
def test_without_copy_the_kept_picture_is_read_only_and_updated(name: str) -> None:
    kept, own = (
        started(everything(), tiling=name, render_mode="rgb_array", image_size=96, copy=own) for own in (False, True)
    )
    expect_kept_picture(kept, own)


def test_without_a_render_mode_there_is_no_picture() -> None:
    assert started(corridor("@.G")).render() is None


def test_before_reset_there_is_no_picture() -> None:
    with pytest.raises(NotResetError):
        MultiGridEnv(corridor("@.G"), render_mode="rgb_array").render()
