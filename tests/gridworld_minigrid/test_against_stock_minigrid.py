"""The rules agree with MiniGrid's own, step by step, in everything that MiniGrid has.

Levels of stock environments are imported as tasks; the same actions are then played in the stock environment and in our
backend, so that what is imported wrongly shows as a difference, too. One rule differs on purpose: an episode that
succeeds on its very last step is terminated and not truncated, where MiniGrid says both.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from minigrid.core.grid import Grid
from minigrid.core.world_object import Door
from minigrid.minigrid_env import MiniGridEnv

from gridworld.actions import Action
from gridworld.backends.grid_state import GridState
from gridworld.generation.object_levels import task_of_objects
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from gridworld_minigrid.stock_levels import door_state, level_of
from support.environments import make_stock
from support.thoroughness import bounded
from support.worlds import compiled

LONGEST_EPISODE = 120
ROAMING = (*Action, Action.MOVE_FORWARD, Action.MOVE_FORWARD, Action.MOVE_FORWARD)
"""Every action, but forward four times as often as any other, to get about."""
Cell = tuple[int, int]
Actions = Iterator[int]


# --- The families of stock environments --------------------------------------------------------------------------


def task_of(env: MiniGridEnv) -> TaskSpecification:
    """The task of the level that an environment has just been reset to."""
    return task_of_objects(level_of(env), "minigrid", type(env).__name__, 0, "full")


@attrs.frozen(kw_only=True)
class Family:
    """Stock environments of one kind."""

    environments: tuple[str, ...]
    mazes: int
    """How many mazes of each environment are played, four episodes each; more in a thorough run."""
    shows: tuple[str, ...]
    """What has to happen in some of the episodes, in the words of `what_happened`."""
    walled_in: bool = True
    """Whether the stock grid has walls all around, as every task of ours does."""

    def begin(self, name: str, seed: int, max_steps: int | None = None) -> Pair:
        """The stock environment and our backend at the start of an episode."""
        env = make_stock(name, seed, max_steps)
        return Pair(env, task_of(env), f"{name}, seed {seed}")


ANY_MAZE = ("succeeded", "ran out of steps", "succeeded on the last step")
CLOSED_DOORS = ("closed door becomes open", "open door becomes closed")
KEYS_AND_DOORS = ("locked door becomes open", "key picked up", "key dropped")

FAMILIES = {
    "Empty": Family(
        environments=("Empty-5x5-v0", "Empty-6x6-v0", "Empty-8x8-v0", "Empty-16x16-v0"), mazes=1, shows=ANY_MAZE
    ),
    "Empty-Random": Family(environments=("Empty-Random-5x5-v0", "Empty-Random-6x6-v0"), mazes=3, shows=ANY_MAZE),
    "DoorKey": Family(
        environments=("DoorKey-5x5-v0", "DoorKey-6x6-v0", "DoorKey-8x8-v0"),
        mazes=5,
        shows=(*ANY_MAZE, *CLOSED_DOORS, *KEYS_AND_DOORS),
    ),
    "DoorKey-16x16": Family(
        environments=("DoorKey-16x16-v0",), mazes=2, shows=(*ANY_MAZE, "locked door becomes open", "key picked up")
    ),
    "LavaGap": Family(
        environments=("LavaGapS5-v0", "LavaGapS6-v0", "LavaGapS7-v0"), mazes=4, shows=(*ANY_MAZE, "died")
    ),
    "LavaCrossing": Family(
        environments=("LavaCrossingS9N1-v0", "LavaCrossingS9N2-v0", "LavaCrossingS9N3-v0", "LavaCrossingS11N5-v0"),
        mazes=5,
        shows=(*ANY_MAZE, "died"),
    ),
    "SimpleCrossing": Family(
        environments=(
            "SimpleCrossingS9N1-v0",
            "SimpleCrossingS9N2-v0",
            "SimpleCrossingS9N3-v0",
            "SimpleCrossingS11N5-v0",
        ),
        mazes=1,
        shows=ANY_MAZE,
    ),
    "MultiRoom": Family(
        environments=("MultiRoom-N2-S4-v0", "MultiRoom-N4-S5-v1", "MultiRoom-N6-v0"),
        mazes=3,
        shows=(*ANY_MAZE, *CLOSED_DOORS),
        walled_in=False,
    ),
    "FourRooms": Family(environments=("FourRooms-v0",), mazes=3, shows=ANY_MAZE),
}


# --- What is compared --------------------------------------------------------------------------------------------


@attrs.frozen
class Moment:
    """Everything that can be told after a step, the observation aside."""

    position: Cell
    direction: int
    carrying: tuple[str, str] | None
    """(type, colour)"""
    doors: Mapping[Cell, str]
    step_count: int
    reward: float
    terminated: bool
    truncated: bool


def doors_of(env: MiniGridEnv) -> dict[Cell, Door]:
    return {
        (index % env.width, index // env.width): thing
        for index, thing in enumerate(env.grid.grid)
        if isinstance(thing, Door)
    }


def look_at_stock(env: MiniGridEnv, reward: float, terminated: bool, truncated: bool) -> Moment:
    x, y = env.agent_pos
    succeeded = terminated and reward > 0
    return Moment(
        position=(int(x), int(y)),
        direction=int(env.agent_dir),
        carrying=(env.carrying.type, env.carrying.color) if env.carrying else None,
        doors={cell: door_state(door) for cell, door in doors_of(env).items()},
        step_count=env.step_count,
        reward=reward,
        terminated=terminated,
        truncated=truncated and not succeeded,
    )


def look_at_ours(backend: MiniGridBackend, state: GridState) -> Moment:
    world, kernel_state = backend.world, backend.episode.state
    colors = {key.id: key.color for key in world.task.mechanisms.keys}
    return Moment(
        position=state.agent_position,
        direction=state.agent_direction,
        carrying=("key", colors[state.agent_carrying]) if state.agent_carrying else None,
        doors={
            (door.position.x, door.position.y): world.by_id[door.id].value_name(kernel_state)
            for door in world.task.mechanisms.doors
        },
        step_count=state.step_count,
        reward=state.reward,
        terminated=state.terminated,
        truncated=state.truncated,
    )


def what_happened(before: Moment, after: Moment, max_steps: int) -> Iterator[str]:
    for cell, value in after.doors.items():
        if before.doors[cell] != value:
            yield f"{before.doors[cell]} door becomes {value}"
    if before.carrying != after.carrying:
        yield "key picked up" if after.carrying else "key dropped"
    if after.terminated:
        end = "succeeded" if after.reward else "died"
        yield end
        if after.step_count == max_steps:
            yield f"{end} on the last step"
    elif after.truncated:
        yield "ran out of steps"


class Pair:
    """A stock environment and our backend with the same maze, stepped together; a difference fails the test."""

    def __init__(self, stock: MiniGridEnv, task: TaskSpecification, title: str) -> None:
        self.stock, self.task, self.title = stock, task, title
        self.backend = MiniGridBackend(render_mode=None)
        self.backend.configure(task)
        _, state, _ = self.backend.reset()
        self.actions: list[int] = []
        self.happened: Counter[str] = Counter()
        self.now = look_at_stock(stock, reward=0, terminated=False, truncated=False)
        self._compare(stock.gen_obs(), state)

    def play(self, actions: Iterable[int]) -> None:
        """Take actions until the episode ends or there are no more of them."""
        for action in actions:
            self.step(action)
            if self.now.terminated or self.now.truncated:
                break

    def step(self, action: int) -> None:
        self.actions.append(int(action))
        before = self.now
        observation, reward, terminated, truncated, _ = self.stock.step(action)
        _, *outcome, state, _ = self.backend.step(action)
        assert outcome == [state.reward, state.terminated, state.truncated], self._where()
        self.now = look_at_stock(self.stock, float(reward), terminated, truncated)
        self._compare(observation, state)
        self.happened.update(what_happened(before, self.now, self.stock.max_steps))

    def _compare(self, observation: Mapping[str, Any], state: GridState) -> None:
        assert look_at_ours(self.backend, state) == self.now, self._where()
        assert state.open_doors == {f"door_{x}_{y}" for (x, y), value in self.now.doors.items() if value == "open"}
        symbolic = self.backend.env.gen_obs()
        assert symbolic["direction"] == observation["direction"], self._where()
        np.testing.assert_array_equal(symbolic["image"], observation["image"], self._where())

    def _where(self) -> str:
        return f"{self.title}, after the actions {self.actions}"


# --- Actions -----------------------------------------------------------------------------------------------------


def uniform(rng: random.Random) -> Actions:
    """Any action, whatever is in front."""
    return (rng.choice(tuple(Action)) for _ in count())


def curious(pair: Pair, rng: random.Random) -> Actions:
    """Mostly what something in front is good for: take a key, open a door, step onto goal and lava."""
    uses = {"key": Action.PICKUP, "goal": Action.MOVE_FORWARD, "lava": Action.MOVE_FORWARD}
    while True:
        thing = pair.stock.grid.get(*pair.stock.front_pos)
        if isinstance(thing, Door):
            useful = Action.MOVE_FORWARD if thing.is_open and rng.random() < 0.7 else Action.TOGGLE
        else:
            useful = uses.get(thing.type if thing else "", Action.MOVE_FORWARD)
        yield useful if rng.random() < 0.6 else rng.choice(ROAMING)


def guided(pair: Pair, plan: tuple[int, ...], rng: random.Random) -> Actions:
    """A plan that wins, followed for some way or to its end."""
    yield from plan[: rng.choice((len(plan), rng.randrange(len(plan))))]
    yield from curious(pair, rng)


def curious_episode(family: Family, name: str, seed: int, chance_seed: int) -> Pair:
    pair = family.begin(name, seed, LONGEST_EPISODE)
    pair.play(curious(pair, random.Random(chance_seed)))
    return pair


def plan_for(task: TaskSpecification) -> tuple[int, ...]:
    plan = solve(compiled(task)).plan
    assert plan is not None
    return plan


def episodes(family: Family, name: str, seed: int) -> Iterator[Pair]:
    """Four episodes in one maze: two without and two with help from the solver, one of these with no step to spare."""
    rng = random.Random(f"{name} {seed}")
    own_budget = make_stock(name, seed).max_steps
    budget = min(own_budget, LONGEST_EPISODE)
    pair = family.begin(name, seed, budget)
    plan = plan_for(pair.task)
    pair.play(uniform(rng))
    yield pair
    pair = family.begin(name, seed, budget)
    pair.play(curious(pair, rng))
    yield pair
    pair = family.begin(name, seed)
    pair.play(guided(pair, plan, rng))
    yield pair
    pair = family.begin(name, seed, len(plan))
    pair.play(plan)
    yield pair


in_some_families = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("DoorKey", "LavaGap", "MultiRoom") else pytest.mark.more)
        for name in FAMILIES
    ],
)


# --- The tests ---------------------------------------------------------------------------------------------------


@in_some_families
def test_steps_equal_minigrids(name: str) -> None:
    family = FAMILIES[name]
    happened: Counter[str] = Counter()

    @bounded(family.mazes)
    @given(st.integers(0, 2**31 - 1))
    def compare(seed: int) -> None:
        for environment in family.environments:
            for pair in episodes(family, environment, seed):
                happened.update(pair.happened)

    compare()
    missing = set(family.shows) - set(happened)
    assert not missing, f"only {dict(happened)}"


@in_some_families
def test_the_grid_stays_equal_to_the_stock_one(name: str) -> None:
    family = FAMILIES[name]
    for environment in family.environments:
        pair = curious_episode(family, environment, seed=0, chance_seed=0)
        ours, theirs = pair.backend.env.grid.encode(), pair.stock.grid.encode()
        np.testing.assert_array_equal(ours[1:-1, 1:-1], theirs[1:-1, 1:-1])
        assert np.array_equal(ours, theirs) == family.walled_in


@pytest.mark.parametrize(
    ("name", "highlight"),
    [
        ("DoorKey", True),
        ("LavaGap", False),
        *(
            pytest.param(name, number % 2 == 0, marks=pytest.mark.more)
            for number, name in enumerate(FAMILIES)
            if FAMILIES[name].walled_in
        ),
    ],
)
def test_the_picture_is_the_stock_one_pixel_for_pixel(name: str, highlight: bool) -> None:
    family = FAMILIES[name]
    Grid.tile_cache.clear()
    pair = family.begin(family.environments[-1], seed=1, max_steps=LONGEST_EPISODE)
    rng = random.Random(1)
    for action in guided(pair, plan_for(pair.task), rng):
        pair.play([action])
        ours = pair.backend.env.get_full_render(highlight, tile_size=8)
        np.testing.assert_array_equal(ours, pair.stock.get_full_render(highlight, tile_size=8))
        np.testing.assert_array_equal(pair.backend.env.get_pov_render(8), pair.stock.get_pov_render(8))
        if pair.now.terminated or pair.now.truncated:
            break


@pytest.mark.parametrize(("family", "name"), [("LavaGap", "LavaGapS5-v0"), ("LavaCrossing", "LavaCrossingS9N1-v0")])
def test_death_on_the_last_step_is_also_truncated_as_in_minigrid(family: str, name: str) -> None:
    episodes = (curious_episode(FAMILIES[family], name, seed=0, chance_seed=each) for each in count())
    deadly = next(pair.actions for pair in episodes if pair.happened["died"])
    again = FAMILIES[family].begin(name, seed=0, max_steps=len(deadly))
    again.play(deadly)
    assert again.happened["died on the last step"] == 1
    assert (again.now.terminated, again.now.truncated) == (True, True)


def test_success_on_the_last_step_is_not_truncated_unlike_in_minigrid() -> None:
    plan = plan_for(task_of(make_stock("Empty-5x5-v0", seed=0)))
    stock = make_stock("Empty-5x5-v0", seed=0, max_steps=len(plan))
    backend = MiniGridBackend(render_mode=None)
    backend.configure(task_of(stock))
    backend.reset()
    for action in plan:
        theirs, ours = stock.step(action), backend.step(action)
    assert theirs[1:4] == (pytest.approx(0.1), True, True)
    assert ours[1:4] == (pytest.approx(0.1), True, False)


@pytest.mark.parametrize("view_size", [3, 5, 9, 25])
@pytest.mark.parametrize("name", ["DoorKey-8x8-v0", pytest.param("MultiRoom-N4-S5-v1", marks=pytest.mark.more)])
def test_the_field_of_view_is_the_stock_one_at_every_view_size(name: str, view_size: int) -> None:
    stock = make_stock(name, seed=1, view_size=view_size)
    pair = Pair(stock, task_of(stock), f"{name} with a view of {view_size}")
    assert stock.gen_obs()["image"].shape == (view_size, view_size, 3)
    pair.play(guided(pair, plan_for(pair.task), random.Random(view_size)))
    assert pair.happened["succeeded"] + pair.happened["ran out of steps"] == 1
