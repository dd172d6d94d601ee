"""The stage: a small task in which plugins are tested, on every tiling, and random walks about it."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from gridworld.actions import Action
from gridworld.hookspecs import TilingInfo
from gridworld.plugins import get_registry
from gridworld.plugins.known_plugins import TOOLKIT
from gridworld.support.import_strings import load_object
from gridworld.task.reading import read_task
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import Entry, run_checks
from gridworld.world import Episode, State, Topology, World, transition
from gridworld.world.events import Event
from gridworld.world.mechanism_type import Trait
from gridworld.world.state import NOTHING
from gridworld.world.topology import NO_CELL

__all__ = ["COMPANION_IDS", "ENTRY_CELLS", "HEIGHT", "WIDTH", "every_topology", "stage", "stage_task"]

WIDTH = 8
"""Lattice columns of the stage, border included."""
HEIGHT = 6
"""Lattice rows of the stage, border included."""
START, GOAL = (1, 1), (6, 4)
ENTRY_CELLS = ((3, 1), (5, 3), (2, 2), (3, 4))
"""Cells for entries made by the kits, in this order."""

COMPANIONS: dict[str, tuple[tuple[tuple[int, int], dict[str, Any]], ...]] = {
    "keys": (((2, 3), {"id": "stage-key", "color": "red"}),),
    "switches": (((5, 2), {"id": "stage-switch", "controls": ["stage-gate"]}),),
    "gates": (((4, 4), {"id": "stage-gate"}),),
    "blocks": (((3, 3), {"id": "stage-block"}),),
}
"""Preferred cell and fields of each companion, by mechanism name."""

COMPANION_IDS = tuple(str(fields["id"]) for entries in COMPANIONS.values() for _, fields in entries)
"""Ids of the mechanisms placed next to the one under test."""


def stage(
    mechanisms: Mapping[str, Sequence[Entry]],
    goal: Entry | None = None,
    rules: Entry | None = None,
    companions: bool = True,
) -> dict[str, Any]:
    """Return the contents of a task file: a room of 6 x 4 cells, (1, 1) to (6, 4), without inner walls.

    The agent starts at (1, 1) and the goal is at (6, 4), unless something else stands there. A red key, a block,
    and a switch with its gate are its companions.

    Args:
        mechanisms: mechanism type to entries, each with its own positions.
        goal: the contents of ``goal``; by default to reach the goal cell.
        rules: the contents of ``rules``.
        companions: whether to add the built-in mechanisms.
    """
    taken = set(_cells_in([list(mechanisms.values()), goal]))
    start, target = _free_cell(START, taken), _free_cell(GOAL, taken)
    listed = {name: [dict(entry) for entry in entries] for name, entries in mechanisms.items()}
    for name, cell, fields in _companions(listed) if companions else ():
        place = _free_cell(cell, taken)
        listed.setdefault(name, []).append({**fields, "position": list(place)})
    return {
        "task_id": "stage",
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {"dimensions": [WIDTH, HEIGHT], "start": list(start), "goal": list(target)},
        "mechanisms": listed,
        "rules": dict(rules or {}),
        "goal": dict(goal or {"type": "reach_position"}),
        "max_steps": 200,
    }


def stage_task(**options: Any) -> TaskSpecification:
    """Return the stage as a task; the options are those of `stage`."""
    return kit_task(stage(**{"mechanisms": {}, **options}))


def kit_task(data: Any) -> TaskSpecification:
    """Read a task of a kit without a warning: what is obsolete in it is no concern of the plugin's author."""
    return read_task(data, get_registry()).task


def _companions(listed: Mapping[str, Sequence[Entry]]) -> Iterator[tuple[str, tuple[int, int], dict[str, Any]]]:
    """Yield (mechanism, cell, fields) for the companions whose name is unambiguous and whose id is not used yet."""
    catalog = get_registry().mechanisms
    ids = {entry.get("id") for entries in listed.values() for entry in entries}
    for name, entries in COMPANIONS.items():
        if name in catalog and name not in catalog.conflicts() and catalog.provider(name).distribution in TOOLKIT:
            yield from ((name, cell, fields) for cell, fields in entries if fields["id"] not in ids)


def _free_cell(wanted: tuple[int, int], taken: set[tuple[int, int]]) -> tuple[int, int]:
    """Reserve the wanted cell of the room, or the first free one, and return it."""
    room = [(x, y) for y in range(1, HEIGHT - 1) for x in range(1, WIDTH - 1)]
    cell = next(cell for cell in (wanted, *room) if cell not in taken)
    taken.add(cell)
    return cell


def _cells_in(value: Any) -> Iterator[tuple[int, int]]:
    """Yield every pair of integers inside a value; some may not be cells."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, (list, tuple)):
        return
    if len(value) == 2 and all(type(each) is int for each in value):
        yield (value[0], value[1])
    for each in value:
        yield from _cells_in(each)


def every_topology(width: int = WIDTH, height: int = HEIGHT) -> Iterator[Topology]:
    """Yield a lattice on every installed tiling; nonconforming third-party tilings are skipped with a warning."""
    for provided in get_registry().tilings:
        wrong = "" if provided.distribution in TOOLKIT else _wrong_with(provided.item)
        if wrong:
            warnings.warn(f"{provided.item.owner} is left out: {wrong}", stacklevel=2)
            continue
        topology: Topology = load_object(provided.item.target)(width, height)
        yield topology


@cache
def _wrong_with(tiling: TilingInfo) -> str:
    """Return the first problem that the tiling's own kit finds; empty for a sound tiling."""
    from gridworld.testing.tiling import TilingConformance

    results = run_checks(type("TilingBeside", (TilingConformance,), {"tiling": tiling}))
    return next((result.wrong for result in results if result.verdict != "passed"), "")


WalkedStep = tuple[State, Action, State, tuple[Event, ...]]
"""State before, action, state after, and events."""

TURNS = (Action.TURN_LEFT, Action.TURN_RIGHT)


def roaming_action(world: World, state: State, rng: random.Random) -> Action:
    """Return a random action, usually one suitable for the cell ahead."""
    ahead = world.ahead(state)
    thing = NOTHING if ahead == NO_CELL else world.thing_at(state, ahead)
    draw = rng.random()
    if draw < 0.3:
        return rng.choice(tuple(Action))
    if thing != NOTHING and draw < 0.7:
        if world.traits_of(state, thing) & Trait.PORTABLE:
            return Action.PICKUP
        if world.entities[thing].type.on_toggle:
            return Action.TOGGLE
    pushable = thing != NOTHING and world.traits_of(state, thing) & Trait.PUSHABLE
    if draw < 0.8 and (pushable or world.is_free(state, ahead)):
        return Action.MOVE_FORWARD
    return rng.choice(TURNS)


def walk(world: World, seed: int, length: int) -> Iterator[WalkedStep]:
    """Yield random steps from the start of a world, up to the end of the episode or `length` steps."""
    rng = random.Random(seed)
    state = world.start
    while not world.is_over(state) and state.steps < length:
        action = roaming_action(world, state, rng)
        following, events = transition(world, state, action)
        yield state, action, following, events
        state = following


def walk_through(episode: Episode, seed: int, length: int) -> Iterator[tuple[Event, ...]]:
    """Play the actions of `walk` in an episode; yield the events of each, and an empty tuple for the start."""
    episode.reset()
    yield ()
    for _, action, _, _ in walk(episode.world, seed, length):
        yield episode.step(action)
