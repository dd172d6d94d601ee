"""Tasks made from other tasks: things moved, renamed and taken away."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

import attrs

from gridworld.task_spec import (
    DependencyChain,
    DependencyStep,
    MechanismSet,
    Position,
    TaskSpecification,
)
from gridworld_generators.tools.tiers import tier_of

__all__ = ["moved", "notation", "renamed", "with_chain", "with_mechanisms", "without"]


def moved(task: TaskSpecification, move: Callable[[Position], Position]) -> TaskSpecification:
    """The task with every cell somewhere else on a lattice of the same dimensions."""
    mechanisms = {name: [_with_values(spec, move) for spec in specs] for name, specs in task.mechanisms.groups()}
    return attrs.evolve(
        task,
        maze=_with_values(task.maze, move),
        goal=_with_values(task.goal, move),
        mechanisms=MechanismSet(**mechanisms),
    )


def _with_values(item: Any, move: Callable[[Position], Position]) -> Any:
    """An attrs object with every `Position` in its fields moved."""
    changed: dict[str, Any] = {}
    for name, value in attrs.asdict(item, recurse=False).items():
        if isinstance(value, Position):
            changed[name] = move(value)
        elif isinstance(value, tuple) and value and all(isinstance(each, Position) for each in value):
            changed[name] = tuple(move(each) for each in value)
    return attrs.evolve(item, **changed)


def renamed(task: TaskSpecification, names: Mapping[str, str]) -> TaskSpecification:
    """The task with other ids of its mechanisms, wherever they stand.

    Args:
        task: the task.
        names: old id to new one; the others stay.
    """

    def new(name: str) -> str:
        return names.get(name, name)

    def with_new(spec: Any) -> Any:
        fields = attrs.asdict(spec, recurse=False)
        lists = {"controls": tuple(map(new, fields["controls"]))} if "controls" in fields else {}
        return attrs.evolve(spec, id=new(spec.id), **lists)

    groups = {name: [with_new(spec) for spec in specs] for name, specs in task.mechanisms.groups()}
    chain = task.dependency_chain
    steps = [attrs.evolve(s, element=new(s.element), unlocks=new(s.unlocks)) for s in chain.sequence] if chain else []
    other = attrs.evolve(
        with_mechanisms(task, groups),
        goal=attrs.evolve(task.goal, target_ids=tuple(map(new, task.goal.target_ids))),
        rules=attrs.evolve(task.rules, hidden_mechanisms=tuple(map(new, task.rules.hidden_mechanisms))),
        distractors=[attrs.evolve(each, element_id=new(each.element_id)) for each in task.distractors],
    )
    return with_chain(other, steps)


def with_mechanisms(task: TaskSpecification, groups: Mapping[str, list[Any]]) -> TaskSpecification:
    """The task with other mechanisms, by type; those of a type are sorted by id."""
    in_order = {name: sorted(specs, key=lambda spec: str(spec.id)) for name, specs in groups.items()}
    return attrs.evolve(task, mechanisms=MechanismSet(**in_order))


def without(task: TaskSpecification, names: Container[str]) -> TaskSpecification:
    """The task without some mechanisms, by id, whose cells are floor then; no other mechanism may name them."""
    groups = {kind: [spec for spec in specs if spec.id not in names] for kind, specs in task.mechanisms.groups()}
    hidden = tuple(name for name in task.rules.hidden_mechanisms if name not in names)
    rules = attrs.evolve(task.rules, hidden_mechanisms=hidden)
    left = attrs.evolve(with_mechanisms(task, groups), rules=rules)
    return attrs.evolve(left, difficulty_tier=tier_of(left.mechanisms, left.rules))


def with_chain(task: TaskSpecification, steps: list[DependencyStep]) -> TaskSpecification:
    """The task with another dependency chain; the steps are numbered anew."""
    numbered = [attrs.evolve(step, step=number) for number, step in enumerate(steps, 1)]
    end = " + ".join(task.goal.target_ids) or "G"
    chain = DependencyChain(len(numbered), numbered, notation(numbered, end)) if numbered else None
    return attrs.evolve(task, dependency_chain=chain)


def notation(steps: list[DependencyStep], end: str) -> str:
    """A chain as one line of text: each element and what it unlocks, then the end."""
    return " -> ".join([*(name for step in steps for name in (step.element, step.unlocks)), end])
