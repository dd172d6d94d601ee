"""Base class of matched sets, and functions that derive one task of a set from another."""

# No postponed annotations: parameters are read from the types of inherited constructors.
from collections.abc import Callable, Container, Mapping
from typing import Any

import attrs

from gridworld.errors import ArgumentError
from gridworld.generation.generator import Generator, NothingDrawn
from gridworld.generation.recipe import generator_class
from gridworld.plugins.arguments import bind_arguments, list_arguments
from gridworld.task_spec import (
    DependencyStep,
    MechanismSet,
    Position,
    TaskSpecification,
)
from gridworld_generators.tools.sketch import chain_of, tier_of

SEPARATOR = ":"
"""Separator of the base's name and parameters."""


@attrs.frozen(kw_only=True)
class Matched(Generator):
    """Base class of sets of tasks derived from one task of another family.

    Args:
        base: a family with optional parameters after colons, such as perfect_maze:algorithm=prim:hidden=1.
        size: lattice columns and rows of the base, border included.
    """

    base: str = "perfect_maze"
    size: int = 11

    def __attrs_post_init__(self) -> None:
        """Check the base family and its parameters.

        Raises:
            ValueError: the parameters contradict each other.
            ArgumentError, UnknownNameError: no family or parameter has the given name.
        """
        self.base_family()

    @property
    def given(self) -> Mapping[str, object]:
        """Parameters of the base that the set determines, in addition to `size`."""
        return {}

    def base_family(self, **others: object) -> Generator:
        """Return the base generator, with some parameters replaced; raises as the constructor does."""
        name, *texts = self.base.split(SEPARATOR)
        kind = generator_class(name)
        owner = f"base '{name}'"
        decided = {"size": self.size, **self.given, **others}
        known = {argument.name for argument in list_arguments(kind)}
        for text in texts:
            if (given := text.partition("=")[0]) in decided:
                raise ArgumentError(f"{owner}: {given} is decided by the set; leave it out")
        missing = [parameter for parameter in decided if parameter not in known]
        if missing:
            raise ArgumentError(f"{owner} cannot be the base of such a set: it has no parameter {missing[0]}")
        return kind(**bind_arguments(kind, [*texts, *(f"{key}={value}" for key, value in decided.items())], owner))

    def base_task(self, seed: int, **others: object) -> TaskSpecification:
        """Return the task that the base draws from a seed; raises NothingDrawn if it draws none or several."""
        tasks = self.base_family(**others).draw(seed).tasks
        if len(tasks) > 1:
            raise NothingDrawn("the base draws sets of tasks")
        return tasks[0]


def variant_of(task: TaskSpecification, name: str) -> TaskSpecification:
    """Return a copy of a task as the named variant of a set."""
    return attrs.evolve(task, metadata={**task.metadata, "variant": name})


def moved(task: TaskSpecification, move: Callable[[Position], Position]) -> TaskSpecification:
    """Return a copy of a task with every cell moved on the same lattice."""
    mechanisms = {name: [_with_values(spec, move) for spec in specs] for name, specs in task.mechanisms.groups()}
    return attrs.evolve(
        task,
        maze=_with_values(task.maze, move),
        goal=_with_values(task.goal, move),
        mechanisms=MechanismSet(**mechanisms),
    )


def _with_values(item: Any, move: Callable[[Position], Position]) -> Any:
    """Return a copy of an attrs object with every `Position` in its fields moved."""
    changed: dict[str, Any] = {}
    for name, value in attrs.asdict(item, recurse=False).items():
        if isinstance(value, Position):
            changed[name] = move(value)
        elif isinstance(value, tuple) and value and all(isinstance(each, Position) for each in value):
            changed[name] = tuple(move(each) for each in value)
    return attrs.evolve(item, **changed)


def renamed(task: TaskSpecification, names: Mapping[str, str]) -> TaskSpecification:
    """Return a copy of a task with mechanisms renamed everywhere; `names` maps old ids to new ones."""

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
    """Return a copy of a task with its mechanisms replaced, sorted by id within each type."""
    in_order = {name: sorted(specs, key=lambda spec: str(spec.id)) for name, specs in groups.items()}
    return attrs.evolve(task, mechanisms=MechanismSet(**in_order))


def without(task: TaskSpecification, names: Container[str]) -> TaskSpecification:
    """Return a copy of a task without the mechanisms with these ids, to which no other mechanism refers."""
    groups = {kind: [spec for spec in specs if spec.id not in names] for kind, specs in task.mechanisms.groups()}
    hidden = tuple(name for name in task.rules.hidden_mechanisms if name not in names)
    rules = attrs.evolve(task.rules, hidden_mechanisms=hidden)
    left = attrs.evolve(with_mechanisms(task, groups), rules=rules)
    return attrs.evolve(left, difficulty_tier=tier_of(left.mechanisms, left.rules))


def with_chain(task: TaskSpecification, steps: list[DependencyStep]) -> TaskSpecification:
    """Return a copy of a task with another dependency chain, whose steps are renumbered."""
    numbered = [attrs.evolve(step, step=number) for number, step in enumerate(steps, 1)]
    return attrs.evolve(task, dependency_chain=chain_of(numbered, task.goal))
