"""Keys of the tables in an experiment file, and the types of their values.

The keys are the fields of `RunSettings` and `Presentation`, so that every setting of a run is a key, plus a few that
stand for several runs or are not fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs

from gridworld.errors import ArgumentError, describe_value
from gridworld.runner.presentation import Presentation
from gridworld.support.wording import nearest_hint
from multinet_eval.settings.converting import fields_of, read_value_of
from multinet_eval.settings.plugin_objects import BASE_URL
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.tiers import parse_tiers

__all__ = [
    "MODEL_ARGUMENTS",
    "SPANS",
    "TIER",
    "arguments_of",
    "check_keys",
    "has_default",
    "is_arguments",
    "read_value",
]

SPANS: Mapping[str, str] = {"models": "model", "backends": "backend", "suites": "suite", "seeds": "seed"}
"""List-valued keys, which give one run per value, and the key for a single value."""
ARGUMENTS = "_arguments"
"""Suffix of the keys that hold arguments."""
MODEL_ARGUMENTS = f"model{ARGUMENTS}"
"""Key for the arguments of the model."""
TIER = "tier"
"""Key for the difficulty tiers to play."""
BUDGET_FACTOR = "budget_factor"
"""Key for the factor of step budgets, a number or one of the words of `RunSettings.budget_factor`."""
SINGLE_TASKS = ("task", "tasks")
"""Keys that do not exist, for which a reader may look to play single tasks."""
NO_FIELDS: Mapping[str, Any] = {"suite": str, TIER: str, "name": str, BASE_URL: str}
"""Keys that are not fields, and their types."""


@cache
def _types() -> Mapping[str, Any]:
    return {**fields_of(RunSettings), **fields_of(Presentation), **NO_FIELDS}


def arguments_of(key: str) -> str | None:
    """Return the key for a named object's arguments, such as ``model_arguments``; None if it takes none."""
    arguments = f"{key}{ARGUMENTS}"
    return arguments if arguments in _types() else None


def has_default(key: str) -> bool:
    """Whether a key may be missing."""
    fields = attrs.fields_dict(RunSettings)
    return key not in fields or fields[key].default is not attrs.NOTHING


def is_arguments(key: str) -> bool:
    """Whether a key holds the arguments of an object named by another key."""
    return key.endswith(ARGUMENTS)


def check_keys(table: Mapping[str, Any], place: str) -> None:
    """Check that a table has only known keys.

    Args:
        table: the table of the file.
        place: place of the table, for messages.

    Raises:
        ArgumentError: a key is unknown, or is given together with its list-valued form.
    """
    known = [*_types(), *SPANS]
    for key in table:
        if key not in known:
            tasks = '; to play single tasks, write suites = ["SUITE/TASK_ID", ...]'
            hint = tasks if key in SINGLE_TASKS else nearest_hint(key, known)
            raise ArgumentError(f"{place}: unknown key '{key}'{hint}")
    for span, single in SPANS.items():
        if span in table and single in table:
            raise ArgumentError(f"{place}: '{span}' and '{single}' exclude each other")


def read_value(key: str, value: Any, place: str) -> Any:
    """Convert the value of a key to the type of its field; arguments become a mapping from names to strings.

    Args:
        key: a known key that does not stand for several runs.
        value: the value in the file.
        place: place of the value, for messages.

    Raises:
        ArgumentError: the value has another type; the message names the place.
    """
    if is_arguments(key):
        return _read_arguments(value, place)
    if key == TIER:
        return _read_tiers(value, place)
    if key == BUDGET_FACTOR and type(value) in (int, float):
        return str(value)
    return read_value_of(_types()[key], value, place)


def _read_tiers(value: Any, place: str) -> str:
    """Read tiers as on the command line, or a single number."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ArgumentError(f"{place}: expected a string such as '1-3', or a number, got {describe_value(value)}")
    parse_tiers(str(value), place)
    return str(value)


def _read_arguments(value: Any, place: str) -> dict[str, str]:
    """Read arguments from a table, or from strings ``key=value`` as on the command line."""
    if isinstance(value, list):
        pairs = [each.partition("=") for each in value if isinstance(each, str)]
        if len(pairs) < len(value) or not all(equals for _, equals, _ in pairs):
            raise ArgumentError(f"{place}: expected strings such as 'key=value', got {describe_value(value)}")
        return {name: text for name, _, text in pairs}
    if not isinstance(value, dict):
        raise ArgumentError(f"{place}: expected a table of arguments, got {describe_value(value)}")
    return {name: _text_of(each, f"{place}.{name}") for name, each in value.items()}


def _text_of(value: Any, place: str) -> str:
    """Format an argument as on the command line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise ArgumentError(f"{place}: expected a string, a number, true or false, got {describe_value(value)}")
