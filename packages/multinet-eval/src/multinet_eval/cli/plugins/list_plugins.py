"""``multinet plugins``: what is installed, what it provides, and what failed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import DisablePlugin, StrictPlugins, load_plugins
from multinet_eval.cli.plugins.facts import cost_facts

if TYPE_CHECKING:
    from gridworld.plugins import PluginRecord, Registry

__all__ = ["list_plugins"]


def list_plugins(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    disable_plugin: DisablePlugin = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """List every plugin: its distribution, version, entry point and what it provides, and the failures."""
    if context.invoked_subcommand is not None:
        _refuse_options(context, context.invoked_subcommand)
        return
    from gridworld.plugins import get_registry

    with exit_on_error():
        load_plugins(disable_plugin, strict_plugins)
        registry = get_registry()
    if as_json:
        typer.echo(json.dumps(_as_dict(registry), indent=2))
    else:
        _print(registry)


def _refuse_options(context: typer.Context, command: str) -> None:
    """An option in front of a subcommand would be lost."""
    if any(context.params.values()):
        raise typer.BadParameter(f"options of '{command}' stand behind it: multinet plugins {command} --help")


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


def _print(registry: Registry) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(emoji=False)
    table = Table("Distribution", "Version", "Entry point", "Status", "Provides")
    table.add_column("Load (ms)", justify="right")
    styles = {"loaded": "green", "disabled": "yellow", "failed": "red"}
    for record in registry.plugins:
        status = f"[{styles[record.status]}]{record.status}[/]"
        taken = "" if record.status == "disabled" else f"{record.cost.milliseconds:.1f}"
        table.add_row(record.distribution, record.version, record.entry_point, status, _provided(record), taken)
    console.print(table)
    for record in registry.plugins:
        if record.cost.warning:
            console.print(f"[yellow]slow to load[/]: {record.qualified_name}: {record.cost.warning}")
    for record in registry.failures:
        _print_failure(console.print, record)
    for kind, name, providers in registry.conflicts():
        console.print(
            f"[red]conflict[/]: {kind} '{name}' is provided by {' and '.join(providers)}; write one of these to choose"
        )


def _provided(record: PluginRecord) -> str:
    by_kind: dict[str, list[str]] = {}
    for kind, name in record.provides:
        by_kind.setdefault(kind, []).append(name)
    return "\n".join(f"{kind}: {', '.join(names)}" for kind, names in by_kind.items())


def _print_failure(write: Any, record: PluginRecord) -> None:
    from rich.markup import escape

    assert record.failure is not None
    advice = _advice(record)
    write(f"[red]failed[/]: {record.distribution} {record.version}, entry point {record.entry_point} ({record.module})")
    write(f"  phase: {record.failure.phase}")
    write(f"  error: {escape(record.failure.error)}")
    write(f"  to disable it: {advice['disable']}  (or GRIDWORLD_DISABLE_PLUGINS={record.distribution})")
    write(f"  to remove it:  {advice['uninstall']}")
