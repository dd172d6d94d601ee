"""Libraries of extras that provided things need and that are not installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, requires
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from gridworld.hookspecs import TargetInfo
from gridworld.plugins.catalog import Provided
from gridworld.plugins.discovery import UNKNOWN
from gridworld.plugins.known_plugins import TOOLKIT
from gridworld.plugins.registry import version_of
from gridworld.support.wording import how_to_install


def missing_libraries(provided: Provided[Any]) -> list[str]:
    """Return the distributions of a descriptor's extra that are not installed, sorted; empty if it needs none."""
    item = provided.item
    if not isinstance(item, TargetInfo) or item.extra is None:
        return []
    return sorted(name for name in _added_by(provided.distribution, item.extra) if version_of(name) == UNKNOWN)


def install_extra(provided: Provided[Any]) -> str:
    """Return the command that installs a descriptor's extra."""
    if provided.distribution in TOOLKIT:
        return how_to_install(provided.distribution, provided.item.extra)
    return f"pip install '{provided.distribution}[{provided.item.extra}]'"


def _added_by(distribution: str, extra: str) -> set[str]:
    """Return the names of the distributions that an extra requires."""
    try:
        listed = [Requirement(text) for text in requires(distribution) or ()]
    except (PackageNotFoundError, InvalidRequirement):
        return set()
    return {
        canonicalize_name(each.name)
        for each in listed
        if each.marker and each.marker.evaluate({"extra": extra}) and not each.marker.evaluate({"extra": ""})
    }
