"""What sets of matched tasks have in common: a task of another family that they begin with."""

# No postponed annotations: arguments are read by the types of constructors that subclasses inherit.
from collections.abc import Iterable, Mapping

import attrs

from gridworld.errors import ArgumentError
from gridworld.generation.generator import Generator, NothingDrawn
from gridworld.generation.recipe import generator_class
from gridworld.plugins.arguments import bind_arguments, list_arguments
from gridworld.task_spec import TaskSpecification

__all__ = ["Matched", "variant_of"]

SEPARATOR = ":"
"""Between the name of the base and its parameters."""


@attrs.frozen(kw_only=True)
class Matched(Generator):
    """A set of tasks made from one of another family.

    Args:
        base: the family, and any parameters of it after colons, such as perfect_maze:algorithm=prim:hidden=1.
        size: lattice columns and rows of the base, border included.
    """

    base: str = "perfect_maze"
    size: int = 11

    def __attrs_post_init__(self) -> None:
        """Refuse a base that cannot be made.

        Raises:
            ValueError: it contradicts itself.
            ArgumentError, UnknownNameError: there is no such family, or it has no such parameter.
        """
        self.base_family()

    @property
    def given(self) -> Mapping[str, object]:
        """Those parameters of the base that the set decides about, beside `size`."""
        return {}

    def base_family(self, **others: object) -> Generator:
        """The base with other values of some of its parameters; raises as the constructor does."""
        name, *texts = self.base.split(SEPARATOR)
        kind = generator_class(name)
        owner = f"base '{name}'"
        decided = {"size": self.size, **self.given, **others}
        known = {argument.name for argument in list_arguments(kind)}
        _refuse_given(owner, texts, decided)
        missing = [parameter for parameter in decided if parameter not in known]
        if missing:
            raise ArgumentError(f"{owner} cannot be the base of such a set: it has no parameter {missing[0]}")
        return kind(**bind_arguments(kind, [*texts, *(f"{key}={value}" for key, value in decided.items())], owner))

    def base_task(self, seed: int, **others: object) -> TaskSpecification:
        """The task that the base draws from a seed.

        Raises:
            NothingDrawn: it draws none, or several.
        """
        tasks = self.base_family(**others).draw(seed).tasks
        if len(tasks) > 1:
            raise NothingDrawn("the base draws sets of tasks")
        return tasks[0]


def variant_of(task: TaskSpecification, name: str) -> TaskSpecification:
    """A task as one of a set, of this name."""
    return attrs.evolve(task, metadata={**task.metadata, "variant": name})


def _refuse_given(owner: str, texts: Iterable[str], decided: Mapping[str, object]) -> None:
    for text in texts:
        name = text.partition("=")[0]
        if name in decided:
            raise ArgumentError(f"{owner}: {name} is decided by the set; leave it out")
