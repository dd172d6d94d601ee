"""States, events, looks, texts and digests do not depend on the order or the ids in a file."""

import random
from collections.abc import Iterable, Iterator
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.backends.grid_state import full_grid_state, known_grid_state
from gridworld.plugins import get_registry, using_registry
from gridworld.solver import solve
from gridworld.task_spec import Rules, TaskSpecification
from gridworld.text import describe_events, text_view
from gridworld.world import Entity, Episode, State, World, compile_world, transition
from gridworld.world.digest import digest
from gridworld.world.events import Event
from gridworld.world.mechanism_type import MechanismType
from support.plugins import with_item
from support.sample_plugins import CLOCKS, clock, draw_carrying, with_carriers
from support.thoroughness import bounded
from support.tilings import TILINGS, make_topology
from support.worlds import compiled, gate, switch, task_dicts, walk

Names = dict[str, str]
"""New id by old id."""
NAMING = ("mechanisms", "goal", "rules", "dependency_chain", "distractors")
"""Parts of a task file that contain mechanism ids."""
LENGTH = 40
MAX_STATES = 800
WAIT = 6


@pytest.fixture(autouse=True, scope="module")
def _carriers() -> Iterator[None]:
    with with_carriers():
        yield


@st.composite
def lively_tasks(choose: st.DrawFn) -> TaskSpecification:
    """Random tasks with belts, ice, ledges and clocks on some of the cells that are free."""
    data = choose(task_dicts())
    rng = random.Random(choose(st.integers(0, 2**32 - 1)))
    for x, y in free_cells(data):
        if rng.random() < 0.5:
            belt = ("belts", {"direction": rng.randrange(4)})
            name, fields = rng.choice([belt, belt, belt, ("ice", {}), ("ledges", {})])
            entry = {"id": f"{name}{x}-{y}", "position": [x, y], **fields}
            data["mechanisms"].setdefault(name, []).append(entry)
        elif rng.random() < 0.1:
            gates = [each["id"] for each in data["mechanisms"].get("gates", [])]
            entry = {"id": f"clock{x}-{y}", "position": [x, y], "controls": gates}
            data["mechanisms"].setdefault("clocks", []).append(entry)
    return TaskSpecification.from_dict(data)


def free_cells(data: dict[str, Any]) -> list[tuple[int, int]]:
    width, height = data["maze"]["dimensions"]
    goal = data["goal"]
    taken = [*data["maze"]["walls"], data["maze"]["start"], data["maze"]["goal"], goal.get("target")]
    taken += goal.get("target_positions", [])
    taken += [
        value
        for entries in data["mechanisms"].values()
        for entry in entries
        for field, value in entry.items()
        if field.startswith("position")
    ]
    return [(x, y) for y in range(1, height - 1) for x in range(1, width - 1) if [x, y] not in taken]


def compiled_on(tiling: str, task: TaskSpecification) -> World:
    return compile_world(task, make_topology(tiling, task.maze.dimensions))


def reordered(task: TaskSpecification, rng: random.Random) -> TaskSpecification:
    """The task with its mechanisms, walls and hidden ids in another order, where possible."""
    data = task.to_dict()
    groups = {name: _shuffled(entries, rng) for name, entries in data.get("mechanisms", {}).items()}
    data["mechanisms"] = {name: groups[name] for name in _shuffled(list(groups), rng)}
    for part, field in (("maze", "walls"), ("rules", "hidden_mechanisms")):
        data[part][field] = _shuffled(data[part].get(field, []), rng)
    return TaskSpecification.from_dict(data)


def _shuffled(listed: list[Any], rng: random.Random) -> list[Any]:
    """The items in another order; two items are always swapped."""
    return listed[::-1] if len(listed) < 3 else rng.sample(listed, len(listed))


def other_names(task: TaskSpecification) -> Names:
    """A new id for every mechanism; the alphabetical order is reversed."""
    ids = sorted((spec.id for _, specs in task.mechanisms.groups() for spec in specs), reverse=True)
    return {name: f"renamed-{number:03d}" for number, name in enumerate(ids)}


def renamed(task: TaskSpecification, names: Names) -> TaskSpecification:
    """The task with renamed ids: every string that is an id is replaced, wherever ids can occur."""
    data = task.to_dict()
    return TaskSpecification.from_dict(data | {part: _with_names(data[part], names) for part in NAMING if part in data})


def _with_names(value: Any, names: Names) -> Any:
    """Replace ids in a value, including dictionary keys."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple):
        return tuple(_with_names(inner, names) for inner in value)
    if isinstance(value, list | set | frozenset):
        return type(value)(_with_names(inner, names) for inner in value)
    if isinstance(value, dict):
        return {names.get(name, name): _with_names(inner, names) for name, inner in value.items()}
    return value


def account(world: World, actions: Iterable[Action]) -> list[dict[str, Any]]:
    """Everything that is shown, moment by moment, from the start until the actions or the episode end."""
    episode = Episode(world)
    episode.reset()
    moments = [_moment(episode, ())]
    for action in actions:
        if world.is_over(episode.state):
            break
        moments.append(_moment(episode, episode.step(action)))
    return moments


def _moment(episode: Episode, events: tuple[Event, ...]) -> dict[str, Any]:
    world, snapshot = episode.world, episode.snapshot
    witnessed = episode.witnessed(events)
    return {
        "state": snapshot.state,
        "events": [event.to_dict() for event in events],
        "witnessed events": [event.to_dict() for event in witnessed],
        "words": describe_events(world, witnessed),
        "text": str(text_view(episode)),
        "mission": world.goal_type.mission(world),
        "look of the cells": [episode.look(cell) for cell in range(world.topology.cell_count)],
        "look of the things": [
            repr(thing.type.glyph(thing.spec, thing.value_name(episode.state))) for thing in world.entities
        ],
        "GridState": attrs.asdict(full_grid_state(world, snapshot), recurse=False),
        "known GridState": attrs.asdict(known_grid_state(world, snapshot), recurse=False),
        "digest": digest(world, snapshot),
    }


def _without_digests(moments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**moment, "digest": None} for moment in moments]


def actions_of(world: World, seed: int) -> list[Action]:
    return [action for _, action, _, _ in walk(world, seed, LENGTH)]


seeds = st.integers(0, 2**32 - 1)
tilings = st.sampled_from(TILINGS)


@bounded(8)
@given(lively_tasks(), tilings, seeds)
def test_order_in_the_file_does_not_matter(task: TaskSpecification, tiling: str, seed: int) -> None:
    other = reordered(task, random.Random(seed))
    one, two = compiled_on(tiling, task), compiled_on(tiling, other)
    actions = actions_of(one, seed)
    assert account(one, actions) == account(two, actions)


@bounded(8)
@given(lively_tasks(), tilings, seeds)
def test_ids_do_not_matter(task: TaskSpecification, tiling: str, seed: int) -> None:
    names = other_names(task)
    one, two = compiled_on(tiling, task), compiled_on(tiling, renamed(task, names))
    actions = actions_of(one, seed)
    expected = [_with_names(moment, names) for moment in account(one, actions)]
    assert _without_digests(expected) == _without_digests(account(two, actions))


@bounded(5)
@given(lively_tasks(), seeds)
def test_plans_do_not_depend_on_order_or_ids(task: TaskSpecification, seed: int) -> None:
    found = solve(compiled(task), MAX_STATES)
    assert solve(compiled(reordered(task, random.Random(seed))), MAX_STATES) == found
    assert solve(compiled(renamed(task, other_names(task))), MAX_STATES) == found


def relays(**hooks: Any) -> MechanismType:
    """Each takes the value of its left neighbour, in the phase whose hook is given; the first is always on."""
    idle = attrs.evolve(CLOCKS, name="relays", noun="relay", tick=None, initial=_first_on)
    return attrs.evolve(idle, **hooks)


def _first_on(relay: Any, rules: Rules) -> str:
    return CLOCKS.values[relay.position.x == 2]


def value_of_the_left(world: World, state: State, relay: Entity) -> tuple[int, tuple[()]] | None:
    x, y = relay.spec.position
    left = [entity for entity in world.entities if entity.spec.position == (x - 1, y)]
    return (state.values[left[0].index], ()) if left else None


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
@pytest.mark.parametrize(("phase", "values"), [("sense", [1, 1, 0]), ("derive", [1, 1, 1]), ("tick", [1, 1, 0])])
def test_entities_in_a_phase_read_one_state(phase: str, values: list[int], order: tuple[int, ...]) -> None:
    """So a phase takes the signal one relay on; deriving is repeated until it is through all of them."""
    positions = [[2, 1], [3, 1], [4, 1]]
    entries = [{"id": "abc"[number], "position": positions[number]} for number in order]
    data = draw_carrying("#######\n#@...G#\n#..s..#\n#######", s=switch()).to_dict()
    data["mechanisms"]["relays"] = entries
    with using_registry(with_item(get_registry(), "mechanism", relays(**{phase: value_of_the_left}))):
        world = compiled(TaskSpecification.from_dict(data))
        state = world.start
        if phase == "tick":
            state, _ = transition(world, state, WAIT)
    assert [state.values[world.by_id[name].index] for name in "abc"] == values


def test_phases_see_no_number_of_steps() -> None:
    """The kernel asks sensing, deriving, carrying and ticking with a step count of 0, at the start and ever after."""
    shown: list[tuple[str, int]] = []

    def spying(name: str, answer: Any) -> Any:
        return lambda world, state, entity: (shown.append((name, state.steps)), answer)[1]

    phases = ("sense", "derive", "tick", "carries")
    spy = attrs.evolve(relays(), fills_patch=True, **{name: spying(name, None) for name in phases})
    data = draw_carrying("######\n#@..G#\n######").to_dict()
    data["mechanisms"] = {"relays": [{"id": "r", "position": [3, 1]}]}
    with using_registry(with_item(get_registry(), "mechanism", spy)):
        world = compiled(TaskSpecification.from_dict(data))
        state = world.start
        for _ in range(5):
            state, _ = transition(world, state, WAIT)
        transition(world, state, 2)
    assert set(shown) == {(name, 0) for name in phases}


@pytest.mark.parametrize("first", "ab")
def test_clocks_tick_together(first: str) -> None:
    """Two clocks control one gate; they tick together, so it opens and shuts with both."""
    controls = {"a": clock("g"), "b": clock("g")}
    clocks = {name: controls[name] for name in sorted(controls, reverse=first == "b")}
    world = compiled(draw_carrying("########\n#@.abgG#\n########", g=gate(), **clocks))
    state, told = world.start, []
    for _ in range(3):
        state, events = transition(world, state, WAIT)
        told.append([event.to_dict()["kind"] for event in events])
    assert told == [["Waited", "Changed", "Changed", "Opened"], ["Waited", "Changed", "Changed", "Closed"], told[0]]
