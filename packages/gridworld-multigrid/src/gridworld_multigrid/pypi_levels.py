"""Levels that the environments of the package ``multigrid`` draw for one agent.

`WANTED` and `OTHER_SUCCESSES` are keyed by the ``step`` method, as in `gridworld_minigrid.stock_levels`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import multigrid.envs as envs
from multigrid.base import MultiGridEnv
from multigrid.core.world_object import Box, Door, WorldObj

from gridworld.errors import ArgumentError
from gridworld.generation.object_levels import LevelObject, NoCounterpart, ObjectLevel
from gridworld.support.wording import nearest_hint
from gridworld.task_spec import Position


def make_environment(name: str) -> MultiGridEnv:
    """Make an environment with one agent; raises `ArgumentError` unless `name` is an id of the package."""
    if name not in envs.CONFIGURATIONS:
        known, hint = ", ".join(envs.CONFIGURATIONS), nearest_hint(name, envs.CONFIGURATIONS)
        raise ArgumentError(f"unknown environment '{name}'{hint}; the package multigrid has {known}")
    kind, options = envs.CONFIGURATIONS[name]
    return kind(**options, agents=1)


def reset_level(env: MultiGridEnv, seed: int) -> None:
    """Reset an environment to the level that it draws from a seed.

    Its own ``reset(seed=...)`` seeds a generator, but draws the level from the one that it had when it was made.
    """
    gymnasium.Env.reset(env, seed=seed)
    env._RandomMixin__np_random = env.np_random
    env.reset(seed=seed)


def level_of(env: MultiGridEnv) -> ObjectLevel:
    """Read the level to which an environment with one agent has just been reset; raises `NoCounterpart`."""
    if type(env).step not in WANTED:
        raise NoCounterpart(OTHER_SUCCESSES.get(type(env).step, "it decides by rules of its own what success is"))
    wanted = WANTED[type(env).step](env)
    (agent,) = env.agents
    x, y = agent.pos
    return ObjectLevel(
        size=(env.width, env.height),
        agent=Position(int(x), int(y)),
        direction=int(agent.dir),
        objects=tuple(
            _read(thing, Position(x, y), thing is wanted)
            for y in range(env.height)
            for x in range(env.width)
            if (thing := env.grid.get(x, y)) is not None
        ),
        mission=str(env.mission),
        max_steps=int(env.max_steps),
        view_size=int(agent.view_size),
    )


def _read(thing: WorldObj, position: Position, is_wanted: bool) -> LevelObject:
    inside = thing.contains if isinstance(thing, Box) else None
    return LevelObject(
        thing.type.value,
        thing.color.value,
        position,
        thing.state.value if isinstance(thing, Door) else "",
        "" if inside is None else f"{inside.color.value} {inside.type.value}",
        is_wanted,
    )


def _no_object(env: MultiGridEnv) -> None:
    """Return None: success is to reach the goal square."""


def _box(env: MultiGridEnv) -> WorldObj:
    """Return the box that must be picked up."""
    return env.obj


WANTED: Mapping[Callable[..., Any], Callable[[MultiGridEnv], WorldObj | None]] = {
    MultiGridEnv.step: _no_object,
    envs.BlockedUnlockPickupEnv.step: _box,
}
"""Finds the object whose pickup is success, or None for the goal square, by ``step`` method."""

OTHER_SUCCESSES: Mapping[Callable[..., Any], str] = {
    envs.LockedHallwayEnv.step: "each unlocked door is rewarded, which no goal type does",
    envs.RedBlueDoorsEnv.step: "success is to open two doors in order",
}
"""Reason why no goal type can express success, by ``step`` method."""
