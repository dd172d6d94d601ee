"""The rules agree step by step with those of the package ``multigrid``, in everything that it has.

Random tasks of walls, keys, doors, lava and a goal are played with the same actions by our kernel on squares, by the
package, and by the environment that `multigrid_env` makes of the task. Three rules differ on purpose: a success on the
last step is terminated and not truncated, where multigrid says both; an action after the end is an error, where
multigrid goes on; and an unknown action is an error, where multigrid takes a step.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from multigrid import Action as TheirAction
from multigrid import Door, Goal, Grid, Key, Lava, MultiGridEnv, Wall

from gridworld.solver.plans import NoPlanError, winning_plan
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from gridworld_multigrid import multigrid_env
from support.thoroughness import bounded
from support.worlds import LETTERS, begin, compiled, door, draw, hazard, key, look, roaming_action

TASKS = 67
"""Number of random tasks, with three episodes each: 201 episodes."""
OFTEN = {
    "key picked up": 30,
    "key dropped": 6,
    "locked door becomes open": 5,
    "closed door becomes open": 12,
    "open door becomes closed": 12,
    "succeeded": 18,
    "succeeded on the last step": 9,
    "died": 5,
    "ran out of steps": 5,
}
"""Events of `what_happened` that have to occur, with their minimum counts."""
TYPE_KEY, TYPE_DOOR = 5, 4
"""The package's numbers of object types."""
MAX_STATES = 20_000
"""Limit of the solver."""
Cell = tuple[int, int]
seeds = st.integers(0, 2**32 - 1)


# --- Random tasks ----------------------------------------------------------------------------------------------------


def random_task(seed: int) -> dict[str, Any]:
    """The contents of a task file: a maze, in most cases with a wall across whose only gap has a door."""
    rng = random.Random(seed)
    width, height = rng.randint(5, 9), rng.randint(4, 8)
    cells = [[x, y] for y in range(1, height - 1) for x in range(1, width - 1)]
    rng.shuffle(cells)
    across = rng.randint(2, width - 3) if rng.random() < 0.7 else None
    near = [cell for cell in cells if across is None or cell[0] < across]
    far = [cell for cell in cells if across is not None and cell[0] > across] or near
    start, goal = near.pop(), far.pop()
    colors = [rng.choice(COLOR_NAMES) for _ in range(rng.randint(1, 2))]
    keys = [{"id": f"key {i}", "position": near.pop(), "color": color} for i, color in enumerate(colors) if near]
    spare = near if near is far else near + far
    rng.shuffle(spare)
    wall_across = [cell for cell in cells if cell[0] == across]
    gaps = wall_across[:1] + ([spare.pop()] if len(spare) > 4 else [])
    doors = [
        {"id": f"door {i}", "position": cell, **random_lock(rng, [each["color"] for each in keys])}
        for i, cell in enumerate(gaps)
    ]
    way_out = [start[0], start[1] + 1 if start[1] + 2 < height else start[1] - 1]
    built = [spare.pop() for _ in range(len(spare) // 8)]
    walls = wall_across[1:] + [cell for cell in built if cell != way_out]
    lava = [{"id": f"lava {i}", "position": spare.pop()} for i in range(len(spare) // 7)]
    return {
        "task_id": f"random-{seed}",
        "seed": seed,
        "difficulty_tier": 1,
        "maze": {"dimensions": [width, height], "walls": walls, "start": start, "goal": goal},
        "mechanisms": {"keys": keys, "doors": doors, "hazards": lava},
        "rules": {
            "key_consumption": False,
            "view_size": rng.choice((3, 5, 7)),
            "observability": rng.choice(("full", "view_cone")),
        },
        "goal": {"type": "reach_position"},
        "max_steps": rng.randint(50, 200),
    }


def random_lock(rng: random.Random, colors: list[str]) -> dict[str, Any]:
    state = rng.choice(("locked", "locked", "closed", "open"))
    uncolored = state != "locked" and rng.random() < 0.5
    return {"initial_state": state, "requires_key": None if uncolored else rng.choice(colors)}


# --- The peer --------------------------------------------------------------------------------------------------------


class PeerEnv(MultiGridEnv):  # type: ignore[misc]  # that package has no types
    """A task as a user of the package would write it; observations, actions and outcomes are keyed by agent 0."""

    def __init__(self, task: TaskSpecification) -> None:
        self.task = task
        world = compiled(task)
        width, height = task.maze.dimensions
        super().__init__(
            world.goal_type.mission(world), 1, width=width, height=height, max_steps=task.max_steps,
            agent_view_size=task.rules.view_size,
        )  # fmt: skip

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid = Grid(width, height)
        self.grid.wall_rect(0, 0, width, height)
        maze, mechanisms = self.task.maze, self.task.mechanisms
        for cell in maze.wall_cells():
            self.put_obj(Wall(), *cell)
        self.put_obj(Goal(), *maze.goal)
        for each in mechanisms.keys:
            self.put_obj(Key(each.color), *each.position)
        for each in mechanisms.doors:
            state, color = each.initial_state, each.requires_key or "grey"
            self.put_obj(Door(color, is_open=state == "open", is_locked=state == "locked"), *each.position)
        for each in mechanisms.hazards:
            self.put_obj(Lava(), *each.position)
        self.agents[0].state.pos = maze.start
        self.agents[0].state.dir = 0


# --- Moments ---------------------------------------------------------------------------------------------------------


@attrs.frozen
class Moment:
    """State and outcome after a step."""

    position: Cell
    direction: int
    carrying: Cell | None
    """Initial position of the key in the hand."""
    keys: Mapping[Cell, str]
    """Colors of keys on the floor."""
    doors: Mapping[Cell, tuple[str, str]]
    """(colour, state)"""
    step_count: int
    reward: float
    terminated: bool
    truncated: bool


def look_at_ours(episode: Episode) -> Moment:
    state, world = look(episode), episode.world
    keys, doors = world.task.mechanisms.keys, world.task.mechanisms.doors
    lying = ((key, world.cells_of(episode.state, world.by_id[key.id])) for key in keys)
    return Moment(
        position=state.agent_position,
        direction=state.agent_direction,
        carrying=next((tuple(key.position) for key in keys if key.id == state.agent_carrying), None),
        keys={tuple(world.topology.lattice[cell]): key.color for key, cells in lying for cell in cells},
        doors={
            tuple(door.position): (door.requires_key or "grey", world.by_id[door.id].value_name(episode.state))
            for door in doors
        },
        step_count=state.step_count,
        reward=state.reward,
        terminated=state.terminated,
        truncated=state.truncated,
    )


def look_at_theirs(env: MultiGridEnv, reward: float = 0, terminated: bool = False, truncated: bool = False) -> Moment:
    """The moment of a peer; a success on the last step counts as terminated only, as in our rules."""
    agent = env.agents[0]
    return Moment(
        position=as_cell(agent.state.pos),
        direction=int(agent.state.dir),
        carrying=as_cell(agent.state.carrying.init_pos) if agent.state.carrying else None,
        keys={cell: str(thing.color.value) for cell, thing in things_of_type(env, TYPE_KEY)},
        doors={cell: (str(door.color.value), door_state(door)) for cell, door in things_of_type(env, TYPE_DOOR)},
        step_count=env.step_count,
        reward=reward,
        terminated=terminated,
        truncated=truncated and not (terminated and reward > 0),
    )


def as_cell(pair: Iterable[Any]) -> Cell:
    x, y = pair
    return (int(x), int(y))


def things_of_type(env: MultiGridEnv, number: int) -> Iterator[tuple[Cell, Any]]:
    for x, y in np.argwhere(env.grid.state[..., 0] == number).tolist():
        yield (x, y), env.grid.get(x, y)


def door_state(door: Door) -> str:
    return "open" if door.is_open else "locked" if door.is_locked else "closed"


def what_happened(before: Moment, after: Moment, max_steps: int) -> Iterator[str]:
    for cell, (_, state) in after.doors.items():
        if before.doors[cell][1] != state:
            yield f"{before.doors[cell][1]} door becomes {state}"
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
    """Our kernel, an environment of the package, and that of the task, in the same maze, stepped together."""

    def __init__(self, data: Mapping[str, Any], max_steps: int | None = None) -> None:
        self.task = TaskSpecification.from_dict({**data, "max_steps": max_steps or data["max_steps"]})
        self.ours, self.theirs, self.made = begin(self.task), PeerEnv(self.task), multigrid_env(self.task)
        self.actions: list[int] = []
        self.happened: Counter[str] = Counter()
        self.now = look_at_ours(self.ours)
        seen, _ = self.theirs.reset(seed=0)
        self._compare(look_at_theirs(self.theirs), seen)
        shown, _ = self.made.reset(seed=0)
        self._compare(look_at_theirs(self.made), shown)
        self._compare_images(shown, seen)

    def play(self, actions: Iterable[int]) -> None:
        """Take actions until the episode ends or there are no more of them; a difference fails the test."""
        for action in actions:
            self.step(action)
            if self.now.terminated or self.now.truncated:
                break

    def step(self, action: int) -> None:
        self.actions.append(int(action))
        before = self.now
        self.ours.step(action)
        self.now = look_at_ours(self.ours)
        seen, rewards, terminations, truncations, _ = self.theirs.step({0: TheirAction(action)})
        moment = look_at_theirs(self.theirs, float(rewards[0]), bool(terminations[0]), bool(truncations[0]))
        self._compare(moment, seen)
        shown, rewards, terminations, truncations, infos = self.made.step({0: TheirAction(action)})
        self._compare(look_at_theirs(self.made, float(rewards[0]), terminations[0], truncations[0]), shown)
        self._compare_images(shown, seen)
        assert infos[0]["success"] == self.ours.succeeded
        self.happened.update(what_happened(before, self.now, self.task.max_steps))

    def _compare(self, moment: Moment, seen: Mapping[int, Any]) -> None:
        where = f"{self.task.task_id}, after the actions {self.actions}"
        assert self.now == moment, where
        assert seen[0]["direction"] == self.now.direction, where

    def _compare_images(self, shown: Mapping[int, Any], seen: Mapping[int, Any]) -> None:
        where = f"{self.task.task_id}, after the actions {self.actions}"
        assert np.array_equal(shown[0]["image"], seen[0]["image"]), where
        assert np.array_equal(self.made.grid.state, self.theirs.grid.state), where


# --- Episodes --------------------------------------------------------------------------------------------------------


def roam(pair: Pair, rng: random.Random) -> Iterator[int]:
    """Endless actions, mostly suited to the cell in front."""
    while True:
        yield roaming_action(pair.ours.world, pair.ours.state, rng)


def plan_for(data: Mapping[str, Any]) -> tuple[int, ...]:
    """A winning plan; empty if there is none."""
    try:
        return winning_plan(compiled(TaskSpecification.from_dict({**data, "max_steps": 10_000})), MAX_STATES)
    except NoPlanError:
        return ()


def guided(pair: Pair, plan: tuple[int, ...], rng: random.Random) -> Iterator[int]:
    """A winning plan, followed in part or to its end, and then random actions."""
    yield from plan[: rng.choice((len(plan), rng.randrange(len(plan) + 1)))]
    yield from roam(pair, rng)


def episodes(seed: int) -> Iterator[Pair]:
    """Three episodes in one maze: random, with a part of a plan, and with a plan that takes the whole budget."""
    data, rng = random_task(seed), random.Random(seed)
    plan = plan_for(data)
    pair = Pair(data)
    pair.play(roam(pair, rng))
    yield pair
    pair = Pair(data)
    pair.play(guided(pair, plan, rng))
    yield pair
    pair = Pair(data, max_steps=len(plan) or None)
    pair.play(plan or roam(pair, rng))
    yield pair


# --- The tests -------------------------------------------------------------------------------------------------------


def test_every_step_has_the_outcome_of_multigrid() -> None:
    happened: Counter[str] = Counter()

    @bounded(TASKS)
    @given(seeds)
    def compare(seed: int) -> None:
        for pair in episodes(seed):
            happened.update(pair.happened)
            assert pair.now.terminated or pair.now.truncated

    compare()
    rare = {what for what, times in OFTEN.items() if happened[what] < times}
    assert not rare, dict(happened)


def test_nothing_is_dropped_onto_a_door_lava_a_key_the_goal_or_a_wall_in_either() -> None:
    task = draw(
        """
        ######
        #.Gh##
        #k@tO#
        ###c##
        ######
        """,
        **{"k": key(), "t": key(), "c": key(), "h": hazard(), "O": door(None, "open")},
    )
    episode, env = begin(task), PeerEnv(task)
    env.reset()
    at_the_door, at_lava, at_one_key, at_another, at_the_goal, at_the_wall = "PFD", "LD", "LLD", "RFD", "RD", "RRD"
    for letter in at_the_door + at_lava + at_one_key + at_another + at_the_goal + at_the_wall:
        episode.step(LETTERS[letter])
        env.step({0: LETTERS[letter]})
        assert look_at_ours(episode) == look_at_theirs(env)
        assert look(episode).agent_carrying == "t"
