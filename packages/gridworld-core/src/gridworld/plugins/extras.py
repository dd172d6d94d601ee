"""Libraries of extras that provided things need and that are not installed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from gridworld.hookspecs import TargetInfo
from gridworld.plugins.catalog import Provided, Registry
from gridworld.plugins.discovery import UNKNOWN
from gridworld.plugins.known_plugins import TOOLKIT
from gridworld.plugins.registry import version_of
from gridworld.support.wording import how_to_install


def missing_libraries(registry: Registry, provided: Provided[Any]) -> list[str]:
    """Return the distributions of a descriptor's extra that are not installed, sorted; empty if it needs none."""
    item = provided.item
    if not isinstance(item, TargetInfo) or item.extra is None:
        return []
    by = (provided.distribution, provided.entry_point)
    records = (each for each in registry.plugins if (each.distribution, each.entry_point) == by)
    requires = (text for record in records for text in record.requires)
    return sorted(name for name in _added_by(item.extra, requires) if version_of(name) == UNKNOWN)


def install_extra(provided: Provided[Any]) -> str:
    """Return the command that installs a descriptor's extra."""
    if provided.distribution in TOOLKIT:
        return how_to_install(provided.distribution, provided.item.extra)
    return f"pip install '{provided.distribution}[{provided.item.extra}]'"


def _added_by(extra: str, requires: Iterable[str]) -> set[str]:
    """Return the names of the distributions that only an extra requires."""
    added: set[str] = set()
    for text in requires:
        try:
            each = Requirement(text)
        except InvalidRequirement:
            continue
        if each.marker and each.marker.evaluate({"extra": extra}) and not each.marker.evaluate({"extra": ""}):
            added.add(canonicalize_name(each.name))
    return added
