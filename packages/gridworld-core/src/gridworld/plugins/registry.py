"""The registry in use by this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from gridworld.plugins.catalog import Registry
from gridworld.plugins.loading import load_registry

__all__ = ["get_registry", "set_registry", "using_registry"]

_lock = threading.RLock()
_registry: Registry | None = None


def get_registry() -> Registry:
    """The registry in use; the installed plugins are loaded when it is first asked for, once for all threads.

    Raises:
        PluginFault: a plugin's module or hook asks for it while it is being loaded.
    """
    global _registry
    if _registry is None:
        with _lock:
            if _registry is None:
                _registry = load_registry()
    return _registry


def set_registry(registry: Registry) -> None:
    """Use another registry from now on, as the command line does to disable plugins."""
    global _registry
    with _lock:
        _registry = registry


@contextmanager
def using_registry(registry: Registry) -> Iterator[Registry]:
    """Use another registry inside a ``with`` block, in all threads."""
    global _registry
    previous = _registry
    set_registry(registry)
    try:
        yield registry
    finally:
        _registry = previous
