"""`PlayedSuite`: the suite of a run as tables tell it, so that two of one name are not taken for the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

DIGEST_SHOWN = 8
"""How many characters of a suite's hash tell it from others of its name."""


@attrs.frozen
class PlayedSuite:
    """A suite by its name and its tasks."""

    name: str
    digest: str
    """The hash of its tasks (`multinet_eval.record.plan.suite_hash`)."""


def suites_told(suites: Iterable[PlayedSuite]) -> str:
    """Suites in words, each once, in the order in which they come first, with the beginnings of their hashes."""
    return ", ".join(f"{each.name} ({each.digest[:DIGEST_SHOWN]})" for each in dict.fromkeys(suites))


def suite_columns(suites: Iterable[PlayedSuite]) -> dict[str, Any]:
    """The columns of a table's row for what was played of some suites: names and hashes, separated by commas."""
    told = list(dict.fromkeys(suites))
    return {"suite": ", ".join(each.name for each in told), "suite_hash": ", ".join(each.digest for each in told)}
