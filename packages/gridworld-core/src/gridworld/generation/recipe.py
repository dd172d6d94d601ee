"""Recipes: the number of tasks to draw, their generator and their properties; recipe files and names."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import attrs

from gridworld.errors import ArgumentError, GridworldError
from gridworld.generation.generator import Generator
from gridworld.plugins import get_registry, normal_name
from gridworld.plugins.arguments import bind_arguments, list_arguments, subclass_of
from gridworld.support.faults import RAISED, blame
from gridworld.support.toml_files import read_toml
from gridworld.support.wording import nearest_hint

SEED_BITS = 48
"""Number of bits of derived seeds, small enough to be exact in every JSON reader."""


def derive_seed(*parts: str | int) -> int:
    """Derive a pseudorandom number from 0 to 2**48 - 1 from the given parts; deterministic (SHA-256)."""
    text = "\0".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[: SEED_BITS // 8], "big")


FORM = re.compile(r"(\d+)(?:-(\d+))?")


@attrs.frozen
class Band:
    """A range of integers from `least` to `most`, both included; raises ValueError if it is empty."""

    least: int
    most: int

    def __attrs_post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError(f"the band {self} is empty: {self.least} is above {self.most}")

    @classmethod
    def parse(cls, text: str) -> Band:
        """Read a band such as ``20-40`` or ``20``; raises ValueError for any other text."""
        match = FORM.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"expected a number or a band such as 20-40, got '{text}'")
        least = int(match[1])
        return cls(least, least if match[2] is None else int(match[2]))

    def __contains__(self, number: int) -> bool:
        return self.least <= number <= self.most

    def __str__(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"

    def distance(self, number: int) -> int:
        """Return the distance of a number from the band; 0 if it lies inside."""
        return max(self.least - number, number - self.most, 0)


MAX_COMBINATIONS = 10_000
"""Maximum number of combinations of parameter values in a recipe."""
FEWEST_SALT_DIGITS = 32
"""Minimum length of a salt: 128 bits in hexadecimal digits."""
DEFAULT_SIZES = "5-31"
"""Sizes tried if a recipe requires a length and no size."""
RANGE = re.compile(r"(\d+)-(\d+)")


def _to_texts(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in sorted(parameters.items())}


def _to_family(name: str) -> str:
    return normal_name("generator", name)


def _to_tilings(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(normal_name("tiling", name) for name in names)


@attrs.frozen(kw_only=True)
class Recipe:
    """A request for tasks; equal recipes give equal tasks, in any process and on any machine.

    Raises ValueError for an invalid field.
    """

    family: str = attrs.field(converter=_to_family)
    """Name of the generator."""
    count: int = attrs.field(default=20, validator=attrs.validators.ge(1))
    """Number of tasks, or of sets of tasks."""
    seed: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    tilings: tuple[str, ...] = attrs.field(
        default=("square",), converter=_to_tilings, validator=attrs.validators.min_len(1)
    )
    """Tilings for which every task is certified."""
    parameters: Mapping[str, str] = attrs.field(factory=dict, converter=_to_texts, hash=False)
    """Generator parameters: each is a value, a range such as ``9-13``, or several of these separated by commas."""
    length: Band | None = None
    """Required length of a shortest plan, on every tiling."""
    budget_factor: float = attrs.field(default=3.0, validator=[attrs.validators.ge(1), attrs.validators.le(1000)])
    """Step budget as a multiple of the shortest plan, rounded up.

    For single tasks, the longest of the shortest plans over all tilings counts; for sets of tasks, the one on the
    tiling played.
    """
    salt: str = attrs.field(default="", repr=False)
    """Secret that changes which tasks are drawn, but not their properties."""
    max_attempts: int = attrs.field(default=200, validator=attrs.validators.ge(1))
    """Maximum number of attempts per task."""

    def __attrs_post_init__(self) -> None:
        if len(set(self.tilings)) < len(self.tilings):
            raise ValueError("tilings: the same tiling is named twice")
        if 0 < len(self.salt) < FEWEST_SALT_DIGITS:
            raise ValueError(f"salt: expected at least {FEWEST_SALT_DIGITS} hexadecimal digits, got {len(self.salt)}")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-ready dictionary, with the salt reduced to whether there is one."""
        plain = attrs.asdict(self, recurse=False)
        return plain | {"length": self.length and str(self.length), "salt": bool(self.salt)}

    def seed_of(self, number: int, attempt: int) -> int:
        """Return the seed of one attempt at the task with this number."""
        return derive_seed(self.salt, self.family, self.seed, number, attempt)

    @property
    def digest(self) -> str:
        """Digest of all fields except `count`, as 12 hexadecimal digits."""
        decisive = attrs.asdict(attrs.evolve(self, count=1), recurse=False)
        return f"{derive_seed(repr(sorted(decisive.items()))):012x}"


def generator_class(family: str) -> type[Generator]:
    """Load the class of a generator.

    Raises:
        UnknownNameError, AmbiguousNameError: none or several of the installed plugins provide it.
        PluginFault: the class cannot be imported, or is not a generator.
    """
    info = get_registry().generators.get(family)
    return subclass_of(info.load(), Generator, info.owner)  # type: ignore[type-abstract]


def check_recipes(recipes: Sequence[Recipe]) -> None:
    """Check recipes before anything is drawn; raises as `variations` does, and for unknown tilings."""
    for number, recipe in enumerate(recipes):
        for tiling in recipe.tilings:
            get_registry().tilings.get(tiling)
        try:
            variations(recipe)
        except ArgumentError as error:
            raise ArgumentError(f"recipes[{number}]: {error}" if len(recipes) > 1 else str(error)) from error


def variations(recipe: Recipe) -> list[Generator]:
    """Return the generators of a recipe, one for each valid combination of parameter values.

    Raises:
        UnknownNameError, AmbiguousNameError, PluginFault: as `generator_class` does, also for the bases of sets.
        ArgumentError: a parameter is unknown, a value is unreadable, there are too many combinations, or none is valid
            (with the message of the first).
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
        except RAISED as error:  # what a matched set says about its base passes
            blame(error, get_registry().generators.get(recipe.family).owner, "constructor", passing=GridworldError)
    if not made:
        raise ArgumentError(refusals[0])
    return made


def _choices(recipe: Recipe, kind: type[Generator], owner: str) -> dict[str, list[str]]:
    """Return the values of each parameter, as texts."""
    known = [argument.name for argument in list_arguments(kind)]
    for name in recipe.parameters:
        if name not in known:
            raise ArgumentError(
                f"{owner} has no parameter '{name}'{nearest_hint(name, known)}; it has {', '.join(known) or 'none'}"
            )
    asked = dict(recipe.parameters)
    if recipe.length is not None and "size" in known:
        asked.setdefault("size", DEFAULT_SIZES)
    try:
        return {name: list(_values(text)) for name, text in asked.items()}
    except ValueError as error:
        raise ArgumentError(f"{owner}: {error}") from error


def _values(text: str) -> Iterator[str]:
    for part in text.split(","):
        match = RANGE.fullmatch(part.strip())
        if match is None:
            yield part.strip()
            continue
        band = Band(int(match[1]), int(match[2]))
        yield from map(str, range(band.least, band.most + 1))


SCHEME = "generated:"
"""Prefix of the names of suites generated on demand."""


def recipe_fields() -> list[str]:
    """Return the field names of recipes, which generators cannot use as parameter names."""
    return [argument.name for argument in list_arguments(_recipe)]


def recipe_from_texts(texts: Mapping[str, str], place: str) -> Recipe:
    """Build a recipe from strings.

    Args:
        texts: fields of `Recipe`, with ``tilings`` separated by commas; all others are parameters of the generator.
        place: where the strings come from, for messages.

    Raises:
        ArgumentError: ``family`` is missing, or a value is invalid.
    """
    known = recipe_fields()
    own = [f"{name}={text}" for name, text in texts.items() if name in known]
    bound = bind_arguments(_recipe, own, place)
    parameters = {name: text for name, text in texts.items() if name not in known}
    try:
        return attrs.evolve(_recipe(**bound), parameters=parameters)
    except ValueError as error:
        raise ArgumentError(f"{place}: {error}") from error


def _recipe(
    family: str,
    count: int = 20,
    seed: int = 0,
    tilings: str = "square",
    length: str | None = None,
    budget_factor: float = 3.0,
    salt: str = "",
    max_attempts: int = 200,
) -> Recipe:
    return Recipe(
        family=family,
        count=count,
        seed=seed,
        tilings=tuple(name.strip() for name in tilings.split(",")),
        length=None if length is None else Band.parse(length),
        budget_factor=budget_factor,
        salt=salt,
        max_attempts=max_attempts,
    )


def recipe_from_name(name: str) -> Recipe:
    """Parse the recipe in a suite's name, such as ``generated:spiral?seed=7&count=50&length=20-40``.

    ``salt_file`` may name a file with the salt.

    Raises:
        ArgumentError: as `recipe_from_texts` does, or a field is repeated, or the salt cannot be read.
    """
    family, _, query = name.removeprefix(SCHEME).partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    texts = {"family": family} | dict(pairs)
    if len(texts) <= len(pairs):
        raise ArgumentError(f"{name}: duplicate field")
    if "salt" in texts:
        raise ArgumentError(f"{SCHEME}{family}: a salt is a secret and belongs in a file: use salt_file=PATH")
    salt_file = texts.pop("salt_file", None)
    if salt_file is not None:
        texts["salt"] = read_salt(Path(salt_file))
    return recipe_from_texts(texts, name)


def recipes_from_file(path: Path, salt: str = "") -> tuple[Recipe, ...]:
    """Read the recipes of a TOML file, one for each table ``[[recipes]]``, in order.

    Args:
        path: the file.
        salt: the salt of all recipes.

    Raises:
        ArgumentError: the file cannot be read, or is malformed.
    """
    data = read_toml(path).tables
    tables = data.pop("recipes", None)
    if data or not isinstance(tables, list) or not tables:
        raise ArgumentError(f"{path}: expected only [[recipes]] tables")
    recipes = [_recipe_of_table(table, f"{path}: recipes[{number}]", salt) for number, table in enumerate(tables)]
    first_of: dict[str, int] = {}
    for number, recipe in enumerate(recipes):
        first = first_of.setdefault(recipe.digest, number)
        if first != number:
            raise ArgumentError(f"{path}: recipes[{number}] would give the tasks of recipes[{first}]: set another seed")
    return tuple(recipes)


def _recipe_of_table(table: object, place: str, salt: str) -> Recipe:
    if not isinstance(table, dict):
        raise ArgumentError(f"{place}: expected a table")
    if "salt" in table:
        raise ArgumentError(f"{place}: a salt is a secret and belongs in a file of its own")
    return recipe_of_values({**table, "salt": salt}, place)


def recipe_of_values(values: Mapping[str, object], place: str) -> Recipe:
    """Build a recipe like `recipe_from_texts`, from numbers, strings and lists of both."""
    return recipe_from_texts({name: _text(value, f"{place}.{name}") for name, value in values.items()}, place)


def _text(value: object, place: str) -> str:
    if isinstance(value, list) and all(isinstance(each, str | int) for each in value):
        return ",".join(map(str, value))
    if isinstance(value, str | int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    raise ArgumentError(f"{place}: expected a number, a string, or a list of them")


def read_salt(path: Path) -> str:
    """Read a secret salt from a file and strip it; raises ArgumentError if the file is unreadable or empty."""
    try:
        salt = path.read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        raise ArgumentError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{path}: not a text file; try the output of: openssl rand -hex 32") from error
    if not salt:
        raise ArgumentError(
            f"{path}: the file is empty; expected a long random string, such as the output of: openssl rand -hex 32"
        )
    return salt
