"""Options that several commands share, and what they do."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["DisablePlugin", "StrictPlugins", "load_plugins"]

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
