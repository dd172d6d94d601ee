"""`json_differences`: where JSON that was found is not what was expected, place by place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from gridworld.errors import join_path
from gridworld.support.wording import shorten
from multinet_eval.support.output import compact_json

LONGEST = 60
"""Longest value in a message, in characters."""


class Absent:
    """Placeholder for a value that is not there; None is a value."""


ABSENT = Absent()


@attrs.frozen
class JsonDifference:
    """One place at which two values differ."""

    path: str
    """Such as ``task_results[3].success``."""
    found: Any
    expected: Any

    @property
    def name(self) -> str:
        """The last part of the path, such as ``success``."""
        return self.path.rpartition(".")[2]

    @property
    def is_absent(self) -> bool:
        """Whether nothing was found where something was expected."""
        return self.found is ABSENT

    def __str__(self) -> str:
        return f"{_in_words(self.found)}, expected {_in_words(self.expected)}"


def json_differences(found: Any, expected: Any, path: str = "") -> Iterator[JsonDifference]:
    """The innermost places at which JSON is not what was expected, in the order of what was expected.

    Numbers are the same where they are written alike: 1 is not 1.0, and not ``true``. Of lists that are not of one
    length the common part is gone through first.

    Args:
        found: what there is.
        expected: what there should be.
        path: where both are.
    """
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        for name in dict.fromkeys([*expected, *found]):
            inner = join_path(path, str(name))
            yield from json_differences(found.get(name, ABSENT), expected.get(name, ABSENT), inner)
    elif isinstance(found, list) and isinstance(expected, list):
        for number, (ours, theirs) in enumerate(zip(found, expected, strict=False)):
            yield from json_differences(ours, theirs, f"{path}[{number}]")
        if len(found) != len(expected):
            yield JsonDifference(f"{path}.length", len(found), len(expected))
    elif type(found) is not type(expected) or found != expected:
        yield JsonDifference(path, found, expected)


def _in_words(value: Any) -> str:
    return "nothing" if value is ABSENT else shorten(compact_json(value), LONGEST)


LATER_IN_LINES = frozenset({"end.unsolvable", "header.rules"})
"""The paths in lines of episodes. Readers take the default of the field for what is absent."""
LATER_IN_RESULTS = frozenset(
    {
        "base",
        "budget_share",
        "budget_share_interval",
        "estimators",
        "left_out",
        "num_mazes",
        "num_over_budget",
        "num_rated",
        "num_unsolvable",
        "spl_interval",
        "success_design_effect",
        "success_interval_may_be_short",
        "tiling",
        "unsolvable",
    }
)
"""The names in ``results.json``, wherever they stand in it."""
ESTIMATED = frozenset({"mean_requests", "mean_reward", "mean_steps", "spl", "success_interval", "success_rate"})
"""The names in ``results.json`` of what depends on the version of the estimators."""


def was_not_recorded(difference: JsonDifference, later: frozenset[str]) -> bool:
    """Whether all that differs is that a later field is absent; fields are given by their paths or names."""
    return difference.is_absent and not later.isdisjoint({difference.path, difference.name})
