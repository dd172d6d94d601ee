"""The plugins in use: the registry that everything else asks for mechanisms, goals, backends, models and suites."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gridworld.plugin_catalog import Catalog, PluginFailure, PluginRecord, Provided, Registry
from gridworld.plugin_loading import CORE_DISTRIBUTION, DISABLE_VARIABLE, load_registry

__all__ = [
    "CORE_DISTRIBUTION",
    "DISABLE_VARIABLE",
    "Catalog",
    "PluginFailure",
    "PluginRecord",
    "Provided",
    "Registry",
    "get_registry",
    "load_registry",
    "set_registry",
    "using_registry",
]

_registry: Registry | None = None


def get_registry() -> Registry:
    """The registry in use; the installed plugins are loaded when it is first asked for.

    Raises:
        PluginFault: a plugin's module or hook asks for it while it is being loaded.
    """
    global _registry
    if _registry is None:
        _registry = load_registry()
    return _registry


def set_registry(registry: Registry) -> None:
    """Use another registry from now on, as the command line does to disable plugins."""
    global _registry
    _registry = registry


@contextmanager
def using_registry(registry: Registry) -> Iterator[Registry]:
    """Use another registry inside a ``with`` block."""
    global _registry
    previous = _registry
    _registry = registry
    try:
        yield registry
    finally:
        _registry = previous
