"""``multinet plugins check``: run the conformance kits on installed plugins."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import typer
from rich.markup import escape

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.plugins.arguments import bind_arguments
from gridworld.support.wording import visible_line
from multinet_eval.cli.commands import PluginOptions, command
from multinet_eval.cli.echo import Styled, echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, ModelArgument
from multinet_eval.cli.table import Cell, Column, print_table

if TYPE_CHECKING:
    from gridworld.testing.conformance import CheckResult
    from gridworld.testing.installed import Candidate, Checked

STYLES = {"passed": "green", "failed": "red", "undecided": "yellow", "skipped": "cyan"}
UNSETTLED = ("failed", "undecided")


@command(plugins=False)
def check_plugins(
    name: str | None = typer.Argument(
        None,
        metavar="NAME",
        help="Distribution, plugin, name that a plugin provides, or Python file; by default all that is installed.",
    ),
    model_arg: ModelArgument = None,
    live: bool = typer.Option(False, "--live", help="Call models and whatever else may reach the outside."),
    as_json: AsJson = False,
    *,
    plugins: PluginOptions,
) -> None:
    """Check that plugins meet the contracts of their kinds.

    Each target is imported, compared with its base class, and played once, mostly by the kits of
    `gridworld.testing` that authors run in their own tests. A target that needs an example from its author stays
    undecided. Models and observers that may reach the outside are only constructed, unless `--live` is given. Exit
    code 1 if any check fails or stays undecided.
    """
    name = _load(name, plugins)
    checked = _check_all(name, model_arg or [], live)
    if as_json:
        echo_json([{**attrs.asdict(each), "verdict": each.verdict} for each in checked])
    else:
        _print(checked)
    if any(each.verdict in UNSETTLED for each in checked):
        raise typer.Exit(FAILED)


def _load(name: str | None, plugins: PluginOptions) -> str | None:
    """Load the plugins and the file to check; return the name to check."""
    if name is None or not name.endswith(".py"):
        plugins.load()
        return name
    attrs.evolve(plugins, plugin_file=[*(plugins.plugin_file or ()), name]).load()
    return next(each.distribution for each in get_registry().plugins if each.file == str(Path(name).absolute()))


def _check_all(name: str | None, model_arguments: list[str], live: bool) -> list[Checked]:
    from gridworld.testing.installed import check, find_candidates
    from multinet_eval.cli.plugins.kits import FURTHER_KITS

    registry = get_registry()
    candidates = find_candidates(registry, name)
    arguments = _bind(candidates, name, model_arguments) if model_arguments else {}
    with _undisturbed():
        return [check(each, registry, live, arguments, FURTHER_KITS) for each in _with_progress(candidates)]


def _bind(candidates: list[Candidate], name: str | None, texts: list[str]) -> dict[str, Any]:
    """Bind arguments to the one named model; raises ArgumentError if no single model is named or takes them."""
    models = [each for each in candidates if each.kind == "model"]
    if name is None or len(models) != 1:
        found = ", ".join(each.name for each in models) or "none"
        raise ArgumentError(f"-M needs the name of one model; models under '{name or 'everything'}': {found}")
    return bind_arguments(models[0].subject.load(), texts, f"model '{models[0].name}'")


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep plugins from waiting for input and from printing among the results."""
    standard_input = sys.stdin
    with Path(os.devnull).open(encoding="utf-8") as nothing, redirect_stdout(sys.stderr):
        sys.stdin = nothing
        try:
            yield
        finally:
            sys.stdin = standard_input


def _with_progress(candidates: list[Candidate]) -> Iterator[Candidate]:
    """Yield candidates, each announced on standard error if several are checked, since checking all takes minutes."""
    from multinet_eval.cli.progress_bars import progress_bar

    with progress_bar() as bar:
        task = bar.add_task("", total=len(candidates))
        for number, each in enumerate(candidates, start=1):
            name = visible_line(f"checking {each.kind} {each.name}")
            bar.update(task, description=escape(name), completed=number - 1)
            if len(candidates) > 1 and bar.disable:
                echo(f"{name} ({number} of {len(candidates)})", err=True)
            yield each


def _print(checked: list[Checked]) -> None:
    columns = [Column("Kind"), Column("Name"), Column("Distribution"), Column("Checks passed", 1), Column("Verdict")]
    print_table(columns, [_cells(each) for each in checked])
    for each in checked:
        if each.verdict in UNSETTLED:
            for check, wrong, rule in _reasons(each):
                place = f" ({each.place})" if each.place else ""
                echo(Styled(f"{each.kind} {each.name}", STYLES[each.verdict]), f"{place}: {check}")
                echo(f"  {wrong}")
                if rule:
                    echo(f"  expected: {rule}")
    _print_skipped(checked)
    counts = {verdict: sum(each.verdict == verdict for each in checked) for verdict in STYLES}
    echo(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))


def _cells(checked: Checked) -> list[Cell]:
    verdict = Styled(checked.verdict, STYLES[checked.verdict])
    return [checked.kind, checked.name, checked.distribution, f"{checked.passed} of {len(checked.results)}", verdict]


def _print_skipped(checked: list[Checked]) -> None:
    """Print each reason for skipping, once for all names it applies to."""
    names: dict[str, list[str]] = {}
    for each in checked:
        for result in each.results if each.verdict == "skipped" else ():
            if result.verdict == "skipped" and each.name not in names.setdefault(result.wrong, []):
                names[result.wrong].append(each.name)
    for wrong, alike in names.items():
        echo(Styled("skipped", STYLES["skipped"]), f": {', '.join(alike)}: {wrong}")


def _reasons(checked: Checked) -> Iterator[tuple[str, str, str]]:
    """Yield (checks, problem, rule) for checks that did not pass; checks with the same problem are joined."""
    alike: dict[str, list[CheckResult]] = {}
    for result in checked.results:
        if result.verdict != "passed":
            alike.setdefault(result.wrong, []).append(result)
    for wrong, results in alike.items():
        rule = " ".join(results[0].rule.split()) if len(results) == 1 and results[0].verdict == "failed" else ""
        yield "; ".join(result.check.replace("_", " ") for result in results), wrong, rule
