"""Options that several commands share, and what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gridworld.backends.base import AbstractGridBackend
    from gridworld.model_interface import ModelInterface
    from gridworld.plugins import Catalog

__all__ = ["DisablePlugin", "StrictPlugins", "load_plugins", "make_backend", "make_model"]

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


def make_backend(name: str, arguments: list[str]) -> AbstractGridBackend:
    """A backend made with arguments from the command line; raises as `_make` does."""
    from gridworld.backends.base import AbstractGridBackend
    from gridworld.plugins import get_registry

    backend: AbstractGridBackend = _make(get_registry().backends, name, arguments, AbstractGridBackend)
    return backend


def _make(catalog: Catalog[Any], name: str, arguments: list[str], expected: type) -> Any:
    """An object that a plugin provides, made with arguments from the command line.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the name.
        ArgumentError: an argument is unknown or has a wrong value.
        PluginFault: the plugin's object cannot be made, or is of a wrong kind.
    """
    from gridworld.errors import ArgumentError, PluginFault, describe_error
    from gridworld.plugin_types import load_object
    from multinet_eval.arguments import bind_arguments

    constructor = load_object(catalog.get(name).target)
    owner = f"{catalog.kind} '{name}'"
    bound = bind_arguments(constructor, arguments, owner)
    try:
        made = constructor(**bound)
    except ValueError as error:
        raise ArgumentError(f"{owner}: {error}") from error
    except Exception as error:
        raise PluginFault(f"{owner} cannot be made: {describe_error(error)}") from error
    if not isinstance(made, expected):
        raise PluginFault(f"{owner} is a {type(made).__name__}, expected a subclass of {expected.__name__}")
    return made
