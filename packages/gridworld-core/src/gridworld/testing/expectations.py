"""What several kits check: equality, determinism, JSON, problems, explanations, order and ids."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from copy import deepcopy
from typing import Any

from gridworld.errors import Problem
from gridworld.support.files import parse_json
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import calling, expect, fail
from gridworld.testing.stage import kit_task, walk
from gridworld.text import text_view
from gridworld.world import Episode, Topology, World, compile_world
from gridworld.world.mechanism_type import Explained

PLACE = re.compile(r"[(\[]\s*\d+\s*,\s*\d+\s*[)\]]|\b(?:columns?|rows?|cells?)\s+\d|\b[xy]\s*=\s*\d", re.IGNORECASE)
"""Pattern of a cell's coordinates in a text."""
SEED, LENGTH = 1, 15
"""Seed and length of the walk that is compared with one under other names."""


def same(first: Any, second: Any) -> bool:
    """Whether two values are equal, including arrays inside lists, tuples and dictionaries."""
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if hasattr(first, "__array__") or hasattr(second, "__array__"):
        import numpy as np

        return bool(np.array_equal(first, second))
    return bool(first == second)


def call_twice(what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function twice with equal arguments; it must return equal results and modify none of the arguments."""
    kept = repr(arguments)
    with calling(what):
        first, second = function(*arguments), function(*deepcopy(arguments))
    expect(first == second, f"{what} differs between calls")
    expect(kept == repr(arguments), f"{what} has modified its arguments")
    return first


def expect_through_json(what: str, value: Any) -> None:
    """Check that a value stays the same when it is written as JSON, by its `to_dict` if it has one, and read again."""
    with calling(f"writing {what} as JSON and reading it again"):
        has_form = hasattr(value, "to_dict")
        read = parse_json(json.dumps(value.to_dict() if has_form else value))
        again = type(value).from_dict(read) if has_form else _tupled(read)
    _expect_unchanged(what, value, again)


def expect_through_a_task_file(what: str, task: TaskSpecification) -> None:
    """Check that a task stays the same when it is written as a task file and read again."""
    with calling(f"writing {what} as a task file and reading it again"):
        again = kit_task(parse_json(json.dumps(task.to_dict())))
    _expect_unchanged(what, task, again)


def _expect_unchanged(what: str, value: Any, again: Any) -> None:
    if again != value:
        fail(f"{what}, {value!r}, is {again!r} after it has been written and read again")


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value


def expect_problems(
    what: str, fields: Collection[str], validate: Callable[..., Iterable[Any]], *arguments: Any
) -> None:
    """Check that a validation raises nothing and yields `Problem` records, with paths that begin with a field."""
    with calling(what):
        problems = list(validate(*arguments))
    for problem in problems:
        sound = isinstance(problem, Problem) and isinstance(problem.path, str) and bool(problem.message)
        expect(sound, f"{what} yields {problem!r}")
        field = re.split(r"[.\[]", problem.path)[0]
        expect(field in ("", *fields), f"{what} yields a problem with the path {problem.path!r}: no field {field!r}")


def expect_explained(what: str, explained: Any, values: Collection[str] = ()) -> None:
    """Check that an explanation is in sentences, each on one line, that name no place and no unknown state."""
    expect(isinstance(explained, Explained), f"{what} is {explained!r}")
    texts = (*explained.does, explained.looks)
    expect(all(isinstance(text, str) for text in texts), f"{what} holds {texts!r}")
    expect(explained.does and all(text.strip() for text in explained.does), f"{what} tells nothing of what it does")
    for text in texts:
        expect("\n" not in text and "\t" not in text, f"{what} holds a line break or a tab: {text!r}")
        expect(not PLACE.search(text), f"{what} names a place: {text!r}")
    unknown = sorted(set(explained.states or ()) - set(values))
    expect(not unknown, f"{what} names the states {unknown}, of {sorted(values)}")
    expect(explained.states != (), f"{what} leaves no state that it can be in")


# --- Order and ids ---------------------------------------------------------------------------------------------------


def expect_same_under_other_names(task: TaskSpecification, topologies: Iterable[Topology]) -> None:
    """Check that a walk through a task stays the same when its entries are in another order and have other ids."""
    ids = sorted((spec.id for _, specs in task.mechanisms.groups() for spec in specs), reverse=True)
    names = {name: f"renamed-{number:03d}" for number, name in enumerate(ids)}
    data = task.to_dict()
    data["mechanisms"] = {name: entries[::-1] for name, entries in reversed(data["mechanisms"].items())}
    with calling(f"giving other ids to what is in {task.mechanisms}"):
        other = kit_task(_renamed(data, names))
    for topology in topologies:
        world = compile_world(task, topology)
        actions = [action for _, action, _, _ in walk(world, SEED, LENGTH)]
        shown = zip(_shown(world, actions), _shown(compile_world(other, topology), actions), strict=False)
        for step, (here, there) in enumerate(shown):
            for what, told in _renamed(here, names).items():
                if told != there[what]:
                    where = f"on {topology.name}, in another order and with other ids"
                    fail(f"{where}, the {what} after {step} steps is {there[what]!r} instead of {told!r}")


def _shown(world: World, actions: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield what a walk shows at each step."""
    episode = Episode(world)
    episode.reset()
    for action in [None, *actions]:
        events = () if action is None or world.is_over(episode.state) else episode.step(action)
        looks = [thing.type.glyph(thing.spec, thing.value_name(episode.state)) for thing in world.entities]
        yield {
            "state": tuple(episode.state),
            "events": [event.to_dict() for event in events],
            "mission": world.goal_type.mission(world),
            "text": str(text_view(episode)),
            "look of the things": [repr(look) for look in looks],
        }


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """Replace ids in a value, including dictionary keys."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {names.get(name, name): _renamed(inner, names) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_renamed(inner, names) for inner in value)
    return value
