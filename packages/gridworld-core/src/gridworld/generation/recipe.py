"""Recipes: how many tasks to draw, from which generator, and what they have to be like."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from gridworld.errors import ArgumentError, GridworldError, PluginFault, describe_value
from gridworld.generation.bands import Band
from gridworld.generation.generator import Generator
from gridworld.generation.seeds import derive_seed
from gridworld.plugins import get_registry, normal_name
from gridworld.plugins.arguments import bind_arguments, list_arguments
from gridworld.support.faults import describe_raised
from gridworld.support.import_strings import load_object
from gridworld.support.wording import nearest_hint

__all__ = ["MAX_COMBINATIONS", "Recipe", "check_recipes", "generator_class", "variations"]

MAX_COMBINATIONS = 10_000
"""Of values of parameters that a recipe may draw from."""
FEWEST_SALT_DIGITS = 32
"""Of 128 bits."""
DEFAULT_SIZES = "5-31"
"""Which sizes are tried where a length is asked for and no size."""
RANGE = re.compile(r"(\d+)-(\d+)")


def _to_texts(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in sorted(parameters.items())}


def _to_family(name: str) -> str:
    return normal_name("generator", name)


def _to_tilings(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(normal_name("tiling", name) for name in names)


@attrs.frozen(kw_only=True)
class Recipe:
    """What to generate. Two equal recipes give the same tasks, in any process and on any machine.

    Raises ValueError for a field that cannot be right.
    """

    family: str = attrs.field(converter=_to_family)
    """The name of a generator."""
    count: int = attrs.field(default=20, validator=attrs.validators.ge(1))
    """How many tasks, or sets of tasks that belong together."""
    seed: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    tilings: tuple[str, ...] = attrs.field(
        default=("square",), converter=_to_tilings, validator=attrs.validators.min_len(1)
    )
    """On each of these every task is certified."""
    parameters: Mapping[str, str] = attrs.field(factory=dict, converter=_to_texts, hash=False)
    """Parameter of the generator to its value, a range such as ``9-13``, or several of these with commas between."""
    length: Band | None = None
    """The fewest actions that solve a task, on every tiling."""
    budget_factor: float = attrs.field(default=3.0, validator=[attrs.validators.ge(1), attrs.validators.le(1000)])
    """A task's budget is its optimum times this, rounded up; the largest of its tilings, or, for tasks that belong
    together, that of the tiling that is played."""
    salt: str = attrs.field(default="", repr=False)
    """A secret that changes the tasks and not what they are like."""
    max_attempts: int = attrs.field(default=200, validator=attrs.validators.ge(1))
    """After so many tasks that do not fit, the next one is looked for no longer."""

    def __attrs_post_init__(self) -> None:
        if len(set(self.tilings)) < len(self.tilings):
            raise ValueError("tilings: one is named twice")
        if 0 < len(self.salt) < FEWEST_SALT_DIGITS:
            raise ValueError(f"salt: expected at least {FEWEST_SALT_DIGITS} hexadecimal digits, got {len(self.salt)}")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; of a salt, no more than that there is one."""
        plain = attrs.asdict(self, recurse=False)
        return plain | {"length": self.length and str(self.length), "salt": bool(self.salt)}

    def seed_of(self, number: int, attempt: int) -> int:
        """What the generator gets for an attempt to find the task of a number."""
        return derive_seed(self.salt, self.family, self.seed, number, attempt)

    @property
    def digest(self) -> str:
        """12 hexadecimal digits that tell recipes apart by what their tasks depend on, which `count` is not."""
        decisive = attrs.asdict(attrs.evolve(self, count=1), recurse=False)
        return f"{derive_seed(repr(sorted(decisive.items()))):012x}"


def generator_class(family: str) -> type[Generator]:
    """The class of a generator.

    Raises:
        UnknownNameError, AmbiguousNameError: no installed plugin provides it, or more than one does.
        PluginFault: it cannot be imported, or is none.
    """
    found = load_object(get_registry().generators.get(family).target)
    if not isinstance(found, type) or not issubclass(found, Generator):
        raise PluginFault(f"generator '{family}' is {describe_value(found)}, expected a subclass of Generator")
    return found


def check_recipes(recipes: Sequence[Recipe]) -> None:
    """Raise what is wrong with recipes, before anything is drawn.

    Raises:
        ArgumentError: as `variations` does; of several, the message says which one.
        UnknownNameError, AmbiguousNameError, PluginFault: as `variations` does, and of tilings.
    """
    for number, recipe in enumerate(recipes):
        for tiling in recipe.tilings:
            get_registry().tilings.get(tiling)
        try:
            variations(recipe)
        except ArgumentError as error:
            raise ArgumentError(f"recipes[{number}]: {error}" if len(recipes) > 1 else str(error)) from error


def variations(recipe: Recipe) -> list[Generator]:
    """The generators that a recipe draws from: one for each combination of its parameters' values that makes sense.

    Raises:
        UnknownNameError, AmbiguousNameError, PluginFault: as `generator_class` does, of the bases of sets, too.
        ArgumentError: an unknown parameter, a value that cannot be read, too many combinations, or none that makes
            sense; the message is that of the first one.
    """
    kind = generator_class(recipe.family)
    owner = f"generator '{recipe.family}'"
    choices = _choices(recipe, kind, owner)
    if math.prod(len(texts) for texts in choices.values()) > MAX_COMBINATIONS:
        raise ArgumentError(f"{owner}: more than {MAX_COMBINATIONS} combinations of parameters; ask for fewer values")
    made: list[Generator] = []
    refusals: list[str] = []
    for texts in itertools.product(*choices.values()):
        named = [f"{name}={text}" for name, text in zip(choices, texts, strict=True)]
        arguments = bind_arguments(kind, named, owner)
        try:
            made.append(kind(**arguments))
        except ValueError as error:
            refusals.append(f"{owner}: {' '.join(named)}: {error}")
        except GridworldError:  # a generator that makes others says itself what is wrong with their parameters
            raise
        except Exception as error:  # a plugin's constructor may raise anything
            raise PluginFault(f"{owner} cannot be created: {describe_raised(error)}") from error
    if not made:
        raise ArgumentError(refusals[0])
    return made


def _choices(recipe: Recipe, kind: type[Generator], owner: str) -> dict[str, list[str]]:
    """Parameter to the texts of its values."""
    known = [argument.name for argument in list_arguments(kind)]
    for name in recipe.parameters:
        if name not in known:
            raise ArgumentError(
                f"{owner} has no parameter '{name}'{nearest_hint(name, known)}; it has {_listed(known)}"
            )
    asked = dict(recipe.parameters)
    if recipe.length is not None and "size" in known:
        asked.setdefault("size", DEFAULT_SIZES)
    try:
        return {name: list(_values(text)) for name, text in asked.items()}
    except ValueError as error:
        raise ArgumentError(f"{owner}: {error}") from error


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _values(text: str) -> Iterator[str]:
    for part in text.split(","):
        match = RANGE.fullmatch(part.strip())
        if match is None:
            yield part.strip()
            continue
        band = Band(int(match[1]), int(match[2]))
        yield from map(str, range(band.least, band.most + 1))
