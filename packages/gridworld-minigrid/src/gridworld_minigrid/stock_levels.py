"""Levels of stock MiniGrid environments, for `gridworld.generation.object_levels`.

`WANTED` and `OTHER_SUCCESSES` are keyed by the ``step`` method, which ends episodes, so that a subclass with its own
method is not mistaken for its base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minigrid import envs
from minigrid.core.world_object import Box, Door, WorldObj
from minigrid.envs.babyai.core.roomgrid_level import RoomGridLevel
from minigrid.minigrid_env import MiniGridEnv

from gridworld.generation.object_levels import LevelObject, NoCounterpart, ObjectLevel
from gridworld.task_spec import Position


def level_of(env: MiniGridEnv) -> ObjectLevel:
    """Read the level to which an environment has just been reset; raises `NoCounterpart`."""
    if type(env).step not in WANTED:
        raise NoCounterpart(OTHER_SUCCESSES.get(type(env).step, "it decides by rules of its own what success is"))
    wanted = WANTED[type(env).step](env)
    width = env.grid.width
    x, y = env.agent_pos
    return ObjectLevel(
        size=(width, env.grid.height),
        agent=Position(int(x), int(y)),
        direction=int(env.agent_dir),
        objects=tuple(
            _read(thing, Position(index % width, index // width), thing is wanted)
            for index, thing in enumerate(env.grid.grid)
            if thing is not None
        ),
        mission=env.mission,
        max_steps=int(env.max_steps),
        view_size=int(env.agent_view_size),
    )


def _read(thing: WorldObj, position: Position, is_wanted: bool) -> LevelObject:
    inside = thing.contains if isinstance(thing, Box) else None
    return LevelObject(
        thing.type,
        thing.color,
        position,
        door_state(thing) if isinstance(thing, Door) else "",
        f"{inside.color} {inside.type}" if inside else "",
        is_wanted,
    )


def door_state(door: Any) -> str:
    """Return the state of a MiniGrid door, in the words of a task file."""
    return "open" if door.is_open else "locked" if door.is_locked else "closed"


def _no_object(env: MiniGridEnv) -> None:
    """Return None: success is to reach the goal square."""


def _object_to_pick_up(env: MiniGridEnv) -> WorldObj:
    """Return the object that must be picked up, called `obj` by its environment."""
    wanted: WorldObj = vars(env)["obj"]
    return wanted


WANTED: Mapping[Callable[..., Any], Callable[[MiniGridEnv], WorldObj | None]] = {
    MiniGridEnv.step: _no_object,
    envs.BlockedUnlockPickupEnv.step: _object_to_pick_up,
    envs.KeyCorridorEnv.step: _object_to_pick_up,
    envs.ObstructedMaze_1Dlhb.step: _object_to_pick_up,
    envs.ObstructedMaze_Full.step: _object_to_pick_up,
    envs.UnlockPickupEnv.step: _object_to_pick_up,
}
"""Finds the object whose pickup is success, or None for the goal square, by ``step`` method."""

OTHER_SUCCESSES: Mapping[Callable[..., Any], str] = {
    envs.DynamicObstaclesEnv.step: "its obstacles move at random",
    envs.FetchEnv.step: "to pick up a wrong object ends the episode",
    envs.GoToDoorEnv.step: "success is to say 'done' beside a door, and to toggle anything ends the episode",
    envs.GoToObjectEnv.step: "success is to say 'done' beside an object, and to toggle anything ends the episode",
    envs.MemoryEnv.step: "success is to go to one of two objects, and to go to the other ends the episode",
    envs.PutNearEnv.step: "success is to drop an object beside another",
    envs.RedBlueDoorEnv.step: "success is to open two doors in order",
    envs.UnlockEnv.step: "success is an open door, which no goal type speaks of",
    RoomGridLevel.step: "success is what an instruction in words asks for",
}
"""Reason why no goal type can express success, by ``step`` method."""
