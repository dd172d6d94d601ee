"""Environments of several tasks: which task an episode plays, and that all of them fit into one space."""

import itertools
import json
from pathlib import Path
from typing import Any

import attrs
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.runner.task_set import TaskSet
from gridworld.suites import find_suite
from gridworld.task_spec import TaskSpecification
from gridworld.world import compile_world, square_topology
from gridworld_minigrid import ENVIRONMENT_ID as MINIGRID
from gridworld_multigrid import ENVIRONMENT_ID as MULTIGRID
from support.worlds import block, corridor, draw, key

SMALL = attrs.evolve(corridor("@.G"), task_id="small")
LARGE = attrs.evolve(draw("#########\n#@k.....#\n#......G#\n#########", k=key()), task_id="large")
NARROW = attrs.evolve(
    draw(
        "######\n#@.b.#\n#.x.G#\n######",
        b=block(),
        goal={"type": "push_block_to", "target_ids": ["b"], "target_positions": ["x"]},
        rules={"observability": "view_cone", "view_size": 9},
    ),
    task_id="narrow",
)
SET = [SMALL, LARGE, NARROW]
ENVIRONMENTS: dict[str, tuple[str, dict[str, Any]]] = {"minigrid": (MINIGRID, {})} | {
    tiling: (MULTIGRID, {"tiling": tiling, "image_size": 64}) for tiling in ("square", "3464")
}
in_each_environment = pytest.mark.parametrize("environment", ENVIRONMENTS)


def make(environment: str, task: Any, **options: Any) -> gymnasium.Env[Any, Any]:
    environment_id, usual = ENVIRONMENTS[environment]
    return gymnasium.make(environment_id, task=task, **usual, **options)


def played(env: gymnasium.Env[Any, Any], seed: int, episodes: int = 12) -> list[str]:
    """The tasks of so many episodes, of which the first is seeded."""
    return [env.reset(seed=seed if number == 0 else None)[1]["task_id"] for number in range(episodes)]


# --- Which task is played ------------------------------------------------------------------------------------------


@in_each_environment
def test_a_seed_gives_the_same_tasks_in_the_same_order(environment: str) -> None:
    env = make(environment, SET)
    orders = [played(env, seed) for seed in (1, 2, 3)]
    assert orders == [played(make(environment, SET), seed) for seed in (1, 2, 3)]
    assert len(set(map(tuple, orders))) == 3
    assert set(itertools.chain(*orders)) == {"small", "large", "narrow"}


@in_each_environment
def test_a_task_can_be_chosen(environment: str) -> None:
    env = make(environment, SET)
    for task in (*SET, *reversed(SET)):
        observation, info = env.reset(seed=5, options={"task_id": task.task_id})
        assert info["task_id"] == task.task_id == env.unwrapped.task.task_id  # type: ignore[attr-defined]
        assert observation["mission"] == env.unwrapped.mission  # type: ignore[attr-defined]
        assert env.step(6)[4]["task_id"] == task.task_id


@in_each_environment
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"task_id": "smal"}, UnknownNameError, r"'smal' \(did you mean 'small'\?\)"),
        ({"task": "small"}, ArgumentError, r"'task' of reset \(did you mean 'task_id'\?\); there is 'task_id'"),
        (5, ArgumentError, "options of reset: expected a dictionary with 'task_id', got"),
        ("small", ArgumentError, "options of reset: expected a dictionary with 'task_id', got"),
        (["task_id"], ArgumentError, "options of reset: expected a dictionary with 'task_id', got"),
    ],
    ids=str,
)
def test_wrong_options_are_refused(environment: str, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(environment, SET).reset(options=options)


def test_a_suite_is_found_by_name() -> None:
    env = make("minigrid", "validation_10")
    ids = {task.task_id for task in find_suite("validation_10")}
    assert set(played(env, 1, episodes=60)) <= ids
    assert all(env.reset(options={"task_id": each})[1]["task_id"] == each for each in ids)


def test_tasks_of_all_forms_can_be_listed(tmp_path: Path) -> None:
    SMALL.to_json(tmp_path / "small.json")
    (tmp_path / "folder").mkdir()
    NARROW.to_json(tmp_path / "folder" / "narrow.json")
    forms = [tmp_path / "small.json", LARGE.to_dict(), tmp_path / "folder", "tiers/t1_01_open_room"]
    env = make("minigrid", forms)
    for task_id in ("small", "large", "narrow", "t1_01_open_room"):
        assert env.reset(options={"task_id": task_id})[1]["task_id"] == task_id


@pytest.mark.parametrize(
    ("task", "message"),
    [([], "at least one task"), ([SMALL, SMALL], "more than one task has the id 'small'")],
    ids=["none", "two of one id"],
)
@in_each_environment
def test_empty_sets_and_duplicate_ids_are_refused(
    environment: str, task: list[TaskSpecification], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        make(environment, task)


def test_no_random_number_without_choice() -> None:
    rng, untouched = np.random.default_rng(1), np.random.default_rng(1)
    tasks = TaskSet([compile_world(SMALL, square_topology(*SMALL.maze.dimensions))])
    tasks.choose(None, rng)
    assert rng.random() == untouched.random()


# --- One space for all ---------------------------------------------------------------------------------------------


@in_each_environment
def test_tasks_in_sets_are_padded_with_unseen_cells(environment: str) -> None:
    together, alone = make(environment, SET), make(environment, SMALL)
    together.reset(options={"task_id": "large"})
    one, other = together.reset(options={"task_id": "small"})[0], alone.reset()[0]
    name = "image" if environment == "minigrid" else "cells"
    assert one[name].any(axis=-1).sum() == other[name].any(axis=-1).sum()
    assert one["mission"] == other["mission"]
    assert together.action_space == alone.action_space


@in_each_environment
def test_gymnasium_finds_no_fault_in_sets(environment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # the checker also tries the render mode "human"
    check_env(make(environment, SET, render_mode="rgb_array").unwrapped)


@in_each_environment
def test_pictures_of_all_tasks_have_one_size(environment: str) -> None:
    env = make(environment, SET, render_mode="rgb_array")
    shapes = set()
    for task in SET:
        env.reset(options={"task_id": task.task_id})
        shapes.add(env.render().shape)  # type: ignore[union-attr]
    assert len(shapes) == 1


@in_each_environment
def test_environment_spec_contains_the_tasks(environment: str) -> None:
    env = make(environment, [task.to_dict() for task in SET])
    assert env.spec is not None
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert played(again, 4) == played(env, 4)


# --- What is told --------------------------------------------------------------------------------------------------


@in_each_environment
def test_info_has_success_and_plain_events(environment: str) -> None:
    env = make(environment, SMALL, actions="external") if environment != "minigrid" else make(environment, SMALL)
    _, info = env.reset()
    told = [info]
    while not (told[-1]["success"] or len(told) > 5):
        told.append(env.step(2)[4])
    assert [each["success"] for each in told] == [False] * (len(told) - 1) + [True]
    for each in told:
        assert each["event_records"] == [event.to_dict() for event in each["events"]]
        json.dumps(each["event_records"])
    assert told[-1]["event_records"][-1] == {"kind": "Succeeded"}


@in_each_environment
def test_masks_are_there_for_who_asks(environment: str) -> None:
    env = make(environment, corridor("@k.G", k=key()))
    env.reset()
    masks = env.get_wrapper_attr("action_masks")()
    assert (masks.shape, masks.dtype) == ((7,), np.dtype(bool))
    assert masks[0]
    assert masks[1]
    assert masks[6]
    if environment != "3464":
        assert masks.tolist() == [True, True, False, True, False, False, True]


def test_native_actions_have_nine_masks() -> None:
    env = make("3464", SMALL, actions="native")
    env.reset()
    assert env.get_wrapper_attr("action_masks")().shape == (9,)


@in_each_environment
def test_people_can_watch(environment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    env = make(environment, SET, render_mode="human")
    env.reset(options={"task_id": "large"})
    shown = []
    for action in (1, 2):
        env.step(action)
        shown.append(pygame.surfarray.array3d(pygame.display.get_surface()).tobytes())
    assert shown[0] != shown[1]
    env.reset(options={"task_id": "small"})
    env.close()
    assert pygame.display.get_surface() is None
