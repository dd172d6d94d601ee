"""``multinet plugins``: what is installed, what it provides, and what failed."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from textwrap import wrap
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


STYLES = {"loaded": "green", "disabled": "yellow", "failed": "red"}
HEADINGS = ("Distribution", "Version", "Entry point", "Status", "Load (ms)", "Provides")
GAP = "  "
LEAST_WIDTH = 30
"""Columns of text that what is provided is never wrapped below."""


def _print(registry: Registry) -> None:
    """Without Rich, since to import it and to lay out its table takes a third of the time that all else takes."""
    for line in _table(registry):
        typer.echo(line)
    for record in registry.plugins:
        if record.cost.warning:
            typer.echo(f"{typer.style('slow to load', 'yellow')}: {record.qualified_name}: {record.cost.warning}")
    for record in registry.failures:
        _print_failure(record)
    for kind, name, providers in registry.conflicts():
        typer.echo(
            f"{typer.style('conflict', 'red')}: {kind} '{name}' is provided by {' and '.join(providers)}; "
            "write one of these to choose"
        )


def _table(registry: Registry) -> Iterator[str]:
    """A line for each plugin, and one more for each further kind of thing that it provides."""
    rows = [_cells(record) for record in registry.plugins]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows, strict=True)][:-1]
    indent = sum(widths) + len(GAP) * len(widths)
    room = _room(indent)
    yield typer.style(GAP.join(_padded(HEADINGS, widths)), bold=True)
    for row, record in zip(rows, registry.plugins, strict=True):
        distribution, version, entry, status, taken, provided = _padded(row, widths)
        first, *further = [part for line in provided.split("\n") for part in wrap(line, room) or [""]]
        yield GAP.join((distribution, version, entry, typer.style(status, STYLES[record.status]), taken, first))
        yield from (" " * indent + line for line in further)


def _cells(record: PluginRecord) -> tuple[str, ...]:
    taken = "" if record.status == "disabled" else f"{record.cost.milliseconds:.1f}"
    return (record.distribution, record.version, record.entry_point, record.status, taken, _provided(record))


def _padded(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Cells as wide as their columns, but for the last; numbers stand on the right."""
    *words, number, last = cells
    padded = [word.ljust(width) for word, width in zip(words, widths, strict=False)]
    return [*padded, number.rjust(widths[-1]), last]


def _room(indent: int) -> int:
    """The width for what is provided: what is left of a terminal's lines; in a pipe, lines are of any length."""
    if not sys.stdout.isatty():
        return sys.maxsize
    return max(LEAST_WIDTH, shutil.get_terminal_size().columns - indent)


def _provided(record: PluginRecord) -> str:
    by_kind: dict[str, list[str]] = {}
    for kind, name in record.provides:
        by_kind.setdefault(kind, []).append(name)
    return "\n".join(f"{kind}: {', '.join(names)}" for kind, names in by_kind.items())


def _print_failure(record: PluginRecord) -> None:
    assert record.failure is not None
    advice = _advice(record)
    title = f"{record.distribution} {record.version}, entry point {record.entry_point} ({record.module})"
    typer.echo(f"{typer.style('failed', 'red')}: {title}")
    typer.echo(f"  phase: {record.failure.phase}")
    typer.echo(f"  error: {record.failure.error}")
    typer.echo(f"  to disable it: {advice['disable']}  (or GRIDWORLD_DISABLE_PLUGINS={record.distribution})")
    typer.echo(f"  to remove it:  {advice['uninstall']}")
