"""Choosing worked examples that use a suite's mechanisms without being equivalent to any of its tasks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from gridworld.errors import ArgumentError
from gridworld.generation.canonical import canonical_form
from gridworld.support.wording import listed
from gridworld.task_spec import TaskSpecification


def choose_examples(
    count: int, candidates: Iterable[TaskSpecification], tasks: Collection[TaskSpecification], source: str
) -> tuple[TaskSpecification, ...]:
    """Choose examples that together show as many of a suite's mechanisms as possible.

    They use only mechanisms and goal types of the suite, and none is a rotated, mirrored or recoloured task of it
    (`gridworld.generation.canonical`). The order of the tasks does not matter.

    Args:
        count: number of examples.
        candidates: possible examples; the earlier of equally good ones is chosen.
        tasks: the suite.
        source: name of the candidates, for messages.

    Raises:
        ArgumentError: too few candidates fit, or none with one of the mechanisms.
    """
    if not count:
        return ()
    fitting = _fitting(list(candidates), tasks)
    needed = {name for task in tasks for name in _mechanisms(task)}
    missing = sorted(needed - {name for task in fitting for name in _mechanisms(task)})
    if missing:
        raise ArgumentError(
            f"examples: '{source}' has no example with {listed(missing, 'or')} that fits; "
            "choose another suite with examples_from"
        )
    if len(fitting) < count:
        raise ArgumentError(f"examples: {count} requested, but '{source}' has only {len(fitting)} that fit")
    return tuple(_spread(count, fitting))


def _fitting(candidates: Sequence[TaskSpecification], tasks: Collection[TaskSpecification]) -> list[TaskSpecification]:
    mechanisms = {name for task in tasks for name in _mechanisms(task)}
    goals = {task.goal.type for task in tasks}
    sizes = {_size(each) for each in candidates}
    forms = {canonical_form(task) for task in tasks if _size(task) in sizes}
    return [
        each
        for each in candidates
        if _mechanisms(each) <= mechanisms and each.goal.type in goals and canonical_form(each) not in forms
    ]


def _spread(count: int, fitting: list[TaskSpecification]) -> Iterator[TaskSpecification]:
    """Greedily choose the task with the most mechanisms not yet shown; start over once all have been shown."""
    left: set[str] = set()
    rest = list(fitting)
    for _ in range(count):
        left = left or {name for task in rest for name in _mechanisms(task)}
        best = max(rest, key=lambda task: len(_mechanisms(task) & left))
        left -= _mechanisms(best)
        rest.remove(best)
        yield best


def _mechanisms(task: TaskSpecification) -> set[str]:
    return {name for name, specs in task.mechanisms.groups() if specs}


def _size(task: TaskSpecification) -> tuple[int, ...]:
    """Return the sides of the lattice, shorter first."""
    return tuple(sorted(task.maze.dimensions))
