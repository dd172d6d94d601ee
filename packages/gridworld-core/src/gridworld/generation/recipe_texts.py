"""Recipes as people write them: TOML files, and suites' names such as ``generated:spiral?count=50&length=20-40``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl

import attrs

from gridworld.errors import ArgumentError
from gridworld.generation.bands import Band
from gridworld.generation.recipe import Recipe
from gridworld.plugins.arguments import bind_arguments, list_arguments
from gridworld.support.files import parse_toml

__all__ = [
    "SCHEME",
    "read_salt",
    "recipe_fields",
    "recipe_from_name",
    "recipe_from_texts",
    "recipe_of_values",
    "recipes_from_file",
]

SCHEME = "generated:"
"""With what the name of a suite begins that is generated when it is asked for."""


def recipe_fields() -> list[str]:
    """What recipes say of themselves, so that no generator can have a parameter of that name."""
    return [argument.name for argument in list_arguments(_recipe)]


def recipe_from_texts(texts: Mapping[str, str], place: str) -> Recipe:
    """A recipe from texts.

    Args:
        texts: the fields of `Recipe`, ``tilings`` with commas between; all others are parameters of the generator.
        place: where they stand, for messages.

    Raises:
        ArgumentError: ``family`` is missing, or a value cannot be read or cannot be right.
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
    """The recipe of a suite's name, such as ``generated:spiral?seed=7&count=50&length=20-40``.

    ``salt_file`` may name a file that holds the salt.

    Raises:
        ArgumentError: as `recipe_from_texts` does; or a field is given twice, or the salt cannot be read.
    """
    family, _, query = name.removeprefix(SCHEME).partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    texts = {"family": family} | dict(pairs)
    if len(texts) <= len(pairs):
        raise ArgumentError(f"{name}: a field is given twice")
    if "salt" in texts:
        raise ArgumentError(f"{SCHEME}{family}: a salt is a secret, and is kept in a file: give salt_file=PATH")
    salt_file = texts.pop("salt_file", None)
    if salt_file is not None:
        texts["salt"] = read_salt(Path(salt_file))
    return recipe_from_texts(texts, name)


def recipes_from_file(path: Path, salt: str = "") -> tuple[Recipe, ...]:
    """The recipes of a TOML file: one for each of its tables ``[[recipes]]``, in order.

    Args:
        path: the file.
        salt: a secret that changes the tasks of all of them.

    Raises:
        ArgumentError: it cannot be read, or holds something else; the message says where.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ArgumentError(f"{path}: {error.strerror}") from error
    data = parse_toml(content, str(path))
    tables = data.pop("recipes", None)
    if data or not isinstance(tables, list) or not tables:
        raise ArgumentError(f"{path}: expected tables [[recipes]], and nothing else")
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
        raise ArgumentError(f"{place}: a salt is a secret, and is kept in a file of its own")
    return recipe_of_values({**table, "salt": salt}, place)


def recipe_of_values(values: Mapping[str, object], place: str) -> Recipe:
    """A recipe from numbers, texts and lists of them; arguments and errors are those of `recipe_from_texts`."""
    return recipe_from_texts({name: _text(value, f"{place}.{name}") for name, value in values.items()}, place)


def _text(value: object, place: str) -> str:
    if isinstance(value, list) and all(isinstance(each, str | int) for each in value):
        return ",".join(map(str, value))
    if isinstance(value, str | int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    raise ArgumentError(f"{place}: expected a number, a text, or a list of them")


def read_salt(path: Path) -> str:
    """The secret in a file, without blanks and line ends around it.

    Raises:
        ArgumentError: it cannot be read, or is empty.
    """
    try:
        salt = path.read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        raise ArgumentError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{path}: not a text file; try the output of: openssl rand -hex 32") from error
    if not salt:
        raise ArgumentError(f"{path}: it is empty; a salt is a long random text, as of: openssl rand -hex 32")
    return salt
