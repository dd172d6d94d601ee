"""The task that a stock MiniGrid level is, or why there is none.

A level has a task if every way of winning one wins the other with the same actions: MiniGrid's rules for walls, doors,
keys, lava and goals are those of the kernel. What else there is has to be said by something that behaves alike:

- Agents of tasks start facing right. A level whose agent faces elsewhere is turned as a whole, by quarter turns, which
  no action can tell.
- A ball is carried like a key and opens nothing. A key stands for it, provided that no locked door has its colour.
- A ball or box that has to be picked up ends the episode. A key stands for it, whatever its colour, provided that no
  other one has it, since the mission tells them apart by colour. A box that is toggled breaks in MiniGrid, after which
  it cannot be picked up; no way of winning does that, so it makes no difference that here nothing happens.

`SUCCESSES` and `OTHER_SUCCESSES` decide by the method that ends episodes, so that an environment of somebody else that
has a method of its own is not mistaken for the one that it derives from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from typing import Any

import attrs
from minigrid import envs
from minigrid.core.world_object import Ball, Box, Door, Floor, Goal, Key, Lava, Wall, WorldObj
from minigrid.envs.babyai.core.roomgrid_level import RoomGridLevel
from minigrid.minigrid_env import MiniGridEnv

from gridworld.mechanisms.doors import DoorSpec
from gridworld.mechanisms.hazards import HazardSpec
from gridworld.mechanisms.keys import KeySpec
from gridworld.task_spec import GoalSpec, MazeLayout, MechanismSet, Position, Rules, TaskSpecification

__all__ = ["NoCounterpart", "door_state", "task_of_level"]


class NoCounterpart(Exception):
    """Something in a level that no task can say; the message tells what, and where."""


@attrs.frozen
class _Placed:
    """A thing of a level."""

    thing: WorldObj
    in_level: Position
    position: Position
    """Where it stands after turning."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"the {self.thing.color} {self.thing.type} at {list(self.in_level)}"


@attrs.frozen
class _Level:
    """A level turned so that its agent faces right."""

    env: MiniGridEnv
    size: tuple[int, int]
    start: Position
    things: tuple[_Placed, ...]
    """In reading order."""

    @classmethod
    def of(cls, env: MiniGridEnv) -> _Level:
        """The level that an environment has just been reset to."""
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
            things=tuple(sorted(placed, key=lambda each: (each.position.y, each.position.x))),
        )

    def of_type(self, kind: type[WorldObj]) -> list[_Placed]:
        """Its things of one class."""
        return [each for each in self.things if isinstance(each.thing, kind)]

    def on_border(self, cell: Position) -> bool:
        """Whether a cell lies on the outermost ring."""
        return cell.x in (0, self.size[0] - 1) or cell.y in (0, self.size[1] - 1)

    def first_free_cell(self) -> Position:
        """The first cell in reading order, the border aside, on which nothing stands: a task has to call one its goal.

        Raises:
            NoCounterpart: there is none.
        """
        taken = {self.start, *(each.position for each in self.things)}
        width, height = self.size
        inside = (Position(x, y) for y in range(1, height - 1) for x in range(1, width - 1))
        free = next((cell for cell in inside if cell not in taken), None)
        if free is None:
            raise NoCounterpart("no cell is free, and a task has to call one its goal")
        return free


def _turned(position: Position, size: tuple[int, int], turns: int) -> Position:
    """Where a cell comes to lie when a level is turned counter-clockwise by so many quarter turns."""
    for _ in range(turns):
        position, size = Position(position.y, size[0] - 1 - position.x), size[::-1]
    return position


def task_of_level(env: MiniGridEnv, name: str, seed: int, observability: str) -> TaskSpecification:
    """The task of the level that an environment has just been reset to.

    Args:
        env: the environment.
        name: its id.
        seed: what it was reset with.
        observability: what ``rules.observability`` is to be.

    Raises:
        NoCounterpart: there is none.
    """
    find_wanted = SUCCESSES.get(type(env).step)
    if find_wanted is None:
        raise NoCounterpart(OTHER_SUCCESSES.get(type(env).step, "it decides by rules of its own what success is"))
    level = _Level.of(env)
    wanted = find_wanted(level)
    _refuse_strange_things(level, wanted)
    _refuse_ways_out(level)
    stand_ins = [each for each in level.things if isinstance(each.thing, Ball | Box)]
    mechanisms = MechanismSet(
        keys=[KeySpec(_id(each), each.position, each.thing.color) for each in level.things if _is_key(each)],
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
                "version": version("minigrid"),
                "environment": name,
                "seed": seed,
                "mission": env.mission,
                "quarter_turns": int(env.agent_dir),
                "stand_ins": {_id(each): f"{each.thing.color} {each.thing.type}" for each in stand_ins},
            }
        },
    )


def door_state(door: Any) -> str:
    """The state of one of MiniGrid's doors, in the words of a task file."""
    return "open" if door.is_open else "locked" if door.is_locked else "closed"


def _id(placed: _Placed) -> str:
    kind = "key" if _is_key(placed) else placed.thing.type
    return f"{kind}_{placed.position.x}_{placed.position.y}"


def _is_key(placed: _Placed) -> bool:
    return isinstance(placed.thing, Key | Ball | Box)


# --- What is wanted ----------------------------------------------------------------------------------------------


def _goal_square(level: _Level) -> _Placed:
    """Success is to step onto the goal."""
    goals = level.of_type(Goal)
    if len(goals) != 1:
        raise NoCounterpart(f"it has {len(goals) or 'no'} goal squares, expected one")
    return goals[0]


def _thing_to_pick_up(level: _Level) -> _Placed:
    """Success is to pick up one thing, which its environment calls `obj`."""
    (wanted,) = (each for each in level.things if each.thing is vars(level.env)["obj"])
    alike = [each for each in level.things if _is_key(each) and each.thing.color == wanted.thing.color]
    if len(alike) > 1:
        listed = ", ".join(each.name for each in alike)
        raise NoCounterpart(f"keys stand for balls and boxes, and a mission could not tell these apart: {listed}")
    return wanted


SUCCESSES: Mapping[Callable[..., Any], Callable[[_Level], _Placed]] = {
    MiniGridEnv.step: _goal_square,
    envs.BlockedUnlockPickupEnv.step: _thing_to_pick_up,
    envs.KeyCorridorEnv.step: _thing_to_pick_up,
    envs.ObstructedMaze_1Dlhb.step: _thing_to_pick_up,
    envs.ObstructedMaze_Full.step: _thing_to_pick_up,
    envs.UnlockPickupEnv.step: _thing_to_pick_up,
}
"""The method that decides over success to what finds the goal square, or the thing that is to be picked up."""

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
"""The same to why no goal type can say what success is."""


# --- What cannot be ----------------------------------------------------------------------------------------------


def _refuse_strange_things(level: _Level, wanted: _Placed) -> None:
    locked = {each.thing.color for each in level.of_type(Door) if door_state(each.thing) == "locked"}
    for each in level.things:
        reason = _strangeness(each, each is wanted, locked)
        if reason is not None:
            raise NoCounterpart(f"{each.name} {reason}")


def _strangeness(placed: _Placed, is_wanted: bool, locked: set[str]) -> str | None:
    """Why no mechanism stands for a thing; None if one does."""
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
    """The border of a task is wall all around; MiniGrid's need not be where nobody comes."""
    walls = {each.position for each in level.of_type(Wall)}
    seen, waiting = {level.start}, [level.start]
    while waiting:
        here = waiting.pop()
        if level.on_border(here):
            raise NoCounterpart(f"the border has no wall at {list(here)}, which the agent can come to")
        for there in _neighbours(here):
            if there not in walls and there not in seen:
                seen.add(there)
                waiting.append(there)


def _neighbours(position: Position) -> Iterator[Position]:
    x, y = position
    yield from (Position(x + 1, y), Position(x, y + 1), Position(x - 1, y), Position(x, y - 1))
