"""Reorder and rename the parts of a task, and record what a run of it shows, for comparison."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from gridworld.actions import Action
from gridworld.backends.grid_state import full_grid_state, known_grid_state
from gridworld.task_spec import TaskSpecification
from gridworld.text import describe_events, text_view
from gridworld.world import Episode, World
from gridworld.world.digest import digest
from gridworld.world.events import Event

Names = Mapping[str, str]
"""New id by old id."""

Moment = dict[str, Any]
"""Everything shown at one moment, by name."""

NAMING = ("mechanisms", "goal", "rules", "dependency_chain", "distractors")
"""Parts of a task file that contain mechanism ids."""

NUMBERS, COLLECTIONS = (int, float), (list, set, frozenset)


def reordered(task: TaskSpecification, rng: random.Random) -> TaskSpecification:
    """Return the task with its mechanisms, walls and hidden ids in another order, where possible."""
    data = task.to_dict()
    groups = {name: _shuffled(entries, rng) for name, entries in data.get("mechanisms", {}).items()}
    names = list(groups)
    data["mechanisms"] = {name: groups[name] for name in _shuffled(names, rng)}
    for part, field in (("maze", "walls"), ("rules", "hidden_mechanisms")):
        data[part][field] = _shuffled(data[part].get(field, []), rng)
    return TaskSpecification.from_dict(data)


def _shuffled(listed: list[Any], rng: random.Random) -> list[Any]:
    """Return the items in another order; two items are always swapped."""
    return listed[::-1] if len(listed) < 3 else rng.sample(listed, len(listed))


def other_names(task: TaskSpecification) -> dict[str, str]:
    """Map the id of every mechanism to a new id; the alphabetical order is reversed."""
    ids = sorted((spec.id for _, specs in task.mechanisms.groups() for spec in specs), reverse=True)
    return {name: f"renamed-{number:03d}" for number, name in enumerate(ids)}


def renamed(task: TaskSpecification, names: Names) -> TaskSpecification:
    """Return the task with renamed ids: every string that is an id is replaced, wherever ids can occur."""
    data = task.to_dict()
    return TaskSpecification.from_dict(data | {part: _told(data[part], names) for part in NAMING if part in data})


def _told(value: Any, names: Names) -> Any:
    """Replace ids in a value, including dictionary keys."""
    if isinstance(value, NUMBERS):
        return value
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple):
        return tuple(_told(inner, names) for inner in value)
    if isinstance(value, COLLECTIONS):
        return type(value)(_told(inner, names) for inner in value)
    if isinstance(value, Mapping):  # which takes the longest to find out
        return {names.get(name, name): _told(inner, names) for name, inner in value.items()}
    return value


def account(world: World, actions: Iterable[Action], names: Names) -> list[Moment]:
    """Return everything shown during a run through a world, moment by moment from the start.

    Args:
        world: the world.
        actions: the actions, taken until the end of the episode.
        names: the ids to replace.
    """
    moments = list(_moments(world, actions))
    return [_told(moment, names) for moment in moments] if names else moments


def _moments(world: World, actions: Iterable[Action]) -> Iterator[Moment]:
    episode = Episode(world)
    episode.reset()
    yield _moment(episode, ())
    for action in actions:
        if world.is_over(episode.state):
            return
        yield _moment(episode, episode.step(action))


def _moment(episode: Episode, events: tuple[Event, ...]) -> Moment:
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
        "look of the things": [_glyph(episode, entity) for entity in range(len(world.entities))],
        "GridState": attrs.asdict(full_grid_state(world, snapshot), recurse=False),
        "known GridState": attrs.asdict(known_grid_state(world, snapshot), recurse=False),
    }


def _glyph(episode: Episode, entity: int) -> str:
    thing = episode.world.entities[entity]
    return repr(thing.type.glyph(thing.spec, thing.value_name(episode.state)))


def digests(world: World, actions: Iterable[Action]) -> list[str]:
    """Return the digests of the moments that `account` returns."""
    episode = Episode(world)
    episode.reset()
    found = [digest(world, episode.snapshot)]
    for action in actions:
        if world.is_over(episode.state):
            break
        episode.step(action)
        found.append(digest(world, episode.snapshot))
    return found
