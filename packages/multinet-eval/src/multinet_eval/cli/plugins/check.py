"""``multinet plugins check``: runs the conformance kits on what is installed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins

if TYPE_CHECKING:
    from gridworld.testing.installed import Candidate, Checked

__all__ = ["check_plugins"]

STYLES = {"passed": "green", "failed": "red", "undecided": "yellow"}


def check_plugins(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="A distribution, a plugin, or something provided; by default everything."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Check that mechanisms, goals, tilings, backends, models and suites do what their kind of thing has to do.

    These are the kits of `gridworld.testing`, the same ones that authors run in their own tests. What needs an example
    from its author stays undecided; so does a model of another distribution than the core's, unless it is named, since
    to ask it may cost something. Exit code 1 when any check fails.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        checked = _check_all(name)
    if as_json:
        typer.echo(json.dumps([_as_dict(each) for each in checked], indent=2))
    else:
        _print(checked)
    if any(each.verdict == "failed" for each in checked):
        raise typer.Exit(FAILED)


def _check_all(name: str | None) -> list[Checked]:
    from gridworld.plugins import get_registry
    from gridworld.testing.installed import check, find_candidates

    registry = get_registry()
    candidates = find_candidates(registry, name)
    with _undisturbed():
        return [check(each, registry, named=name is not None) for each in _with_progress(candidates)]


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let no plugin wait for a key, or print where the results go."""
    standard_input = sys.stdin
    with Path(os.devnull).open(encoding="utf-8") as nothing, redirect_stdout(sys.stderr):
        sys.stdin = nothing
        try:
            yield
        finally:
            sys.stdin = standard_input


def _with_progress(candidates: list[Candidate]) -> Iterator[Candidate]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return iter(track(candidates, "checking", console=console, transient=True, disable=not console.is_terminal))


def _as_dict(checked: Checked) -> dict[str, Any]:
    return {**attrs.asdict(checked), "verdict": checked.verdict}


def _print(checked: list[Checked]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("Kind", "Name", "Distribution", "Checks passed", "Verdict"):
        table.add_column(heading, no_wrap=True)
    for each in checked:
        counted = f"{each.passed} of {len(each.results)}"
        verdict = f"[{STYLES[each.verdict]}]{each.verdict}[/]"
        table.add_row(each.kind, escape(each.name), escape(each.distribution), counted, verdict)
    console = Console(emoji=False, soft_wrap=True)
    console.print(table)
    for each in checked:
        for check, wrong, remedy in _reasons(each):
            console.print(f"[{STYLES[each.verdict]}]{each.kind} {escape(each.name)}[/]: {escape(check)}")
            console.print(f"  {escape(wrong)}")
            console.print(f"  what to do: {escape(remedy)}")
    counts = {verdict: sum(each.verdict == verdict for each in checked) for verdict in STYLES}
    console.print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))


def _reasons(checked: Checked) -> Iterator[tuple[str, str, str]]:
    """(check, what is wrong, what to do) of all that did not pass; what several checks say alike is told once."""
    told: set[tuple[str, str]] = set()
    for result in checked.results:
        if result.verdict != "passed" and (result.wrong, result.remedy) not in told:
            told.add((result.wrong, result.remedy))
            yield result.check.replace("_", " "), result.wrong, result.remedy
