"""A model's transcription of a moment, and the world that it describes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs

from gridworld.ascii.words import vocabulary_of
from gridworld.errors import TaskError
from gridworld.observations.shown_cells import describe_heading
from gridworld.plugins import get_registry
from gridworld.task.writing import task_to_dict
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.compilation import compile_world
from gridworld.world.looks import Shown, describe_thing
from gridworld.world.state import GONE, NOTHING, State, Status
from gridworld.world.topology import Topology
from gridworld.world.world import Entity, World
from multinet_eval.probing.board import Board, Name, SeenThing, read_board, read_names
from multinet_eval.probing.probe import Unreadable

GOAL, TARGET = "goal", "target"
Part = tuple[int, int]
"""An entity's index, and the index of one of its positions."""


class ImpossibleError(Exception):
    """The transcription is not a board of a valid task; the message explains why."""


@attrs.frozen
class Transcription:
    """A model's transcription of a moment."""

    board: Board
    facing: str
    """The agent's direction, in the words of the text view."""
    carrying: str | None
    """The carried object in words; None for nothing."""


def read_transcription(said: Mapping[str, Any]) -> Transcription:
    """Parse the transcription in an answer.

    Raises:
        Unreadable: the answer contains no transcription, or a malformed one.
    """
    facing, carrying = said.get("facing"), said.get("carrying")
    if not isinstance(facing, str):
        raise Unreadable("facing: expected a direction")
    if carrying is not None and not isinstance(carrying, str):
        raise Unreadable("carrying: expected words or null")
    held = (carrying or "").strip()
    return Transcription(read_board(said), facing.strip().casefold(), None if held in ("", "nothing") else held)


def imagine(
    world: World, state: State, said: Transcription, lay_out: Callable[[TaskSpecification], Topology]
) -> tuple[World, State]:
    """Build the world and state that a transcription describes.

    Properties that a board does not show are taken from the true world: links between mechanisms, what to collect,
    hidden and used-up objects, rules and time. For this, each transcribed object is matched with the nearest true one
    of its kind and colour.

    Args:
        world: the true world.
        state: the true state.
        said: the transcription.
        lay_out: returns the topology for a task, on the same tiling.

    Raises:
        ImpossibleError: the transcription is not a board of a valid task.
    """
    draft = _Draft(world, state, said)
    try:
        task = TaskSpecification.from_dict(draft.data())
        imagined = compile_world(task, lay_out(task))
    except TaskError as error:
        raise ImpossibleError(str(error)) from error
    return imagined, draft.state_in(imagined)


@attrs.define
class _Placed:
    """A mechanism in the imagined task."""

    entry: dict[str, Any]
    group: str
    cell: Position | None
    """Cell of a movable mechanism; None if it is carried or used up."""
    movable: bool
    value: int | None = None
    """Index of its state; None for the initial state of its entry."""
    discovered: bool = False


class _Draft:
    """Builder of the imagined task."""

    def __init__(self, world: World, state: State, said: Transcription) -> None:
        self._world, self._state, self._said, self._board = world, state, said, said.board
        self._plain = task_to_dict(world.task)
        self._entries = {
            entry["id"]: (group, entry)
            for group, listed in self._plain.get("mechanisms", {}).items()
            for entry in listed
        }
        self._placed: dict[str, _Placed] = {}
        self._carried: str | None = None
        if len(self._board.agents) != 1:
            raise ImpossibleError(f"expected one agent, got {len(self._board.agents)}")
        (self._agent,) = self._board.agents
        width, height = self._board.width, self._board.height
        border = {
            Position(x, y) for x in range(width) for y in range(height) if x in (0, width - 1) or y in (0, height - 1)
        }
        if not border <= self._board.walls:
            raise ImpossibleError("expected walls along the whole border")
        self._heading = self._read_heading()
        self._place_shown()
        self._place_unshown()
        self._take_in_hand()

    # --- what is where -----------------------------------------------------------------------------------------

    def _read_heading(self) -> int:
        topology = self._world.topology
        names = [describe_heading(topology, heading) for heading in range(topology.heading_count)]
        if self._said.facing not in names:
            raise ImpossibleError(f"'{self._said.facing}' is not a direction")
        return names.index(self._said.facing)

    def _place_shown(self) -> None:
        things = sorted(thing for thing in self._board.things if thing.name.kind not in (GOAL, TARGET))
        there = {part: SeenThing(cell, self._name(part)) for part, cell in self._shown_parts()}
        pairs = dict(_pair(there, things))
        taken: dict[int, dict[int, SeenThing]] = {}
        for (entity, part), thing in pairs.items():
            taken.setdefault(entity, {})[part] = thing
        for entity, parts in sorted(taken.items()):
            self._place(self._world.entities[entity], [thing for _, thing in sorted(parts.items())])
        paired = list(pairs.values())
        for number, thing in enumerate(each for each in things if each not in paired):
            self._add(f"imagined {number}", thing.name, thing.cell)

    def _shown_parts(self) -> Iterator[tuple[Part, Position]]:
        for entity in self._world.entities:
            if self._world.is_hidden(self._state, entity.index):
                continue
            if entity.index < len(self._state.places):
                place = self._state.places[entity.index]
                if place != GONE:
                    yield (entity.index, 0), self._world.topology.lattice[place]
            else:
                for part, cell in enumerate(entity.type.positions(entity.spec).values()):
                    yield (entity.index, part), cell

    def _name(self, part: Part, value: int | None = None) -> Name:
        entity, position = part
        shown = Shown(entity, self._state.values[entity] if value is None else value, position)
        return read_names(describe_thing(self._world, shown))[0]

    def _place(self, entity: Entity, things: list[SeenThing]) -> None:
        """Move a true object to the cell and state in which it was transcribed."""
        fields = tuple(entity.type.positions(entity.spec))
        if len(things) != len(fields):
            raise ImpossibleError(f"only a part of {things[0].name} is on the board")
        group, entry = self._entries[entity.id]
        entry = {**entry, **{field: list(thing.cell) for field, thing in zip(fields, things, strict=True)}}
        present = self._state.values[entity.index]
        values = (present, *range(len(entity.type.values)))
        value = next((v for v in values if self._name((entity.index, 0), v) == things[0].name), None)
        if value is None:
            entry |= _told_fields(things[0].name)
        movable = entity.index < len(self._state.places)
        discovered = bool(self._state.discovered >> entity.index & 1)
        self._placed[entity.id] = _Placed(entry, group, things[0].cell, movable, value, discovered)

    def _add(self, name: str, thing: Name, cell: Position | None) -> None:
        """Add a transcribed object, on the board or carried, that has no true counterpart."""
        vocabulary = vocabulary_of(get_registry())
        meaning = vocabulary.find(str(thing).split())
        fields = () if meaning is None else vocabulary.position_fields(meaning.type_name)
        if meaning is None or len(fields) != 1:
            raise ImpossibleError(f"nothing like '{thing}' can be added to the board")
        told = {field: value for field, value in meaning.fields.items() if value is not None}
        entry = {"id": name, fields[0]: list(cell or (0, 0)), **told}
        self._placed[name] = _Placed(entry, meaning.type_name, cell, cell is None)

    def _place_unshown(self) -> None:
        """Copy hidden and used-up objects unchanged."""
        for entity in self._world.entities:
            group, entry = self._entries[entity.id]
            movable = entity.index < len(self._state.places)
            place = self._state.places[entity.index] if movable else NOTHING
            value = self._state.values[entity.index]
            if self._world.is_hidden(self._state, entity.index):
                cell = self._world.topology.lattice[place] if place != GONE else None
                self._placed[entity.id] = _Placed(dict(entry), group, cell, movable, value)
            elif movable and place == GONE and entity.index != self._state.carried:
                self._placed[entity.id] = _Placed(dict(entry), group, None, True, value)

    def _take_in_hand(self) -> None:
        if self._said.carrying is None:
            return
        name = read_names(self._said.carrying)[0]
        held = self._state.carried
        missing = [each.index for each in self._world.entities if each.id not in self._placed]
        for index in (*([held] if held != NOTHING else []), *missing):
            entity = self._world.entities[index]
            if index < len(self._state.places) and _alike(self._name((index, 0)), name):
                group, entry = self._entries[entity.id]
                value = self._state.values[index]
                self._placed[entity.id] = _Placed(dict(entry), group, None, True, value)
                self._carried = entity.id
                return
        self._carried = "imagined hand"
        self._add(self._carried, name, None)

    # --- the task ----------------------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """Return the contents of a task file; objects that cannot start on their cell are moved to free floor."""
        hidden = {
            Position(*value)
            for entity in self._world.entities
            if self._world.is_hidden(self._state, entity.index)
            for field, value in self._placed[entity.id].entry.items()
            if field.startswith("position")
        }
        walls = self._board.walls - hidden
        free = self._free_cells(walls | hidden)
        goal, marked = self._goal()
        try:
            start, goal_cell = next(free), marked or next(free)
            mechanisms = self._mechanisms(free)
        except StopIteration:
            raise ImpossibleError("there is no free floor") from None
        rules = dict(self._plain.get("rules", {}))
        rules["hidden_mechanisms"] = [name for name in rules.get("hidden_mechanisms", ()) if name in self._placed]
        return {
            **{name: self._plain[name] for name in ("task_id", "seed", "difficulty_tier", "max_steps")},
            "maze": {
                "dimensions": [self._board.width, self._board.height],
                "walls": sorted(map(list, walls)),
                "start": list(start),
                "goal": list(goal_cell),
            },
            "mechanisms": mechanisms,
            "rules": rules,
            "goal": goal,
        }

    def _free_cells(self, taken: Iterable[Position]) -> Iterator[Position]:
        used = {*taken, self._agent, *(thing.cell for thing in self._board.things)}
        for y in range(1, self._board.height - 1):
            for x in range(1, self._board.width - 1):
                if Position(x, y) not in used:
                    yield Position(x, y)

    def _mechanisms(self, free: Iterator[Position]) -> dict[str, list[dict[str, Any]]]:
        cells = [thing.cell for thing in self._board.things]
        listed: dict[str, list[dict[str, Any]]] = {}
        for placed in self._placed.values():
            entry = dict(placed.entry)
            if placed.movable and (placed.cell is None or cells.count(placed.cell) > 1 or placed.cell == self._agent):
                entry["position"] = list(next(free))
            if "controls" in entry:
                entry["controls"] = [name for name in entry["controls"] if name in self._placed]
            listed.setdefault(placed.group, []).append(entry)
        return listed

    def _goal(self) -> tuple[dict[str, Any], Position | None]:
        """Return the goal, and the position to reach if the goal has one."""
        goal = dict(self._plain["goal"])
        goals = sorted(thing.cell for thing in self._board.things if thing.name.kind == GOAL)
        reaches = any(mark.kind == GOAL for mark in self._world.marks.values())
        if reaches and len(goals) != 1:
            raise ImpossibleError(f"expected one goal, got {len(goals)}")
        if reaches:
            goal["target"] = list(goals[0])
        if goal.get("target_positions"):
            goal["target_positions"] = [list(cell) for cell in self._targets()]
        return goal, goals[0] if reaches else None

    def _targets(self) -> list[Position]:
        """Return the transcribed cells of the targets, in the order of the true targets."""
        topology = self._world.topology
        there = {
            (number, 0): SeenThing(cell, Name(TARGET, self._world.marks[topology.anchor(cell)].color or ""))
            for number, cell in enumerate(self._world.task.goal.target_positions)
        }
        things = sorted(thing for thing in self._board.things if thing.name.kind == TARGET)
        pairs = dict(_pair(there, things))
        if len(pairs) != len(there):
            raise ImpossibleError("not all targets are on the board")
        return [pairs[part].cell for part in there]

    # --- the state ---------------------------------------------------------------------------------------------

    def state_in(self, world: World) -> State:
        """Return the state of the imagined world at the transcribed moment."""
        values, places, discovered = list(world.start.values), list(world.start.places), 0
        for name, placed in self._placed.items():
            index = world.by_id[name].index
            if placed.value is not None:
                values[index] = placed.value
            if index < len(places):
                places[index] = GONE if placed.cell is None else world.topology.anchor(placed.cell)
            discovered |= placed.discovered << index
        if world.topology.lattice[self._true_cell(world)] != self._agent:
            raise ImpossibleError("the agent is not on the board")
        return State(
            cell=self._true_cell(world),
            heading=self._heading,
            carried=NOTHING if self._carried is None else world.by_id[self._carried].index,
            values=tuple(values),
            places=tuple(places),
            memory=world.start.memory if world.remember is None else self._state.memory,
            steps=self._state.steps,
            status=Status.RUNNING,
            discovered=discovered,
        )

    def _true_cell(self, world: World) -> int:
        """Find the agent's cell: if its lattice cell has several, the true one if possible, otherwise the first."""
        true = self._world.topology
        same = (true.width, true.height) == (world.topology.width, world.topology.height)
        if same and true.lattice[self._state.cell] == self._agent:
            return self._state.cell
        return world.topology.anchor(self._agent)


def _pair(there: Mapping[Part, SeenThing], said: list[SeenThing]) -> Iterator[tuple[Part, SeenThing]]:
    """Match true objects with transcribed ones of the same kind and colour: equal states first, then the nearest."""
    candidates = sorted(
        (one.name != other.name, abs(one.cell.x - other.cell.x) + abs(one.cell.y - other.cell.y), part, other)
        for part, one in there.items()
        for other in said
        if _alike(one.name, other.name)
    )
    parts, things = set(), set()
    for _, _, part, thing in candidates:
        if part not in parts and thing not in things:
            parts.add(part)
            things.add(thing)
            yield part, thing


def _alike(one: Name, other: Name) -> bool:
    """Whether two names may refer to the same object; those without a colour match any colour."""
    return one.kind == other.kind and (one.color == other.color or not one.color)


def _told_fields(name: Name) -> dict[str, Any]:
    """Return the task file fields that follow from the words."""
    meaning = vocabulary_of(get_registry()).find(str(name).split())
    if meaning is None:
        raise ImpossibleError(f"unknown name '{name}'")
    return {field: value for field, value in meaning.fields.items() if value is not None}
