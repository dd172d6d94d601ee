"""``multinet plugins``: what is installed, what it provides, and what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import typer

from multinet_eval.cli.echo import echo, echo_json, styled
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, StrictPlugins, load_plugins
from multinet_eval.cli.plugins.facts import cost_facts

if TYPE_CHECKING:
    from gridworld.plugins import PluginRecord, Registry
    from multinet_eval.cli.table import Cell

__all__ = ["list_plugins", "list_plugins_command"]


def list_plugins(
    context: typer.Context,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """List every plugin: its distribution, version, entry point and what it provides, and the failures."""
    if context.invoked_subcommand is not None:
        _refuse_options(context, context.invoked_subcommand)
        return
    list_plugins_command(as_json, disable_plugin, strict_plugins)


def list_plugins_command(
    as_json: AsJson = False, disable_plugin: DisablePlugin = None, strict_plugins: StrictPlugins = False
) -> None:
    """List every plugin: its distribution, version, entry point and what it provides, and the failures."""
    from gridworld.plugins import get_registry

    with exit_on_error():
        load_plugins(disable_plugin, strict_plugins)
        registry = get_registry()
    if as_json:
        echo_json(_as_dict(registry))
    else:
        _print(registry)


def _refuse_options(context: typer.Context, command: str) -> None:
    """An option in front of a subcommand would be lost."""
    if any(context.params.values()):
        raise typer.BadParameter(f"options of '{command}' go after it: multinet plugins {command} --help")


def _as_dict(registry: Registry) -> dict[str, Any]:
    return {
        "plugins": [_record_dict(record) for record in registry.plugins],
        "conflicts": [
            {"kind": kind, "name": name, "providers": providers} for kind, name, providers in registry.conflicts()
        ],
    }


def _record_dict(record: PluginRecord) -> dict[str, Any]:
    plain = attrs.asdict(record, filter=attrs.filters.exclude("cost"))
    plain["provides"] = [{"kind": kind, "name": name} for kind, name in record.provides]
    plain |= cost_facts(record)
    if record.failure:
        plain["advice"] = _advice(record)
    return plain


def _advice(record: PluginRecord) -> dict[str, str]:
    return {
        "disable": f"--disable-plugin {record.distribution}",
        "uninstall": f"pip uninstall {record.distribution}",
    }


STYLES = {"loaded": "green", "disabled": "yellow", "failed": "red"}


def _print(registry: Registry) -> None:
    from multinet_eval.cli.table import Column, print_table

    columns = [
        Column("Distribution"),
        Column("Version", spare=1),
        Column("Entry point"),
        Column("Status"),
        Column("Load (ms)", right=True, spare=2),
        Column("Provides", prose=True),
    ]
    print_table(columns, [_cells(record) for record in registry.plugins])
    for record in registry.plugins:
        if record.cost.warning:
            echo(styled("slow to load", "yellow"), f": {record.qualified_name}: {record.cost.warning}")
    for record in registry.failures:
        _print_failure(record)
    for kind, name, providers in registry.conflicts():
        echo(
            styled("conflict", "red"),
            f": {kind} '{name}' is provided by {' and '.join(providers)}; write one of these to choose",
        )


def _cells(record: PluginRecord) -> list[Cell]:
    taken = "" if record.status == "disabled" else f"{record.cost.milliseconds:.1f}"
    status = styled(record.status, STYLES[record.status])
    return [record.distribution, record.version, record.entry_point, status, taken, _provided(record)]


def _provided(record: PluginRecord) -> str:
    by_kind: dict[str, list[str]] = {}
    for kind, name in record.provides:
        by_kind.setdefault(kind, []).append(name)
    return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in by_kind.items())


def _print_failure(record: PluginRecord) -> None:
    assert record.failure is not None
    advice = _advice(record)
    title = f"{record.distribution} {record.version}, entry point {record.entry_point} ({record.module})"
    echo(styled("failed", "red"), f": {title}")
    echo(f"  phase: {record.failure.phase}")
    echo(f"  error: {record.failure.error}")
    if record.failure.place:
        echo(f"  at: {record.failure.place}")
    echo(f"  to disable it: {advice['disable']}  (or GRIDWORLD_DISABLE_PLUGINS={record.distribution})")
    echo(f"  to remove it:  {advice['uninstall']}")
