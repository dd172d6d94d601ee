"""Levels of MiniGrid and its descendants as tasks, or the reason why a level has no equivalent task.

A level is equivalent to a task if every winning sequence of actions of one wins the other. Their rules for walls,
doors, keys, lava and goals match the kernel's. Everything else needs a substitute that behaves the same:

- Agents of tasks start facing right. A level whose agent faces elsewhere is rotated by quarter turns, which makes no
  difference to actions.
- A ball is carried like a key and opens nothing. A key replaces it, unless a locked door has its colour.
- Picking up the target ball or box ends the episode. A key replaces it, whatever its colour, unless another key, ball
  or box has the same colour, since the mission distinguishes them by colour. Toggling a box destroys it, after which it
  cannot be picked up. No winning sequence does that, so it does not matter that nothing happens here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator
from typing import Any, ClassVar, Literal

import attrs

from gridworld.generation.importer import Importer, Inexpressible
from gridworld.generation.recipe import Band
from gridworld.mechanisms.doors import DoorSpec
from gridworld.mechanisms.hazards import HazardSpec
from gridworld.mechanisms.keys import KeySpec
from gridworld.plugins.registry import version_of
from gridworld.task_spec import GoalSpec, MazeLayout, MechanismSet, Position, Rules, TaskSpecification

LARGEST_SEED = 2**63 - 1
WALL, DOOR, KEY, BALL, BOX, GOAL, LAVA, FLOOR = "wall", "door", "key", "ball", "box", "goal", "lava", "floor"
CARRIED = (KEY, BALL, BOX)
"""Kinds of objects that can be picked up."""


class NoCounterpart(Exception):
    """A level has no equivalent task; the message says why, and where in the level."""


@attrs.frozen
class LevelObject:
    """An object of a level."""

    kind: str
    """``wall``, ``door``, ``key``, ``ball``, ``box``, ``goal``, ``lava``, ``floor``, or something unknown here."""
    color: str
    in_level: Position
    state: str = ""
    """State of a door: ``open``, ``closed`` or ``locked``."""
    contents: str = ""
    """Colour and kind of the object in a box; empty if there is none."""
    is_wanted: bool = False
    """Whether picking it up ends the episode with success."""
    position: Position = attrs.field(default=attrs.Factory(lambda self: self.in_level, takes_self=True))
    """Position of the object after rotation."""

    @property
    def is_carried(self) -> bool:
        """Whether a key stands for it."""
        return self.kind in CARRIED

    @property
    def id(self) -> str:
        """Id of its mechanism."""
        return f"{KEY if self.is_carried else self.kind}_{self.position.x}_{self.position.y}"

    def __str__(self) -> str:
        return f"the {self.color} {self.kind} at {list(self.in_level)}"


@attrs.frozen
class ObjectLevel:
    """A level to which an environment has been reset."""

    size: tuple[int, int]
    agent: Position
    direction: int
    """Heading of the agent: 0 right, 1 down, 2 left, 3 up."""
    objects: tuple[LevelObject, ...]
    mission: str
    max_steps: int
    view_size: int

    def turned(self) -> ObjectLevel:
        """Return the level rotated so that its agent faces right, with its objects in reading order."""
        width, height = self.size
        placed = (attrs.evolve(each, position=self._turned(each.in_level)) for each in self.objects)
        return attrs.evolve(
            self,
            size=(height, width) if self.direction % 2 else (width, height),
            agent=self._turned(self.agent),
            direction=0,
            objects=tuple(sorted(placed, key=lambda each: (each.position.y, each.position.x))),
        )

    def _turned(self, position: Position) -> Position:
        """Return the position of a cell after as many counter-clockwise quarter turns as the agent's direction says."""
        size = self.size
        for _ in range(self.direction):
            position, size = Position(position.y, size[0] - 1 - position.x), size[::-1]
        return position

    def of_kind(self, *kinds: str) -> list[LevelObject]:
        """Return the objects of some kinds."""
        return [each for each in self.objects if each.kind in kinds]

    def on_border(self, cell: Position) -> bool:
        """Whether a cell lies on the outermost ring."""
        return cell.x in (0, self.size[0] - 1) or cell.y in (0, self.size[1] - 1)

    def first_free_cell(self) -> Position:
        """Return the first empty inner cell in reading order, for the task's mandatory goal; raises `NoCounterpart`."""
        taken = {self.agent, *(each.position for each in self.objects)}
        width, height = self.size
        inside = (Position(x, y) for y in range(1, height - 1) for x in range(1, width - 1))
        free = next((cell for cell in inside if cell not in taken), None)
        if free is None:
            raise NoCounterpart("no cell is free for the goal")
        return free


def task_of_objects(drawn: ObjectLevel, library: str, name: str, seed: int, observability: str) -> TaskSpecification:
    """Translate a level.

    Args:
        drawn: the level.
        library: the distribution whose environment has drawn it, also the name of the metadata about it.
        name: the id of the environment.
        seed: its seed.
        observability: the task's ``rules.observability``.

    Raises:
        NoCounterpart: no task is equivalent to the level.
    """
    level = drawn.turned()
    wanted = _wanted(level)
    _refuse_unknown_objects(level)
    _refuse_ways_out(level)
    stand_ins = level.of_kind(BALL, BOX)
    mechanisms = MechanismSet(
        keys=[KeySpec(each.id, each.position, each.color) for each in level.of_kind(*CARRIED)],
        doors=[DoorSpec(each.id, each.position, each.color, each.state) for each in level.of_kind(DOOR)],
        hazards=[HazardSpec(each.id, each.position) for each in level.of_kind(LAVA)],
    )
    is_place = wanted.kind == GOAL
    return TaskSpecification(
        task_id=f"{name}-{seed}",
        seed=seed,
        difficulty_tier=2 if mechanisms.doors else 4 if mechanisms.hazards else 1,
        description="" if stand_ins else f"{level.mission[0].upper()}{level.mission[1:]}.",
        maze=MazeLayout(
            level.size,
            level.agent,
            wanted.position if is_place else level.first_free_cell(),
            [each.position for each in level.of_kind(WALL) if not level.on_border(each.position)],
        ),
        mechanisms=mechanisms,
        rules=Rules(key_consumption=False, observability=observability, view_size=level.view_size),
        goal=GoalSpec("reach_position", target=wanted.position)
        if is_place
        else GoalSpec("collect_all", target_ids=[wanted.id]),
        max_steps=level.max_steps,
        metadata={
            library: {
                "version": version_of(library),
                "environment": name,
                "seed": seed,
                "mission": level.mission,
                "quarter_turns": drawn.direction,
                "stand_ins": {each.id: f"{each.color} {each.kind}" for each in stand_ins},
            }
        },
    )


def _wanted(level: ObjectLevel) -> LevelObject:
    """Return the object that must be picked up, or else the only goal square."""
    goals = level.of_kind(GOAL)
    wanted = next((each for each in level.objects if each.is_wanted), None)
    if wanted is None:
        if len(goals) != 1:
            raise NoCounterpart(f"it has {len(goals) or 'no'} goal squares, expected one")
        return goals[0]
    alike = [each for each in level.of_kind(*CARRIED) if each.color == wanted.color]
    if len(alike) > 1:
        listed = ", ".join(map(str, alike))
        raise NoCounterpart(f"keys stand for balls and boxes, so the mission could not distinguish: {listed}")
    return wanted


# --- Refusals ----------------------------------------------------------------------------------------------------


def _refuse_unknown_objects(level: ObjectLevel) -> None:
    locked = {each.color for each in level.of_kind(DOOR) if each.state == "locked"}
    for each in level.objects:
        reason = _reason_against(each, locked)
        if reason is not None:
            raise NoCounterpart(f"{each} {reason}")


def _reason_against(thing: LevelObject, locked: Collection[str]) -> str | None:
    """Return the reason why no mechanism can replace an object; None if one can."""
    if thing.kind == FLOOR:
        return "is floor on which nothing can be put down"
    if thing.contents:
        return f"hides a {thing.contents}"
    if thing.is_wanted or thing.kind in (WALL, DOOR, KEY, GOAL, LAVA):
        return None
    if thing.kind == BOX:
        return "can be broken by toggling it"
    if thing.kind != BALL:
        return "has no counterpart"
    return (
        "could only be said by a key, which would open the locked door of its colour" if thing.color in locked else None
    )


def _refuse_ways_out(level: ObjectLevel) -> None:
    """Reject a level whose agent can reach a border cell without a wall, since a task has walls along its border."""
    walls = {each.position for each in level.of_kind(WALL)}
    seen, waiting = {level.agent}, [level.agent]
    while waiting:
        here = waiting.pop()
        if level.on_border(here):
            raise NoCounterpart(f"the border has no wall at {list(here)}, which the agent can reach")
        x, y = here
        for there in (Position(x + 1, y), Position(x, y + 1), Position(x - 1, y), Position(x, y - 1)):
            if there not in walls and there not in seen:
                seen.add(there)
                waiting.append(there)


# --- Seeds -------------------------------------------------------------------------------------------------------


class SeededImporter(Importer):
    """Base class of importers of the levels that an environment draws from seeds; the source is the environment's id.

    A plan that solves such a task solves the level, action by action, with the same reward, and shortest plans of both
    have the same length. Levels without an equivalent task are inexpressible.

    Args:
        seeds: seeds of the environment: numbers and ranges, such as ``7`` or ``0-99,200``.
        observability: observability of the tasks. The environment's own is usually ``view_cone``: 7 x 7 cells ahead of
            the agent.
    """

    library: ClassVar[str]
    """The distribution whose environments draw the levels."""

    def __init__(self, seeds: str = "0", observability: Literal["full", "view_cone", "fog_of_war"] = "full") -> None:
        self._seeds = [_read_seeds(part) for part in seeds.split(",")]
        self._observability = observability

    @abstractmethod
    def make(self, name: str) -> Any:
        """Make an environment; raises `ArgumentError` unless `name` is the id of one of the library."""

    @abstractmethod
    def read(self, environment: Any, seed: int) -> ObjectLevel:
        """Reset an environment with a seed, and return its level; raises `NoCounterpart`."""

    def levels(self, source: str) -> Iterator[TaskSpecification | Inexpressible]:
        """Yield the level of each seed; raises `ArgumentError` unless `source` is the id of an environment."""
        environment = self.make(source)
        try:
            for seed in (seed for band in self._seeds for seed in range(band.least, band.most + 1)):
                try:
                    level = self.read(environment, seed)
                    yield task_of_objects(level, self.library, source, seed, self._observability)
                except NoCounterpart as reason:
                    yield Inexpressible(f"{source}, seed {seed}", str(reason))
        finally:
            environment.close()


def _read_seeds(text: str) -> Band:
    band = Band.parse(text)
    if band.most > LARGEST_SEED:
        raise ValueError(f"seeds: expected numbers of at most {LARGEST_SEED}, got {band.most}")
    return band
