"""``multinet models``: list the installed models, or check that one works."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
import typer

from gridworld.plugins import get_registry
from gridworld.plugins.catalog import Provided
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import Styled, echo, echo_json, echo_lines, line_width, writing_output
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, ModelOptions, argument_words, in_use
from multinet_eval.cli.run_options import MORE_WAIT, WAIT_FOR_SERVER
from multinet_eval.cli.settings_options import DEFAULTS
from multinet_eval.cli.table import Cell, Column, numeric, print_prose, print_table

if TYPE_CHECKING:
    from gridworld.hookspecs import ModelInfo
    from gridworld.model_interface import ModelInterface, PreflightCheck
    from gridworld.runner.presentation import Presentation


@command()
def list_models(as_json: AsJson = False) -> None:
    """List the installed models, the values of --model."""
    models = sorted(get_registry().models, key=lambda each: (each.item.name, each.qualified_name))
    if as_json:
        echo_json([_as_dict(each) for each in models])
    else:
        _print(models)


def _as_dict(model: Provided[ModelInfo]) -> dict[str, str]:
    return {"name": model.item.name, "summary": model.item.summary, "distribution": model.distribution}


def _print(models: list[Provided[ModelInfo]]) -> None:
    columns = [Column("Name"), Column("Distribution"), Column("Summary", prose=True)]
    print_table(columns, [[each.item.name, each.distribution, each.item.summary] for each in models])


@command()
def check_model_command(
    name: str = typer.Argument(..., metavar="NAME", help="Name of the model, such as random or openai:MODEL."),
    *,
    arguments: ModelOptions,
    observation: str = typer.Option(
        DEFAULTS.observation.default, metavar="NAME+...", help="Observation formats, as in the run."
    ),
    wait_for_server: float = WAIT_FOR_SERVER,
    as_json: AsJson = False,
) -> None:
    """Find out what a model and its server can do.

    Prints the command of a run with fitting options. A model without checks of its own is asked for one step of a
    small task. Checks that depend on a failed one are skipped. Exit code 1 if any check fails.
    """
    from gridworld.runner.presentation import Presentation
    from multinet_eval.settings.plugin_objects import make_model

    presentation = Presentation(observation=observation)
    name, model_arguments = arguments.of(name)
    model = make_model(name, model_arguments)
    verdicts: list[PreflightCheck] = []
    as_table = not as_json and sys.stdout.isatty()
    as_lines = not as_json and not as_table
    if as_lines:
        echo(model.model_name)
    try:
        for verdict in _checks(model, name, presentation, wait_for_server):
            verdicts.append(verdict)
            if as_lines:
                _print_line(verdict)
    finally:  # after Ctrl-C, the checks done so far
        if as_table and verdicts:
            _print_table(model.model_name, verdicts)
    passed = all(verdict.passed for verdict in verdicts)
    words = _run_with(name, model_arguments, presentation, verdicts)
    if as_json:
        checks = [attrs.asdict(verdict) for verdict in verdicts]
        found = {"model": model.model_name, "passed": passed, "checks": checks}
        echo_json({**found, "command": None if words is None else shlex.join(words)})
    else:
        _print_proposal(verdicts, words)
    if not passed:
        raise typer.Exit(FAILED)


def _print_proposal(verdicts: Sequence[PreflightCheck], words: Sequence[str] | None) -> None:
    """Print how many checks passed, and the command of a run, if any."""
    results = Counter(map(_result, verdicts))
    noted = f", {results['noted']} noted" if results["noted"] else ""
    echo(f"{results['passed']} passed{noted}, {results['failed']} failed")
    if words is not None:
        echo("\na run with options that may help:\n" if results["failed"] else "\na run with fitting options:\n")
        echo_lines(_command_lines(words))


def _checks(
    model: ModelInterface, name: str, presentation: Presentation, wait_for_server: float
) -> Iterator[PreflightCheck]:
    """Yield each verdict as it is found, and show which check is under way."""
    from multinet_eval.cli.progress_bars import naming_work
    from multinet_eval.play.readiness import ServerWait
    from multinet_eval.probing.model_check import check_model

    with in_use(model), naming_work() as show:
        # A terminal shows the wait as work in progress.
        tell = show if sys.stderr.isatty() else lambda message: echo(message, err=True)
        wait = ServerWait(wait_for_server, tell, MORE_WAIT)
        show(f"preparing to check {model.model_name}")
        yield from check_model(model, name, presentation, lambda check: show(f"checking: {check}"), wait)


def _result(verdict: PreflightCheck) -> str:
    """Return the result of a check in a word."""
    return "failed" if not verdict.passed else "noted" if verdict.noted else "passed"


def _print_line(verdict: PreflightCheck) -> None:
    with writing_output():
        echo(f"{_result(verdict)}: {verdict.name} ({verdict.seconds:.1f} s)")
        echo(f"  {verdict.message}")
        sys.stdout.flush()


COLORS = {"passed": "green", "noted": "yellow", "failed": "red"}
MOST_COLUMNS = 100
"""Largest width of the table of checks."""


def _print_table(name: str, verdicts: Sequence[PreflightCheck]) -> None:
    columns = [Column("Check"), Column("Result"), numeric("Seconds", 1), Column("Found", prose=True)]
    rows: list[list[Cell]] = [
        [
            verdict.name,
            Styled(_result(verdict), COLORS[_result(verdict)]),
            f"{verdict.seconds:.1f}",
            verdict.message if verdict.passed else "see below",
        ]
        for verdict in verdicts
    ]
    print_table(columns, rows, name, MOST_COLUMNS)
    for verdict in verdicts:
        if not verdict.passed:
            print_prose(f"failed: {verdict.name}: {verdict.message}")


def _run_with(
    name: str, model_arguments: Sequence[str], presentation: Presentation, verdicts: Sequence[PreflightCheck]
) -> list[str] | None:
    """Return the words of the command for a run with the options that follow from the checks; None if none helps."""
    proposed: dict[str, str] = {}
    settings: dict[str, str] = {}
    for verdict in verdicts:  # of several findings, the first one counts
        for each in verdict.arguments:
            proposed.setdefault(each.partition("=")[0], each)
        settings = {**settings, **{name: value for name, value in verdict.settings.items() if name not in settings}}
    if not proposed and not settings and not all(verdict.passed for verdict in verdicts):
        return None
    kept = {each.partition("=")[0]: each for each in model_arguments if each.partition("=")[0] not in proposed}
    model = (proposed.pop("model", "") or kept.pop("model", "")).partition("=")[2]
    words = ["multinet-run-eval", "--model", f"{name}:{model}" if model else name, *argument_words(kept.values())]
    observation = settings.pop("observation", None)
    if observation is None:
        observation = presentation.observation
    elif presentation.format.texts:  # which were to be shown beside the picture
        observation = "+".join(presentation.format.texts)
    if observation != DEFAULTS.observation.default:
        settings["observation"] = observation
    words += [word for setting, value in settings.items() for word in (f"--{setting}", value)]
    return [*words, *argument_words(proposed.values())]


def _command_lines(words: Sequence[str]) -> list[str]:
    """Return a command for a shell, broken before options where it does not fit the terminal."""
    room = line_width()
    parts = [shlex.join([words[0], *words[1:3]])]
    parts += [shlex.join(words[at : at + 2]) for at in range(3, len(words), 2)]
    lines = [f"  {parts[0]}"]
    for part in parts[1:]:
        if room is not None and len(lines[-1]) + len(part) + 3 > room:
            lines[-1] += " \\"
            lines.append(f"      {part}")
        else:
            lines[-1] += f" {part}"
    return lines
