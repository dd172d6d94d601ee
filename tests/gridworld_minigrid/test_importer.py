"""Levels of stock MiniGrid environments as tasks: what solves the one solves the other, at the same step."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import minigrid  # noqa: F401  (registers its environments with Gymnasium)
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Ball, Box, Door, Floor, Goal, Key, Wall, WorldObj
from minigrid.minigrid_env import MiniGridEnv

from gridworld.actions import Action
from gridworld.errors import ArgumentError
from gridworld.generation.importer import Inexpressible
from gridworld.generation.object_levels import NoCounterpart, task_of_objects
from gridworld.plugins.tilings import compile_on
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from gridworld_minigrid.importer import MiniGridImporter
from gridworld_minigrid.stock_levels import level_of
from support.environments import make_stock

EXPRESSIBLE = {
    **dict.fromkeys(("Empty-5x5-v0", "Empty-6x6-v0", "Empty-8x8-v0", "Empty-16x16-v0"), 2),
    **dict.fromkeys(("Empty-Random-5x5-v0", "Empty-Random-6x6-v0"), 12),
    **dict.fromkeys(("DoorKey-5x5-v0", "DoorKey-6x6-v0", "DoorKey-8x8-v0", "DoorKey-16x16-v0"), 12),
    **dict.fromkeys(("MultiRoom-N2-S4-v0", "MultiRoom-N4-S5-v1", "MultiRoom-N6-v0"), 12),
    **dict.fromkeys(("FourRooms-v0", "LockedRoom-v0"), 12),
    **{f"SimpleCrossing{size}-v0": 10 for size in ("S9N1", "S9N2", "S9N3", "S11N5")},
    **{f"LavaCrossing{size}-v0": 10 for size in ("S9N1", "S9N2", "S9N3", "S11N5")},
    **dict.fromkeys(("LavaGapS5-v0", "LavaGapS6-v0", "LavaGapS7-v0"), 8),
    **dict.fromkeys(("DistShift1-v0", "DistShift2-v0"), 1),
    **dict.fromkeys(("UnlockPickup-v0", "BlockedUnlockPickup-v0"), 14),
    **{f"KeyCorridor{size}-v0": 10 for size in ("S3R2", "S3R3", "S4R3", "S5R3", "S6R3")},
    **dict.fromkeys(("ObstructedMaze-1Dl-v0", "ObstructedMaze-2Dl-v0"), 12),
}
"""Environments, and how many seeds of each a thorough run imports; for some there is no task."""
QUICK = 2
DIFFERENT = ("DoorKey-6x6-v0", "MultiRoom-N2-S4-v0", "LavaGapS5-v0", "BlockedUnlockPickup-v0", "KeyCorridorS3R2-v0")
"""Environments with different things in them."""

INEXPRESSIBLE = {
    "BabyAI-GoToRedBall-v0": "an instruction in words",
    "MiniGrid-Dynamic-Obstacles-6x6-v0": "its obstacles move at random",
    "MiniGrid-Fetch-5x5-N2-v0": "a wrong object ends the episode",
    "MiniGrid-GoToDoor-5x5-v0": "'done' beside a door",
    "MiniGrid-GoToObject-6x6-N2-v0": "'done' beside an object",
    "MiniGrid-KeyCorridorS3R1-v0": "no cell is free",
    "MiniGrid-MemoryS7-v0": "one of two objects",
    "MiniGrid-ObstructedMaze-1Dlh-v0": "hides a purple key",
    "MiniGrid-Playground-v0": "no goal squares",
    "MiniGrid-PutNear-6x6-N2-v0": "beside another",
    "MiniGrid-RedBlueDoors-6x6-v0": "two doors in order",
    "MiniGrid-Unlock-v0": "an open door",
}


def tasks_of(name: str, seeds: str) -> list[TaskSpecification | Inexpressible]:
    return list(MiniGridImporter(seeds).levels(name))


def task_of(name: str, seed: int) -> TaskSpecification:
    (task,) = tasks_of(name, str(seed))
    assert isinstance(task, TaskSpecification)
    return task


def plan_for(task: TaskSpecification) -> tuple[Action, ...]:
    plan = solve(compile_on("square", task)).plan
    assert plan is not None
    return plan


def turned(cell: tuple[int, int], size: tuple[int, int], turns: int) -> tuple[int, int]:
    """Where a cell comes to lie when a level is turned counter-clockwise."""
    (x, y), (width, height) = map(int, cell), size
    return (x, y) if turns == 0 else turned((y, width - 1 - x), (height, width), turns - 1)


# --- Plans -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "seeds"),
    [
        pytest.param(name, seeds, marks=mark, id=f"{name}, {len(seeds)} seeds")
        for name, count in EXPRESSIBLE.items()
        for seeds, mark in (
            (range(min(count, QUICK)), () if name in DIFFERENT else pytest.mark.more),
            (range(QUICK, count), pytest.mark.thorough),
        )
        if seeds
    ],
)
def test_optimal_plans_win_in_the_stock_environment(name: str, seeds: range) -> None:
    for seed in seeds:
        (task,) = tasks_of(f"MiniGrid-{name}", str(seed))
        if isinstance(task, Inexpressible):
            continue
        plan = plan_for(task)
        stock = gymnasium.make(f"MiniGrid-{name}", disable_env_checker=True).unwrapped
        stock.reset(seed=seed)
        outcomes = [stock.step(int(action))[1:4] for action in plan]
        assert not any(terminated or truncated for _, terminated, truncated in outcomes[:-1]), (name, seed)
        reward, terminated, _ = outcomes[-1]
        assert terminated, (name, seed)
        assert float(reward) == pytest.approx(1 - 0.9 * len(plan) / task.max_steps)


@given(
    name=st.sampled_from(["DoorKey-6x6-v0", "MultiRoom-N2-S4-v0", "UnlockPickup-v0", "LavaGapS6-v0"]),
    seed=st.integers(0, 10_000),
    actions=st.lists(st.sampled_from(Action), max_size=60),
)
def test_whatever_the_agent_does_it_is_where_it_is_in_the_level(name: str, seed: int, actions: list[Action]) -> None:
    (task,) = tasks_of(f"MiniGrid-{name}", str(seed))
    assume(isinstance(task, TaskSpecification))
    assert isinstance(task, TaskSpecification)
    stock = gymnasium.make(f"MiniGrid-{name}", disable_env_checker=True).unwrapped
    assert isinstance(stock, MiniGridEnv)
    stock.reset(seed=seed)
    turns = int(stock.agent_dir)
    episode = Episode(compile_on("square", task))
    episode.reset()
    for action in actions:
        front = stock.grid.get(*stock.front_pos)
        if action is Action.TOGGLE and isinstance(front, Box):
            continue  # which breaks it: the one thing that makes a difference, to an episode that cannot be won after
        _, reward, terminated, truncated, _ = stock.step(int(action))
        episode.step(action)
        place = turned(stock.agent_pos, (stock.width, stock.height), turns)
        assert episode.world.topology.lattice[episode.state.cell] == place
        assert (episode.state.heading + turns) % 4 == stock.agent_dir
        assert (episode.terminated, episode.reward) == (terminated, pytest.approx(float(reward)))
        if terminated or truncated:
            break


# --- What a task says --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_a_level_is_turned_until_its_agent_faces_right(seed: int) -> None:
    task, stock = task_of("MiniGrid-MultiRoom-N2-S4-v0", seed), make_stock("MultiRoom-N2-S4-v0", seed)
    turns = task.metadata["minigrid"]["quarter_turns"]
    sides = (stock.width, stock.height)
    assert task.maze.dimensions == (sides[::-1] if turns % 2 else sides)


def test_keys_stand_for_targets_and_are_recorded() -> None:
    task = task_of("MiniGrid-BlockedUnlockPickup-v0", 0)
    (wanted,) = task.goal.target_ids
    stand_ins = task.metadata["minigrid"]["stand_ins"]
    assert task.goal.type == "collect_all"
    assert {each.split()[1] for each in stand_ins.values()} == {"box", "ball"}
    assert stand_ins[wanted].endswith("box")
    assert task.metadata["minigrid"]["mission"].endswith(stand_ins[wanted])
    assert task.description == ""


def test_the_mission_is_the_description_without_stand_ins() -> None:
    assert task_of("MiniGrid-DoorKey-6x6-v0", 0).description == "Use the key to open the door and then get to the goal."


def test_an_agent_may_be_shown_as_little_as_in_minigrid() -> None:
    (task,) = MiniGridImporter("0", observability="view_cone").levels("MiniGrid-FourRooms-v0")
    assert isinstance(task, TaskSpecification)
    assert (task.rules.observability, task.rules.view_size) == ("view_cone", 7)


# --- What cannot be said -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INEXPRESSIBLE)
def test_what_has_no_counterpart_is_said(name: str) -> None:
    (level,) = tasks_of(name, "0")
    assert isinstance(level, Inexpressible)
    assert level.level == f"{name}, seed 0"
    assert INEXPRESSIBLE[name] in level.reason


@pytest.mark.more
def test_every_registered_environment_gives_tasks_or_a_reason() -> None:
    for name in gymnasium.registry:
        if name.startswith("MiniGrid-") and "WFC" not in name:
            assert len(tasks_of(name, "0")) == 1


class Tailored(MiniGridEnv):
    """A room of 6 x 6 cells with things that no stock level has."""

    def __init__(self, furnish: Callable[[Grid], None]) -> None:
        self._furnish = furnish
        super().__init__(MissionSpace(lambda: "win"), grid_size=6, max_steps=50)

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid = Grid(width, height)
        self.grid.wall_rect(0, 0, width, height)
        self.grid.set(4, 4, Goal())
        self._furnish(self.grid)
        self.agent_pos, self.agent_dir, self.mission = (1, 1), 0, "win"


def reason_for(*things: tuple[WorldObj | None, int, int]) -> str | None:
    """Why a room with these things, each with its column and row, has no task."""

    def furnish(grid: Grid) -> None:
        for thing, x, y in things:
            grid.set(x, y, thing)

    env = Tailored(furnish)
    env.reset(seed=0)
    try:
        task_of_objects(level_of(env), "minigrid", "Tailored-v0", 0, "full")
    except NoCounterpart as reason:
        return str(reason)
    return None


def test_a_ball_is_said_by_a_key_unless_that_would_open_a_door() -> None:
    locked = (Door("red", is_locked=True), 3, 2)
    assert reason_for((Ball("red"), 2, 3)) is None
    assert reason_for((Ball("blue"), 2, 3), (Key("red"), 2, 2), locked) is None
    assert "the red ball at [2, 3]" in str(reason_for((Ball("red"), 2, 3), (Key("red"), 2, 2), locked))


def test_a_box_can_be_said_only_where_it_is_what_is_wanted() -> None:
    assert "can be broken" in str(reason_for((Box("red"), 2, 3)))
    assert "hides a red key" in str(reason_for((Box("grey", Key("red")), 2, 3)))


def test_floor_on_which_nothing_can_be_put_down_has_no_counterpart() -> None:
    assert "nothing can be put down" in str(reason_for((Floor("blue"), 2, 3)))


def test_a_level_has_one_goal() -> None:
    assert "2 goal squares" in str(reason_for((Goal(), 2, 3)))


def test_a_level_is_walled_in() -> None:
    assert "the border has no wall at [0, 2]" in str(reason_for((None, 0, 2)))
    assert reason_for((None, 0, 2), (Wall(), 1, 2)) is None


def test_a_subclass_with_own_rules_is_inexpressible() -> None:
    class Stricter(Tailored):
        def step(self, action: int) -> object:  # type: ignore[override]  # what it does is not looked at
            return super().step(action)

    env = Stricter(lambda grid: None)
    env.reset(seed=0)
    with pytest.raises(NoCounterpart, match="rules of its own"):
        level_of(env)


# --- Wrong calls -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", ["", "x", "-1", "5-2", "1,,2", str(2**63)])
def test_seeds_are_numbers_and_ranges(seeds: str) -> None:
    with pytest.raises(ValueError, match=r"seeds|band"):
        MiniGridImporter(seeds)


def test_an_unknown_environment_is_refused_with_the_nearest() -> None:
    with pytest.raises(ArgumentError, match="did you mean 'MiniGrid-DoorKey-8x8-v0'"):
        tasks_of("MiniGrid-DoorKey-8x8", "0")


def test_an_environment_of_another_kind_is_refused() -> None:
    with pytest.raises(ArgumentError, match="'CartPole-v1' is not a MiniGrid environment"):
        tasks_of("CartPole-v1", "0")
