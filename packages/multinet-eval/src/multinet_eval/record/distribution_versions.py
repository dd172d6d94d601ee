"""The versions of the distributions that a run was played with, and those that are installed here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

UNKNOWN = "unknown"
"""The version of what is no installed distribution."""


def version_of(distribution: str) -> str:
    """The whole version of a distribution that is installed here, or `UNKNOWN`."""
    try:
        return version(distribution)
    except (PackageNotFoundError, ValueError):  # ValueError of an empty name
        return UNKNOWN


def missing_distributions(recorded: Mapping[str, str]) -> list[str]:
    """``name version``, sorted, of the distributions that were installed where a run was played, and are not here.

    Args:
        recorded: distribution to version.
    """
    return [
        f"{name} {played}"
        for name, played in sorted(recorded.items())
        if played != UNKNOWN and version_of(name) == UNKNOWN
    ]
