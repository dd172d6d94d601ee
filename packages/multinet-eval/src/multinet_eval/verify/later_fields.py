"""Fields that records have today and did not always have: where one is absent, it was not recorded.

That is no contradiction, as any other absence is: the record was made by an older version, whose form was the same but
for these. A field that is added to episodes or results without a new version of their form belongs in here.
"""

from __future__ import annotations

from multinet_eval.verify.json_differences import JsonDifference

__all__ = ["LATER_IN_LINES", "LATER_IN_RESULTS", "was_not_recorded"]

LATER_IN_LINES = frozenset({"end.unsolvable"})
"""The paths in lines of episodes. Readers take the default of the field for what is absent."""
LATER_IN_RESULTS = frozenset({"left_out", "num_over_budget", "num_rated", "num_unsolvable", "unsolvable"})
"""The names in ``results.json``, wherever they stand in it."""


def was_not_recorded(difference: JsonDifference, later: frozenset[str]) -> bool:
    """Whether all that differs is that a later field is absent; fields are given by their paths or names."""
    return difference.is_absent and not later.isdisjoint({difference.path, difference.name})
