"""Options that several commands share, and what they do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gridworld.backends.base import AbstractGridBackend
    from gridworld.backends.kernel import KernelBackend
    from gridworld.model_interface import ModelInterface
    from gridworld.plugins import Catalog

__all__ = [
    "ALL_TILINGS",
    "BACKEND",
    "SCORE",
    "BackendArgument",
    "BackendName",
    "DisablePlugin",
    "HistoryImages",
    "HistoryText",
    "HistoryTextWindow",
    "Mission",
    "MissionChoice",
    "ModelArgument",
    "Observation",
    "ObservationChoice",
    "StrictPlugins",
    "backend_arguments",
    "choose_tilings",
    "in_use",
    "load_plugins",
    "make_backend",
    "make_kernel_backend",
    "make_model",
]

DEFAULT_BACKEND, TILING_BACKEND = "minigrid", "multigrid"
ALL_TILINGS = "all"
SCORE, HISTORY, BACKEND = "Task and model", "History", "Backend"
"""Panels in ``--help``."""


class ObservationChoice(StrEnum):
    """The choices of ``--observation``."""

    IMAGE = "image"
    TEXT = "text"
    BOTH = "image+text"


class MissionChoice(StrEnum):
    """The choices of ``--mission``."""

    GOAL = "goal"
    DESCRIPTION = "description"
    BOTH = "both"


ModelArgument = Annotated[
    list[str] | None,
    typer.Option(
        "--model-arg",
        "-M",
        metavar="KEY=VALUE",
        help="An argument of the model. Repeatable.",
        rich_help_panel=SCORE,
    ),
]
Observation = Annotated[
    ObservationChoice,
    typer.Option("--observation", help="What the model is shown at each step.", rich_help_panel=SCORE),
]
Mission = Annotated[
    MissionChoice,
    typer.Option(
        "--mission", help="The goal in a sentence, the task's own description, or both.", rich_help_panel=SCORE
    ),
]
HistoryImages = Annotated[
    int,
    typer.Option(
        "--history-images", min=0, help="How many earlier images the model is shown.", rich_help_panel=HISTORY
    ),
]
HistoryText = Annotated[
    bool,
    typer.Option(
        "--history-text/--no-history-text",
        help="Give the model a text summary of its last steps.",
        rich_help_panel=HISTORY,
    ),
]
HistoryTextWindow = Annotated[
    int,
    typer.Option("--history-text-window", min=1, help="How many steps the summary covers.", rich_help_panel=HISTORY),
]

BackendName = Annotated[
    str | None,
    typer.Option(
        "--backend",
        help=f"The backend: {DEFAULT_BACKEND} by default, {TILING_BACKEND} with --tiling.",
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
        help="An argument of the backend. Repeatable.",
        rich_help_panel=BACKEND,
    ),
]

DisablePlugin = Annotated[
    list[str] | None,
    typer.Option(
        "--disable-plugin",
        metavar="NAME",
        help="Do not import this plugin (distribution, or distribution/entry point). Repeatable.",
    ),
]
StrictPlugins = Annotated[bool, typer.Option("--strict-plugins", help="Fail if any plugin fails to load.")]


def load_plugins(disabled: list[str] | None, strict: bool) -> None:
    """Load the installed plugins for this process; the failures of single plugins are kept, unless `strict`.

    Raises:
        UnknownNameError: a disabled name is no installed plugin.
        PluginFault: `strict`, and a plugin failed.
    """
    from gridworld.plugins import load_registry, set_registry

    set_registry(load_registry(disabled or (), strict))


def make_model(name: str, arguments: list[str]) -> ModelInterface:
    """A model made with arguments from the command line; raises as `_make` does."""
    from gridworld.model_interface import ModelInterface
    from gridworld.plugins import get_registry

    model: ModelInterface = _make(get_registry().models, name, arguments, ModelInterface)
    return model


@contextmanager
def in_use(model: ModelInterface) -> Iterator[None]:
    """Close a model in the end.

    Raises:
        PluginFault: it cannot be closed.
    """
    from gridworld.plugins.faults import blaming

    try:
        yield
    finally:
        with blaming(f"model '{model.model_name}'", "when it was closed"):
            model.close()


def choose_tilings(name: str | None) -> list[str | None]:
    """The tilings that ``--tiling`` asks for: all installed ones for ``all``, the backend's own for None."""
    from gridworld.plugins import get_registry

    return list(get_registry().tilings.names()) if name == ALL_TILINGS else [name]


def make_backend(name: str | None, arguments: list[str], tiling: str | None = None) -> AbstractGridBackend:
    """A backend made with arguments from the command line, on a tiling if one is asked for; raises as `_make` does."""
    from gridworld.backends.base import AbstractGridBackend
    from gridworld.plugins import get_registry

    chosen, given = _choose_backend(name, arguments, tiling)
    backend: AbstractGridBackend = _make(get_registry().backends, chosen, given, AbstractGridBackend)
    return backend


def backend_arguments(name: str | None, arguments: list[str], tiling: str | None) -> tuple[str, dict[str, Any]]:
    """The name of the backend that `make_backend` would make, and the arguments that it would get; raises as it does.

    They are also those of the backend's Gymnasium environment.
    """
    from gridworld.plugins import get_registry
    from gridworld.support.import_strings import load_object
    from multinet_eval.cli.arguments import bind_arguments

    chosen, given = _choose_backend(name, arguments, tiling)
    constructor = load_object(get_registry().backends.get(chosen).target)
    return chosen, bind_arguments(constructor, given, f"backend '{chosen}'")


def _choose_backend(name: str | None, arguments: list[str], tiling: str | None) -> tuple[str, list[str]]:
    from gridworld.plugins import get_registry

    if tiling is None:
        return name or DEFAULT_BACKEND, arguments
    get_registry().tilings.get(tiling)
    return name or TILING_BACKEND, [f"tiling={tiling}", *arguments]


def make_kernel_backend(name: str | None, arguments: list[str], tiling: str | None = None) -> KernelBackend:
    """The same, for what needs the compiled task.

    Raises:
        ArgumentError: the backend is not built on the kernel; and as `make_backend` does.
    """
    from gridworld.errors import ArgumentError
    from gridworld.plugins.faults import backend_name
    from gridworld.runner.rollout import kernel_of

    kernel = kernel_of(make_backend(name, arguments, tiling))
    if kernel is None:
        raise ArgumentError(
            f"{backend_name(name or DEFAULT_BACKEND)} is not built on the kernel, so no plan can be found on it: "
            f"choose a backend that is, such as {DEFAULT_BACKEND}"
        )
    return kernel


def _make(catalog: Catalog[Any], name: str, arguments: list[str], expected: type) -> Any:
    """An object that a plugin provides, made with arguments from the command line.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        ArgumentError: an argument is unknown or has a wrong value.
        PluginFault: the plugin's object cannot be made, or is of a wrong kind.
    """
    from gridworld.errors import ArgumentError, GridworldError, PluginFault, describe_error
    from gridworld.support.import_strings import load_object
    from multinet_eval.cli.arguments import bind_arguments

    constructor = load_object(catalog.get(name).target)
    owner = f"{catalog.kind} '{name}'"
    bound = bind_arguments(constructor, arguments, owner)
    try:
        made = constructor(**bound)
    except GridworldError:
        raise
    except ValueError as error:
        raise ArgumentError(f"{owner}: {error}") from error
    except Exception as error:
        raise PluginFault(f"{owner} cannot be created: {describe_error(error)}") from error
    if not isinstance(made, expected):
        raise PluginFault(f"{owner} is a {type(made).__name__}, expected a subclass of {expected.__name__}")
    return made
