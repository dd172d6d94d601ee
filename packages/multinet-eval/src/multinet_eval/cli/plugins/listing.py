"""``multinet plugins list``: installed plugins, with load times, failures and conflicts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from gridworld.plugins import PluginRecord, Provided, Registry, get_registry
from gridworld.plugins.discovery import DISCOVERY
from gridworld.plugins.extras import install_extra, missing_libraries
from gridworld.support.wording import listed
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import Styled, echo, echo_json
from multinet_eval.cli.options import AsJson
from multinet_eval.cli.table import Cell, Column, numeric, print_table


@command()
def list_plugins(as_json: AsJson = False) -> None:
    """List plugins, what they provide, and which failed to load."""
    registry = get_registry()
    if as_json:
        echo_json(_as_dict(registry))
    else:
        _print(registry)


def _as_dict(registry: Registry) -> dict[str, Any]:
    return {
        "plugins": [record_facts(record) for record in registry.plugins],
        "conflicts": [
            {"kind": kind, "name": name, "providers": providers} for kind, name, providers in registry.conflicts()
        ],
        "incomplete": [
            {
                "kind": kind,
                "name": each.item.name,
                "missing": missing,
                "install": install_extra(each),
            }
            for kind, each, missing in _incomplete(registry)
        ],
        "renamed": [
            {"kind": kind, "name": each.given_name, "listed_as": each.item.name} for kind, each in registry.renamed()
        ],
    }


def record_facts(record: PluginRecord) -> dict[str, Any]:
    """Gather JSON-ready facts about a plugin."""
    plain = attrs.asdict(record, filter=attrs.filters.exclude("cost", "disabled_by", "file", "requires"))
    plain["provides"] = [{"kind": kind, "name": name} for kind, name in record.provides]
    plain["load_ms"] = None if record.status == "disabled" else record.cost.milliseconds
    plain["heavy_imports"] = list(record.cost.heavy)
    plain["warning"] = record.cost.warning
    return plain


def _incomplete(registry: Registry) -> Iterator[tuple[str, Provided[Any], list[str]]]:
    """Yield the kind of each provided thing whose extra is not installed, itself, and the missing distributions."""
    for catalog in registry.catalogs:
        for each in catalog:
            missing = missing_libraries(registry, each)
            if missing:
                yield catalog.kind, each, missing


STYLES = {"loaded": "green", "disabled": "yellow", "failed": "red"}


def _print(registry: Registry) -> None:
    columns = [
        Column("Distribution"),
        Column("Version", 1),
        Column("Entry point"),
        Column("Status"),
        numeric("Load (ms)", 2),
        Column("Provides", prose=True),
    ]
    print_table(columns, [_cells(record) for record in registry.plugins])
    for record in registry.plugins:
        if record.cost.warning:
            echo(Styled("slow to load", "yellow"), f": {record.qualified_name}: {record.cost.warning}")
    for kind, each, missing in _incomplete(registry):
        echo(
            Styled("incomplete", "yellow"),
            f": {kind} '{each.item.name}' needs {listed(missing)}: {install_extra(each)}",
        )
    for record in registry.failures:
        _print_failure(record)
    for kind, name, providers in registry.conflicts():
        echo(
            Styled("conflict", "red"),
            f": {kind} '{name}' is provided by {' and '.join(providers)}; use one of these names",
        )
    for kind, each in registry.renamed():
        echo(
            Styled("renamed", "yellow"),
            f": {kind} '{each.given_name}' of {each.distribution} is listed as {each.item.name}, since "
            f"{registry.catalog(kind).provider(each.given_name).distribution} has a {kind} '{each.given_name}'",
        )


def _cells(record: PluginRecord) -> list[Cell]:
    taken = "" if record.status == "disabled" else f"{record.cost.milliseconds:.1f}"
    status = Styled(record.status, STYLES[record.status])
    return [record.distribution, record.version, record.entry_point, status, taken, _provided(record)]


def _provided(record: PluginRecord) -> str:
    by_kind: dict[str, list[str]] = {}
    for kind, name in record.provides:
        by_kind.setdefault(kind, []).append(name)
    return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in by_kind.items())


def _print_failure(record: PluginRecord) -> None:
    assert record.failure is not None
    entry_point = f", entry point {record.entry_point} ({record.module})" if record.entry_point else ""
    echo(Styled("failed", "red"), f": {record.distribution} {record.version}{entry_point}")
    echo(f"  phase: {record.failure.phase}")
    echo(f"  error: {record.failure.error}")
    if record.failure.place:
        echo(f"  at: {record.failure.place}")
    echo(f"  to disable it: --disable-plugin {record.distribution}")
    by_hand = f", or delete {Path(record.failure.place).parent}" if record.failure.phase == DISCOVERY else ""
    echo(f"  to remove it:  pip uninstall {record.distribution}{by_hand}")
