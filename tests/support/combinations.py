"""Scenes in which two mechanisms meet, searched step by step, comparing the kernel with a plain version of the rules.

A scene is a room of 4 x 2 cells with one of each, side by side, and, if neither can be moved itself, a block that can
be pushed and carried onto them. In every state found within a budget, everything that an agent can do is tried.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from gridworld.errors import PluginFault, TaskError, TaskFileWarning
from gridworld.plugins import get_registry, using_registry
from gridworld.support.import_strings import load_object
from gridworld.task.colors import ANY_COLORS
from gridworld.task_spec import TaskSpecification
from gridworld.testing import MechanismConformance
from gridworld.testing.conformance import Entry, with_item
from gridworld.testing.hook_calls import Hook, watched
from gridworld.testing.stage import COMPANION_IDS
from gridworld.world import Entity, State, Topology, World, acts, compile_world
from gridworld.world.events import Event, NoEffect
from gridworld.world.mechanism_type import MechanismType, Trait
from gridworld.world.rules import perform
from gridworld.world.state import GONE, Status
from support.plain_rules import plain_step

WIDTH, HEIGHT = 6, 4
START, GOAL = [1, 1], [2, 2]
"""Cells of the start and the goal; the scenes do not aim at reaching the goal."""
BEFORE, FIRST, BELOW, BESIDE = [2, 1], [3, 1], [3, 2], [4, 1]
"""Cells of the scene: the one in front of the agent, the one beyond it, and two neighbours of the latter."""
FURTHER = ([4, 2], [1, 2])
"""Additional cells for mechanisms that occupy more than one."""
GATE = "stage-gate"
NAMES = ("first", "second")
LINKS = (("second", GATE), (GATE, "first"), (GATE, GATE))
"""Pairs of ids for the two mechanisms, each with the id that it refers to, if any."""


class Round(NamedTuple):
    """One arrangement of two mechanisms in a scene."""

    swapped: bool
    hidden: bool
    second: list[int]
    """The cell of the second mechanism if neither can be moved; a controlled gate takes the other cell."""
    mirrored: bool = False
    upright: bool = False
    """Whether columns and rows are swapped."""

    def place(self, cell: Sequence[int]) -> list[int]:
        """Return the room's cell for a cell of the plan, mirrored or turned upright in some rounds."""
        x, y = cell
        x = WIDTH - 1 - x if self.mirrored else x
        return [y, x] if self.upright else [x, y]


TILINGS = {
    "square": (
        Round(False, False, BELOW),
        Round(True, True, BELOW, mirrored=True),
        Round(False, False, BESIDE, upright=True),
        Round(True, True, BESIDE, mirrored=True, upright=True),
    ),
    "hex": (Round(True, False, BESIDE, mirrored=True),),
    "3464": (Round(False, True, BESIDE),),
}
"""Rounds to play on each installed tiling; blocks are pushed in a different direction in each round."""
MOST_STATES, FEWEST_STATES = 200, 50
"""Maximum number of states searched for two mechanisms on one tiling, and the minimum for each of their scenes."""
NOTHING_HAPPENED = NoEffect("")
ACTS = {
    act.__name__: act
    for act in (
        acts.turn_left,
        acts.turn_right,
        acts.move_forward,
        acts.move_backward,
        acts.push,
        acts.pickup,
        acts.drop,
        acts.toggle,
        acts.wait,
    )
}
"""All acts of an agent in a step."""


class Example(NamedTuple):
    """A task file entry of a mechanism."""

    entry: Entry
    fields: tuple[str, ...]
    """Fields of the entry that hold its cells."""
    movable: bool


class Member(NamedTuple):
    """A mechanism with some sample entries."""

    mechanism: MechanismType
    examples: Sequence[Example]


class _Wrong(Exception):
    """A fault after some acts; also raised from within hooks."""


def member_of(mechanism: MechanismType) -> Member:
    """Return a mechanism with the examples that its kit derives, except those that differ only in colour."""
    kit = type("Kit", (MechanismConformance,), {"mechanism": mechanism})()
    different: dict[str, Example] = {}
    for entry, (spec, _) in zip(kit.entries(), kit.specs(), strict=True):
        behaviour = {name: value for name, value in entry.items() if str(value) not in ANY_COLORS}
        moves = any(mechanism.traits(spec, value) & Trait.MOVABLE for value in mechanism.values)
        different.setdefault(repr(behaviour), Example(entry, tuple(mechanism.positions(spec)), moves))
    return Member(mechanism, list(different.values()))


def find_fault(*members: Member) -> str | None:
    """Return the first fault in scenes of two mechanisms, or of one alone; None if there is none."""
    registry = get_registry()
    for member in members:
        registry = with_item(registry, "mechanism", watched(member.mechanism, _call))
    with using_registry(registry):
        for world, rounds in _worlds(members):
            fault = _search(world, max(MOST_STATES // rounds, FEWEST_STATES))
            if fault is not None:
                return fault
    return None


def _call(name: str, hook: Hook, world: World, state: State, entity: Entity) -> Any:
    """Call a hook; the agent must be where the hook acts, and no entity may be moved to an impossible cell."""
    what = f"{name} of '{entity.id}'"
    if name == "on_enter" and state.cell not in world.cells_of(state, entity):
        raise _Wrong(f"{what} is called though the agent is on {_told(world, state.cell)}")
    result = hook(world, state, entity)
    if isinstance(result, tuple) and isinstance(result[0], State):
        for wrong in _collisions(world, state, result[0]):
            raise _Wrong(f"{what} puts {wrong}")
    return result


def _collisions(world: World, before: State, after: State) -> Iterator[str]:
    """Yield the entities that were moved to an impossible cell, each with the obstacle there."""
    for thing, (old, cell) in enumerate(zip(before.places, after.places, strict=False)):
        if cell in (old, GONE):
            continue
        there = [each for each in world.things_at(after, cell) if each != thing]
        if cell in world.walls or after.places.count(cell) > 1 or any(_is_solid(world, after, each) for each in there):
            yield f"'{world.entities[thing].id}' onto {_told(world, cell)}, which is taken"
    if after.cell != before.cell:
        travelling = [heading for heading in range(world.headings) if _beyond(world, before, heading) == after.cell]
        refused = [
            not world.is_free(after._replace(cell=before.cell, heading=heading), after.cell) for heading in travelling
        ]
        solid = any(_is_solid(world, after, each) for each in world.things_at(after, after.cell))
        if after.cell in world.walls or solid or any(refused):
            yield f"the agent onto {_told(world, after.cell)}, where it is not let in"


def _is_solid(world: World, state: State, thing: int) -> bool:
    return bool(world.traits_of(state, thing) & Trait.SOLID)


def _beyond(world: World, state: State, heading: int) -> int:
    return world.exits[state.cell * world.headings + heading]


# --- Scenes ----------------------------------------------------------------------------------------------------------


def _worlds(members: Sequence[Member]) -> Iterator[tuple[World, int]]:
    """Yield the scenes on each tiling, with the number of scenes there."""
    for provided in get_registry().tilings:
        rounds = TILINGS.get(provided.item.name, ())
        found: list[World] = []
        for each in rounds:
            topology = load_object(provided.item.target)(*((HEIGHT, WIDTH) if each.upright else (WIDTH, HEIGHT)))
            found += _scenes(members[::-1] if each.swapped else members, topology, each)
        yield from ((world, len(found)) for world in found)


def _scenes(members: Sequence[Member], topology: Topology, placed: Round) -> Iterator[World]:
    """Yield the valid scenes that contain one example of each member."""
    for number in range(max(len(member.examples) for member in members)):
        cast = [(member.mechanism.name, member.examples[number % len(member.examples)]) for member in members]
        for links in LINKS:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", TaskFileWarning)  # derived examples use deprecated fields, too
                    task = TaskSpecification.from_dict(_scene(cast, links, placed))
                yield compile_world(task, topology)
            except TaskError:
                continue
            break


def _scene(cast: Sequence[tuple[str, Example]], links: Sequence[str], placed: Round) -> dict[str, Any]:
    """Return the contents of a task file; movable entities come before fixed ones."""
    mechanisms: dict[str, list[Entry]] = {}
    movable = any(example.movable for _, example in cast)
    cells, further = [BEFORE, FIRST] if movable else [FIRST, placed.second], iter(FURTHER)
    listed = sorted(zip(NAMES, links, cast, strict=False), key=lambda each: not each[2][1].movable)
    for cell, (name, link, (kind, example)) in zip(cells, listed, strict=False):
        places = map(placed.place, [cell, *islice(further, len(example.fields) - 1)])
        entry = {**_linked(example.entry, link), **dict(zip(example.fields, places, strict=False)), "id": name}
        mechanisms.setdefault(kind, []).append(entry)
    if not movable:
        mechanisms.setdefault("blocks", []).append({"id": "stage-block", "position": placed.place(BEFORE)})
    if GATE in repr(mechanisms):
        place = placed.place(BELOW if placed.second is BESIDE else BESIDE)
        mechanisms.setdefault("gates", []).append({"id": GATE, "position": place})
    return {
        "task_id": "scene",
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {
            "dimensions": [HEIGHT, WIDTH] if placed.upright else [WIDTH, HEIGHT],
            "start": placed.place(START),
            "goal": placed.place(GOAL),
        },
        "mechanisms": mechanisms,
        "rules": {"hidden_mechanisms": list(NAMES[: len(cast)]) if placed.hidden else []},
        "goal": {"type": "survive_steps"},
        "max_steps": 10_000,
    }


def _linked(value: Any, name: str) -> Any:
    """Redirect an entry's references from the stage's companions to another entity."""
    if isinstance(value, Mapping):
        return {field: _linked(inner, name) for field, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_linked(inner, name) for inner in value]
    return name if value in COMPANION_IDS else value


# --- Searching -------------------------------------------------------------------------------------------------------


def _search(world: World, most: int) -> str | None:
    """Return the first fault found by breadth-first search up to a number of states."""
    came_by: dict[Any, tuple[State, str] | None] = {world.start.key: None}
    queue = [world.start]
    act, state = "", world.start
    try:
        _expect_sound(world, world.start)
        for state in queue:
            for act in ACTS:
                now = _step(world, state, act)
                if now.key not in came_by:
                    _expect_sound(world, now)
                    came_by[now.key] = (state, act)
                    if not world.is_over(now) and len(queue) < most:
                        queue.append(now)
    except (_Wrong, PluginFault) as error:
        wrong = error.__cause__ if isinstance(error.__cause__, _Wrong) else error
        scene = {name: [str(spec) for spec in specs] for name, specs in world.task.mechanisms.groups()}
        return f"on {world.topology.name}, after {', '.join([*_way(came_by, state), act])}, {wrong}; the scene: {scene}"
    return None


def _way(came_by: dict[Any, tuple[State, str] | None], state: State) -> list[str]:
    """Return the acts that lead to a state."""
    found: list[str] = []
    while (last := came_by[state.key]) is not None:
        state, act = last
        found.append(act)
    return found[::-1]


def _step(world: World, state: State, act: str) -> State:
    """Return the state after an act; fails unless state and events follow from the rules."""
    now, events = perform(world, state, ACTS[act])
    expected, happened = plain_step(world, state, act)
    told, happened = _without_reasons(events), _without_reasons(happened)
    if now != expected or (told != happened and Counter(told) != Counter(happened)):
        raise _Wrong("; ".join([*_differences(now, expected), f"it tells {told}, by the rules {happened}"]))
    return now


def _without_reasons(events: Iterable[Event]) -> list[Event]:
    """Return the events, with all `NoEffect` events replaced by the same one."""
    return [NOTHING_HAPPENED if isinstance(event, NoEffect) else event for event in events]


def _differences(now: State, expected: State) -> Iterator[str]:
    one, other = now._asdict(), expected._asdict()
    yield from (f"`{name}` is {one[name]}, by the rules {other[name]}" for name in one if one[name] != other[name])


def _told(world: World, cell: int) -> str:
    return "no cell" if cell == GONE else f"cell {cell} in {tuple(world.topology.lattice[cell])}"


def _expect_sound(world: World, state: State) -> None:
    """Fail if entities overlap or a value is not derived."""
    places = [place for place in state.places if place != GONE]
    if len(set(places)) < len(places):
        raise _Wrong(f"two movable things are on one cell: {[_told(world, place) for place in places]}")
    if state.status != Status.RUNNING:
        return
    for entity, hook in world.deriving:
        outcome = hook(world, state._replace(steps=0), entity)
        if outcome and outcome[0] != state.values[entity.index]:
            names = entity.type.values
            raise _Wrong(
                f"'{entity.id}' is {names[state.values[entity.index]]!r} and would derive {names[outcome[0]]!r}"
            )
