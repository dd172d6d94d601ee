"""Validation of tasks.

The checks concern the task as written on its lattice; the solver decides whether it can be won. Each mechanism and goal
type contributes the checks of its own fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs

from gridworld.errors import AmbiguousNameError, InvalidTaskError, Problem, UnknownNameError, join_path
from gridworld.support.faults import telling
from gridworld.support.wording import nearest_hint
from gridworld.task.catalogs import Catalogs
from gridworld.task.meanings import Meaning, meaning_of
from gridworld.task_spec import Position, TaskSpecification

MIN_SIDE, MAX_SIDE = 3, 512
MIN_VIEW_SIZE, MAX_VIEW_SIZE = 3, 2 * MAX_SIDE - 1
MAX_STEPS = 1_000_000
"""Maximum step budget, far more than any solvable task needs; bounds the memory of a recorded episode."""
GOAL_FIELDS = ("target", "target_ids", "target_positions")
LABEL_DISTRACTOR = "distractor_chain"
"""Distractor type whose `element_id` is a label for a branch, not a mechanism."""


def find_problems(task: TaskSpecification, catalogs: Catalogs) -> list[Problem]:
    """Find all problems of a task, in the order of the checks; empty for a valid task.

    Args:
        task: the task.
        catalogs: the known mechanism and goal types.

    Raises:
        PluginFault: a hook of a mechanism or goal type failed.
    """
    malformed = [*_find_impossible_sides(task)]
    with telling(f"when the task '{task.task_id}' was checked"):
        return malformed or [problem for check in CHECKS for problem in check(task, catalogs)]


def refuse_impossible_sides(task: TaskSpecification) -> None:
    """Raise InvalidTaskError for an impossible size of the maze, before memory is spent on its cells."""
    problems = [*_find_impossible_sides(task)]
    if problems:
        raise InvalidTaskError(problems, task.task_id)


@attrs.frozen
class _Listed:
    """A mechanism and its path in the file."""

    path: str
    type: Any
    """Its `MechanismType`."""
    spec: Any


def _mechanisms(task: TaskSpecification, catalogs: Catalogs) -> Iterator[_Listed]:
    for name, specs in task.mechanisms.groups():
        try:
            mechanism = catalogs.mechanisms.get(name)
        except (UnknownNameError, AmbiguousNameError):
            continue
        for index, spec in enumerate(specs):
            yield _Listed(f"mechanisms.{name}[{index}]", mechanism, spec)


def typed_entries(task: TaskSpecification, catalogs: Catalogs) -> dict[str, Any]:
    """Return the completed mechanisms of a task by id; unknown types are skipped."""
    return {each.spec.id: each.type.typed(each.spec, task.rules) for each in _mechanisms(task, catalogs)}


def _placed(path: str, problems: Iterable[Problem]) -> list[Problem]:
    """Prefix the problems of a part with its path."""
    return [Problem(join_path(path, problem.path), problem.message) for problem in problems]


def _places(task: TaskSpecification, catalogs: Catalogs) -> Iterator[tuple[str, Position]]:
    """Yield the position of everything but walls, with its field path."""
    yield "maze.start", task.maze.start
    yield "maze.goal", task.maze.goal
    yield from _mechanism_places(task, catalogs)


def _mechanism_places(task: TaskSpecification, catalogs: Catalogs) -> Iterator[tuple[str, Position]]:
    for listed in _mechanisms(task, catalogs):
        for field, position in listed.type.positions(listed.spec).items():
            yield f"{listed.path}.{field}", position


def _check_plugins(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    for name, _ in task.mechanisms.groups():
        try:
            catalogs.mechanisms.get(name)
        except (UnknownNameError, AmbiguousNameError) as error:
            yield Problem(f"mechanisms.{name}", str(error))


def _check_identity(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    if not task.task_id.strip():
        yield Problem("task_id", "must not be empty")
    if task.difficulty_tier < 1:
        yield Problem("difficulty_tier", f"must be at least 1, got {task.difficulty_tier}")


def _find_impossible_sides(task: TaskSpecification) -> Iterator[Problem]:
    for index, side in enumerate(task.maze.dimensions):
        if not MIN_SIDE <= side <= MAX_SIDE:
            yield Problem(
                f"maze.dimensions[{index}]", f"must be at least {MIN_SIDE} and at most {MAX_SIDE}, got {side}"
            )


def _check_bounds(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    walls = ((f"maze.walls[{index}]", wall) for index, wall in enumerate(task.maze.walls))
    floor = ((f"maze.floor[{index}]", cell) for index, cell in enumerate(task.maze.floor or ()))
    for path, position in (*walls, *floor, *_places(task, catalogs)):
        if not task.maze.contains(position):
            width, height = task.maze.dimensions
            yield Problem(path, f"{list(position)} is outside the maze of {width} x {height} cells")


def _check_border(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    for path, position in _places(task, catalogs):
        if task.maze.contains(position) and task.maze.on_border(position):
            yield Problem(path, f"{list(position)} is on the border, where every cell is a wall")


def _check_ids(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for listed in _mechanisms(task, catalogs):
        if not listed.spec.id.strip():
            yield Problem(f"{listed.path}.id", "must not be empty")
        first = seen.setdefault(listed.spec.id, listed.path)
        if first != listed.path:
            yield Problem(f"{listed.path}.id", f"'{listed.spec.id}' is already the id of {first}")


def _check_overlaps(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    walls, listed = task.maze.wall_cells(), frozenset(task.maze.walls)
    for path, position in _places(task, catalogs):
        if position in walls and not task.maze.on_border(position):
            reason = "a wall" if position in listed else "not listed in maze.floor"
            yield Problem(path, f"{list(position)} is {reason}")
    for index, cell in enumerate(task.maze.floor or ()):
        if cell in listed:
            yield Problem(f"maze.floor[{index}]", f"{list(cell)} is also listed in maze.walls")
    taken: dict[Position, str] = {task.maze.start: "maze.start", task.maze.goal: "maze.goal"}
    for path, position in _mechanism_places(task, catalogs):
        first = taken.setdefault(position, path)
        if first != path:
            yield Problem(path, f"{list(position)} is already taken by {first}")


def _check_mechanisms(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    for listed in _mechanisms(task, catalogs):
        yield from _placed(listed.path, listed.type.validate(listed.spec, task))


def _check_controls(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    kinds = {listed.spec.id: listed.type for listed in _mechanisms(task, catalogs)}
    possible = [name for name, kind in kinds.items() if kind.controllable]
    for listed in _mechanisms(task, catalogs):
        for index, name in enumerate(listed.type.controls(listed.spec)):
            kind = kinds.get(name)
            if kind is None:
                message = f"nothing that can be controlled has the id '{name}'{nearest_hint(name, possible)}"
                yield Problem(f"{listed.path}.controls[{index}]", message)
            elif not kind.controllable:
                message = f"'{name}' is one of the {kind.name}, which nothing can control"
                yield Problem(f"{listed.path}.controls[{index}]", message)


def _check_other_references(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    """Check the ids in all other reference fields."""
    for listed in _mechanisms(task, catalogs):
        for field in attrs.fields(type(listed.spec)):
            if field.name != "controls" and meaning_of(field) is Meaning.REFERENCE:
                path, named = f"{listed.path}.{field.name}", attrs.asdict(listed.spec, recurse=False)[field.name]
                yield from _check_references(task, _listed_ids(path, named))


def _listed_ids(path: str, named: Any) -> Iterator[tuple[str, str]]:
    """Yield the ids in a field that holds one or several, with their paths."""
    if isinstance(named, tuple):
        yield from ((f"{path}[{index}]", name) for index, name in enumerate(named))
    elif named is not None:
        yield path, named


def _check_hidden(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    yield from _check_references(
        task, ((f"rules.hidden_mechanisms[{i}]", each) for i, each in enumerate(task.rules.hidden_mechanisms))
    )


def _check_dependency_chain(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    chain = task.dependency_chain
    if chain is None:
        return
    references = []
    for index, step in enumerate(chain.sequence):
        references.append((f"dependency_chain.sequence[{index}].element", step.element))
        if step.unlocks.casefold() not in ("goal", "g"):
            references.append((f"dependency_chain.sequence[{index}].unlocks", step.unlocks))
    yield from _check_references(task, iter(references))
    if chain.depth < 0:
        yield Problem("dependency_chain.depth", f"must not be negative, got {chain.depth}")


def _check_distractors(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    yield from _check_references(
        task,
        (
            (f"distractors[{index}].element_id", distractor.element_id)
            for index, distractor in enumerate(task.distractors)
            if distractor.type != LABEL_DISTRACTOR
        ),
    )


def _check_references(task: TaskSpecification, references: Iterator[tuple[str, str]]) -> Iterator[Problem]:
    known = task.mechanisms.ids()
    distinct = frozenset(known)
    for path, name in references:
        if name not in distinct:
            yield Problem(path, f"no mechanism has the id '{name}'{nearest_hint(name, known)}")


def _check_goal(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    try:
        goal = catalogs.goals.get(task.goal.type)
    except (UnknownNameError, AmbiguousNameError) as error:
        yield Problem("goal.type", str(error))
        return
    given = {
        "target": task.goal.target,
        "target_ids": task.goal.target_ids,
        "target_positions": task.goal.target_positions,
    }
    for field, value in given.items():
        if value and field not in goal.fields:
            yield Problem(f"goal.{field}", f"a goal of type '{goal.name}' does not use it")
    for field in attrs.fields(goal.parameters) if goal.parameters else ():
        if meaning_of(field) is Meaning.REFERENCE and field.name in task.goal.parameters:
            named = task.goal.parameters[field.name]
            yield from _check_references(task, _listed_ids(f"goal.{field.name}", named))
    walls = task.maze.wall_cells()
    targets = [(f"target_positions[{index}]", each) for index, each in enumerate(task.goal.target_positions)]
    for path, position in (("target", task.goal.target), *targets):
        if position is not None and (position in walls or not task.maze.contains(position)):
            yield Problem(f"goal.{path}", f"{list(position)} is a wall or outside the maze")
    yield from _placed("goal", goal.validate(task, typed_entries(task, catalogs)))


def _check_max_steps(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    if task.max_steps < 1:
        yield Problem("max_steps", f"must be at least 1, got {task.max_steps}")
    elif task.max_steps > MAX_STEPS:
        yield Problem("max_steps", f"must be at most {MAX_STEPS}, got {task.max_steps}")


def _check_view_size(task: TaskSpecification, catalogs: Catalogs) -> Iterator[Problem]:
    size = task.rules.view_size
    if not MIN_VIEW_SIZE <= size <= MAX_VIEW_SIZE or size % 2 == 0:
        expected = f"odd, at least {MIN_VIEW_SIZE} and at most {MAX_VIEW_SIZE}"
        yield Problem("rules.view_size", f"must be {expected}, got {size}")


CHECKS: tuple[Callable[[TaskSpecification, Catalogs], Iterator[Problem]], ...] = (
    _check_plugins,
    _check_identity,
    _check_bounds,
    _check_border,
    _check_ids,
    _check_overlaps,
    _check_mechanisms,
    _check_controls,
    _check_other_references,
    _check_hidden,
    _check_dependency_chain,
    _check_distractors,
    _check_goal,
    _check_max_steps,
    _check_view_size,
)
