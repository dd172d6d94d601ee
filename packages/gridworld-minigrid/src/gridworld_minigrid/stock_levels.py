"""Translation of stock MiniGrid levels to tasks, or the reason why a level has no equivalent task.

A level is equivalent to a task if every winning sequence of actions of one wins the other. MiniGrid's rules for walls,
doors, keys, lava and goals match the kernel's. Everything else needs a substitute that behaves the same:

- Agents of tasks start facing right. A level whose agent faces elsewhere is rotated by quarter turns, which makes no
  difference to actions.
- A ball is carried like a key and opens nothing. A key replaces it, unless a locked door has its colour.
- Picking up the target ball or box ends the episode. A key replaces it, whatever its colour, unless another key, ball
  or box has the same colour, since the mission distinguishes them by colour. In MiniGrid toggling a box destroys it,
  after which it cannot be picked up. No winning sequence does that, so it does not matter that nothing happens here.

`SUCCESSES` and `OTHER_SUCCESSES` are keyed by the ``step`` method, which ends episodes, so that a subclass with its own
method is not mistaken for its base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
from minigrid import envs
from minigrid.core.world_object import Ball, Box, Door, Floor, Goal, Key, Lava, Wall, WorldObj
from minigrid.envs.babyai.core.roomgrid_level import RoomGridLevel
from minigrid.minigrid_env import MiniGridEnv

from gridworld.mechanisms.doors import DoorSpec
from gridworld.mechanisms.hazards import HazardSpec
from gridworld.mechanisms.keys import KeySpec
from gridworld.plugins.registry import version_of
from gridworld.task_spec import GoalSpec, MazeLayout, MechanismSet, Position, Rules, TaskSpecification


class NoCounterpart(Exception):
    """A level has no equivalent task; the message says why, and where in the level."""


@attrs.frozen
class _Placed:
    """An object of a level."""

    thing: WorldObj
    in_level: Position
    position: Position
    """Position of the object after rotation."""

    @property
    def name(self) -> str:
        """Name of the object in messages."""
        return f"the {self.thing.color} {self.thing.type} at {list(self.in_level)}"


@attrs.frozen
class _Level:
    """A level rotated so that its agent faces right."""

    env: MiniGridEnv
    size: tuple[int, int]
    start: Position
    objects: tuple[_Placed, ...]
    """Objects of the level in reading order."""

    @classmethod
    def of(cls, env: MiniGridEnv) -> _Level:
        """Read the level to which an environment has just been reset."""
        width, height = env.grid.width, env.grid.height
        turns = int(env.agent_dir)
        cells = (Position(index % width, index // width) for index in range(width * height))
        placed = (
            _Placed(thing, cell, _turned(cell, (width, height), turns))
            for cell, thing in zip(cells, env.grid.grid, strict=True)
            if thing is not None
        )
        x, y = env.agent_pos
        return cls(
            env=env,
            size=(height, width) if turns % 2 else (width, height),
            start=_turned(Position(int(x), int(y)), (width, height), turns),
            objects=tuple(sorted(placed, key=lambda each: (each.position.y, each.position.x))),
        )

    def of_type(self, kind: type[WorldObj]) -> list[_Placed]:
        """Return the level's objects of one class."""
        return [each for each in self.objects if isinstance(each.thing, kind)]

    def on_border(self, cell: Position) -> bool:
        """Whether a cell lies on the outermost ring."""
        return cell.x in (0, self.size[0] - 1) or cell.y in (0, self.size[1] - 1)

    def first_free_cell(self) -> Position:
        """Return the first empty inner cell in reading order, for the task's mandatory goal; raises `NoCounterpart`."""
        taken = {self.start, *(each.position for each in self.objects)}
        width, height = self.size
        inside = (Position(x, y) for y in range(1, height - 1) for x in range(1, width - 1))
        free = next((cell for cell in inside if cell not in taken), None)
        if free is None:
            raise NoCounterpart("no cell is free for the goal")
        return free


def _turned(position: Position, size: tuple[int, int], turns: int) -> Position:
    """Return the position of a cell after `turns` counter-clockwise quarter turns."""
    for _ in range(turns):
        position, size = Position(position.y, size[0] - 1 - position.x), size[::-1]
    return position


def task_of_level(env: MiniGridEnv, name: str, seed: int, observability: str) -> TaskSpecification:
    """Translate the level to which an environment has just been reset.

    Args:
        env: the environment.
        name: its id.
        seed: its seed.
        observability: the task's ``rules.observability``.

    Raises:
        NoCounterpart: no task is equivalent to the level.
    """
    find_wanted = SUCCESSES.get(type(env).step)
    if find_wanted is None:
        raise NoCounterpart(OTHER_SUCCESSES.get(type(env).step, "it decides by rules of its own what success is"))
    level = _Level.of(env)
    wanted = find_wanted(level)
    _refuse_unknown_objects(level, wanted)
    _refuse_ways_out(level)
    stand_ins = [each for each in level.objects if isinstance(each.thing, Ball | Box)]
    mechanisms = MechanismSet(
        keys=[KeySpec(_id(each), each.position, each.thing.color) for each in level.objects if _is_key(each)],
        doors=[
            DoorSpec(_id(each), each.position, each.thing.color, door_state(each.thing)) for each in level.of_type(Door)
        ],
        hazards=[HazardSpec(_id(each), each.position) for each in level.of_type(Lava)],
    )
    is_place = isinstance(wanted.thing, Goal)
    return TaskSpecification(
        task_id=f"{name}-{seed}",
        seed=seed,
        difficulty_tier=2 if mechanisms.doors else 4 if mechanisms.hazards else 1,
        description="" if stand_ins else f"{env.mission[0].upper()}{env.mission[1:]}.",
        maze=MazeLayout(
            level.size,
            level.start,
            wanted.position if is_place else level.first_free_cell(),
            [each.position for each in level.of_type(Wall) if not level.on_border(each.position)],
        ),
        mechanisms=mechanisms,
        rules=Rules(key_consumption=False, observability=observability, view_size=int(env.agent_view_size)),
        goal=GoalSpec("reach_position", target=wanted.position)
        if is_place
        else GoalSpec("collect_all", target_ids=[_id(wanted)]),
        max_steps=int(env.max_steps),
        metadata={
            "minigrid": {
                "version": version_of("minigrid"),
                "environment": name,
                "seed": seed,
                "mission": env.mission,
                "quarter_turns": int(env.agent_dir),
                "stand_ins": {_id(each): f"{each.thing.color} {each.thing.type}" for each in stand_ins},
            }
        },
    )


def door_state(door: Any) -> str:
    """Return the state of a MiniGrid door, in the words of a task file."""
    return "open" if door.is_open else "locked" if door.is_locked else "closed"


def _id(placed: _Placed) -> str:
    kind = "key" if _is_key(placed) else placed.thing.type
    return f"{kind}_{placed.position.x}_{placed.position.y}"


def _is_key(placed: _Placed) -> bool:
    return isinstance(placed.thing, Key | Ball | Box)


# --- The target --------------------------------------------------------------------------------------------------


def _goal_square(level: _Level) -> _Placed:
    """Return the goal square that the agent must reach."""
    goals = level.of_type(Goal)
    if len(goals) != 1:
        raise NoCounterpart(f"it has {len(goals) or 'no'} goal squares, expected one")
    return goals[0]


def _object_to_pick_up(level: _Level) -> _Placed:
    """Return the object that must be picked up, called `obj` by its environment."""
    (wanted,) = (each for each in level.objects if each.thing is vars(level.env)["obj"])
    alike = [each for each in level.objects if _is_key(each) and each.thing.color == wanted.thing.color]
    if len(alike) > 1:
        listed = ", ".join(each.name for each in alike)
        raise NoCounterpart(f"keys stand for balls and boxes, so the mission could not distinguish: {listed}")
    return wanted


SUCCESSES: Mapping[Callable[..., Any], Callable[[_Level], _Placed]] = {
    MiniGridEnv.step: _goal_square,
    envs.BlockedUnlockPickupEnv.step: _object_to_pick_up,
    envs.KeyCorridorEnv.step: _object_to_pick_up,
    envs.ObstructedMaze_1Dlhb.step: _object_to_pick_up,
    envs.ObstructedMaze_Full.step: _object_to_pick_up,
    envs.UnlockPickupEnv.step: _object_to_pick_up,
}
"""Finds the goal square or the object to pick up, by ``step`` method."""

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


# --- Refusals ----------------------------------------------------------------------------------------------------


def _refuse_unknown_objects(level: _Level, wanted: _Placed) -> None:
    locked = {each.thing.color for each in level.of_type(Door) if door_state(each.thing) == "locked"}
    for each in level.objects:
        reason = _reason_against(each, each is wanted, locked)
        if reason is not None:
            raise NoCounterpart(f"{each.name} {reason}")


def _reason_against(placed: _Placed, is_wanted: bool, locked: set[str]) -> str | None:
    """Return the reason why no mechanism can replace an object; None if one can."""
    thing = placed.thing
    if isinstance(thing, Floor):
        return "is floor on which nothing can be put down"
    if isinstance(thing, Box) and thing.contains is not None:
        return f"hides a {thing.contains.color} {thing.contains.type}"
    if is_wanted or isinstance(thing, Wall | Door | Key | Goal | Lava):
        return None
    if isinstance(thing, Box):
        return "can be broken by toggling it"
    if not isinstance(thing, Ball):
        return "has no counterpart"
    return (
        "could only be said by a key, which would open the locked door of its colour" if thing.color in locked else None
    )


def _refuse_ways_out(level: _Level) -> None:
    """Reject a level whose agent can reach a border cell without a wall, since a task has walls along its border."""
    walls = {each.position for each in level.of_type(Wall)}
    seen, waiting = {level.start}, [level.start]
    while waiting:
        here = waiting.pop()
        if level.on_border(here):
            raise NoCounterpart(f"the border has no wall at {list(here)}, which the agent can reach")
        x, y = here
        for there in (Position(x + 1, y), Position(x, y + 1), Position(x - 1, y), Position(x, y - 1)):
            if there not in walls and there not in seen:
                seen.add(there)
                waiting.append(there)
