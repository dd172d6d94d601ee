"""`TaskParser`: populated environments from specifications, files and dictionaries."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from minigrid.minigrid_env import MiniGridEnv

from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import CustomMiniGridEnv, MiniGridBackend, TaskParser
from support.worlds import block, describe, door, gate, hazard, key, switch, teleporter

Made = Callable[[], CustomMiniGridEnv]

DATA = describe(
    """
    #########
    #@k.d.sg#
    #.b.h.t.#
    #..u...G#
    #########
    """,
    k=key("purple"),
    d=door("blue", "closed"),
    s=switch("g", color="red"),
    g=gate(),
    b=block(color="green"),
    tu=teleporter(),
    h=hazard("lava"),
)
SPEC = TaskSpecification.from_dict(DATA)


@pytest.fixture(params=["parse", "parse_file", "parse_dict"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    """Makes an environment in each of the three ways."""
    path = tmp_path / "tier1" / "maze_simple_001.json"
    path.parent.mkdir()
    path.write_text(json.dumps(DATA), encoding="utf-8")
    parser = TaskParser(render_mode="rgb_array")
    ways: dict[str, Made] = {
        "parse": lambda: parser.parse(SPEC, seed=SPEC.seed),
        "parse_file": lambda: parser.parse_file(str(path)),
        "parse_dict": lambda: parser.parse_dict(DATA),
    }
    return ways[request.param]


def test_an_environment_is_a_custom_minigrid_env_of_the_task(made: Made) -> None:
    env = made()
    assert isinstance(env, CustomMiniGridEnv)
    assert isinstance(env, MiniGridEnv)
    assert isinstance(env, gymnasium.Env)
    assert env.task == SPEC


def test_an_environment_is_populated(made: Made) -> None:
    env = made()
    kinds = {(x, y): thing.type for x in range(9) for y in range(5) if (thing := env.grid.get(x, y)) is not None}
    walls = {(x, y) for x in range(9) for y in range(5) if x in (0, 8) or y in (0, 4)}
    assert {cell for cell, kind in kinds.items() if kind == "wall"} == walls
    assert set(kinds) - walls == {
        tuple(entry[field])
        for entries in DATA["mechanisms"].values()
        for entry in entries
        for field in ("position", "position_a", "position_b")
        if field in entry
    } | {(7, 3)}
    assert (kinds[2, 1], env.grid.get(2, 1).color) == ("key", "purple")
    assert (kinds[4, 1], env.grid.get(4, 1).color) == ("door", "blue")
    assert (kinds[4, 2], kinds[7, 3]) == ("lava", "goal")


def test_parse_resets_the_environment_itself(made: Made) -> None:
    env = made()
    assert (tuple(env.agent_pos), env.agent_dir, env.step_count) == ((1, 1), 0, 0)
    _, reward, terminated, truncated, _ = env.step(3)
    assert (reward, terminated, truncated, env.step_count) == (0, False, False, 1)
    assert env.carrying is not None
    assert env.carrying.color == "purple"


def test_reset_restores_the_task(made: Made) -> None:
    env = made()
    grid, picture = env.grid.encode(), env.render()
    for action in (3, 2, 2, 5, 1, 2):
        env.step(action)
    assert (env.grid.encode() != grid).any()

    env.reset()

    np.testing.assert_array_equal(env.grid.encode(), grid)
    np.testing.assert_array_equal(env.render(), picture)
    assert (tuple(env.agent_pos), env.agent_dir, env.step_count, env.carrying) == ((1, 1), 0, 0, None)


def test_a_reset_environment_is_played_as_a_new_one(made: Made) -> None:
    env, fresh = made(), made()
    env.step(3)
    env.reset(seed=9)
    for action in (3, 2, 2, 5, 2, 1):
        ours, theirs = env.step(action), fresh.step(action)
        np.testing.assert_array_equal(ours[0]["image"], theirs[0]["image"])
        assert ours[1:4] == theirs[1:4]
        np.testing.assert_array_equal(env.render(), fresh.render())


def test_the_render_mode_is_that_of_the_parser(made: Made) -> None:
    picture: Any = made().render()
    assert (picture.ndim, picture.shape[2], picture.dtype) == (3, 3, np.uint8)
    assert TaskParser().parse(SPEC).render_mode is None


def test_a_seed_need_not_be_given() -> None:
    assert TaskParser().parse(SPEC).np_random_seed == SPEC.seed
    assert TaskParser().parse(SPEC, seed=5).np_random_seed == 5


def test_the_minigrid_backend_plays_the_environment_that_the_parser_makes() -> None:
    parsed = TaskParser(render_mode="rgb_array", highlight=False).parse(SPEC)
    backend = MiniGridBackend()
    backend.configure(SPEC)
    backend.reset()
    for action in (3, 2, 2, 5, 2, 1, 4, 2):
        parsed.step(action)
        picture, *_ = backend.step(action)
        assert type(backend.env) is type(parsed)
        np.testing.assert_array_equal(backend.env.grid.encode(), parsed.grid.encode())
        drawn = parsed.render()
        if parsed.carrying is not None:  # the backend shows what is held upon the corner
            assert (picture[:32, :32] != drawn[:32, :32]).any()
            drawn[:32, :32] = picture[:32, :32]
        np.testing.assert_array_equal(picture, drawn)
