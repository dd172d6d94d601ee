"""Options shared by several commands, as parameter types, and what they do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated, Literal

import attrs
import typer

from gridworld.errors import ArgumentError
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from multinet_eval.cli.commands import from_options
from multinet_eval.settings.defaults import DEFAULT_BACKEND, TILING_BACKEND

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInterface
    from multinet_eval.record.confirmation import Given
    from multinet_eval.settings.run_settings import CacheSettings
    from multinet_eval.support.parallel import Work

TASKS, MODEL, SEEN, ANSWERS = "What to play", "Which model", "What the model sees", "How it answers"
PACE, RESULTS, BACKEND = "How much and how fast", "Where results go", "Backend"
"""Headings of options in ``--help``."""


ModelArgument = Annotated[
    list[str] | None,
    typer.Option(
        "--model-arg",
        "-M",
        metavar="KEY=VALUE",
        help="Argument of the model, such as temperature=0. Repeatable.",
        rich_help_panel=MODEL,
    ),
]


@attrs.frozen(field_transformer=from_options)
class ModelOptions:
    """Arguments of a model; those of a recorded model replace those of the record."""

    base_url: str | None = typer.Option(
        None, metavar="URL", help="Address of the model's server.", rich_help_panel=MODEL
    )
    model_arg: ModelArgument = None

    def of(self, model: str | None = None) -> tuple[str, list[str]]:
        """Return the name of the model's plugin and its arguments, ``key=value``.

        Args:
            model: the name, or ``NAME:MODEL`` for the argument ``model=MODEL``; None for a recorded model.

        Raises:
            ArgumentError: an argument is given in two ways.
        """
        from multinet_eval.settings.plugin_objects import name_model

        others = list(self.model_arg or ())
        names = [text.partition("=")[0] for text in others]
        plugin, given = name_model(model or "", self.base_url, names, "--base-url", "-M ")
        return plugin, [*(f"{name}={value}" for name, value in given.items()), *others]


def argument_words(arguments: Iterable[str]) -> list[str]:
    """Return the words of a command that give a model its arguments, ``key=value``, without credentials."""
    from multinet_eval.record.fingerprint import without_secret

    address = "base_url="
    texts = map(without_secret, arguments)
    pairs = [("--base-url", each[len(address) :]) if each.startswith(address) else ("-M", each) for each in texts]
    return [word for pair in pairs for word in pair]


ProtocolText = Annotated[
    str,
    typer.Option(
        "--protocol",
        metavar="NAME[:VALUE]",
        help="Actions in a reply: step (one), chunk:K (up to K), subgoal or plan.",
        rich_help_panel=ANSWERS,
    ),
]
Mission = Annotated[
    Literal["goal", "description", "both"],
    typer.Option(
        "--mission",
        help="Mission text: the goal in a sentence, the task's description, or both.",
        rich_help_panel=SEEN,
    ),
]
BackendName = Annotated[
    str | None,
    typer.Option(
        "--backend",
        metavar="NAME",
        help=f"Backend that plays the tasks: {DEFAULT_BACKEND} by default, {TILING_BACKEND} with --tiling.",
        show_default=False,
        rich_help_panel=BACKEND,
    ),
]
BackendArgument = Annotated[
    list[str] | None,
    typer.Option(
        "--backend-arg",
        "-B",
        metavar="KEY=VALUE",
        help="Argument of the backend. Repeatable.",
        rich_help_panel=BACKEND,
    ),
]


EXAMPLES_FROM = typer.Option(
    None, metavar="SUITE", help="Suite or folder of the examples; worked_examples by default.", rich_help_panel=SEEN
)


@attrs.frozen(field_transformer=from_options)
class GivenAgain:
    """Settings of a recorded run, besides the model's, that can be given again."""

    backend_arg: BackendArgument = None
    examples_from: str | None = EXAMPLES_FROM

    def of(self, model_arguments: Iterable[str], cache: CacheSettings | None) -> Given:
        """Return all settings that are given in place of recorded ones."""
        from multinet_eval.record.confirmation import Given

        return Given(model_arguments, self.backend_arg, cache, self.examples_from)


Tilings = Annotated[
    str | None,
    typer.Option(
        "--tiling",
        metavar="NAME",
        help="Tiling to play on, such as hex, or all; squares by default.",
        rich_help_panel=TASKS,
    ),
]
PlayedTiling = Annotated[
    str | None,
    typer.Option(
        "--tiling",
        metavar="NAME",
        help="Tiling to play on, such as hex; squares by default.",
        rich_help_panel=BACKEND,
    ),
]

RunFolders = Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of recorded runs.")]


def refuse_experiments(runs: Sequence[Path], command: str, varied: Sequence[str] | None = None) -> None:
    """Refuse the folders of experiments and diagnoses; the message has the command for the runs in them.

    Args:
        runs: the given folders.
        command: the command without ``multinet``.
        varied: conditions that need no ``--by``; None for a command without it.
    """
    from multinet_eval.record.record_folders import RUN, kind_of, records_in

    folders = {path: kind for path in runs if (kind := kind_of(path)) not in (None, RUN)}
    inside = {path: [each for each, kind in records_in(path) if kind is RUN] for path in folders}
    for path, kind in folders.items():
        if inside[path]:
            given = [each for folder in runs for each in inside.get(folder) or [folder]]
            raise ArgumentError(
                f"{path} is a recorded {kind.name}, expected a run; for its runs: "
                f"multinet {command} {join([*map(str, given), *_by_options(given, varied)])}"
            )


def _by_options(runs: Sequence[Path], varied: Sequence[str] | None) -> list[str]:
    """Return the options ``--by NAME`` with which runs can be compared; none if one of the runs cannot be read."""
    from multinet_eval.analysis.shared_conditions import undeclared_conditions
    from multinet_eval.record.record_folders import RunError
    from multinet_eval.record.run_directory import RunDirectory

    if varied is None:
        return []
    try:
        manifests = [RunDirectory(path).manifest for path in runs]
    except RunError:
        return []
    return [word for name in undeclared_conditions(manifests, varied) for word in ("--by", name)]


VariedBy = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="NAME",
        help="Condition varied besides the model: part of the fingerprint, or variant. Repeatable.",
    ),
]
ScoreName = Annotated[
    str,
    typer.Option("--score", metavar="NAME", help="success, spl, or a metric with values from 0 to 1."),
]
Weights = Annotated[
    Path | None,
    typer.Option(
        "--weights",
        metavar="FILE",
        help="TOML file with the weights of composite metrics; by default those shipped.",
    ),
]
MaxMetricStates = Annotated[
    int,
    typer.Option("--max-table-states", min=1, help="Maximum number of states for exact distances to success."),
]
RunPath = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a recorded run.")]
RetryFaults = Annotated[
    bool, typer.Option("--retry-faults", help="Replay episodes that ended by an infrastructure fault.")
]
TakeOver = Annotated[bool, typer.Option("--take-over", help="Take the run from a process that you know has ended.")]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        show_default=False,
        help="Number of processes; by default the number of cores.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def reading(workers: int | None) -> Work:
    """Return the work of reading runs in this number of processes, by default one for each core, with a bar."""
    from multinet_eval.cli.progress_bars import with_progress
    from multinet_eval.support.parallel import Work, core_count

    return Work(workers or core_count(), with_progress)


@contextmanager
def in_use(model: ModelInterface) -> Iterator[None]:
    """Close a model at the end; raises PluginFault if that fails."""
    try:
        yield
    finally:
        with calling(owner_of("model", model, model.model_name), "close"):
            model.close()
