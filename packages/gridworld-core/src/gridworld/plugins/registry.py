"""The registry in use by this process."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gridworld.plugins.catalog import Registry
from gridworld.plugins.loading import load_registry
from gridworld.task_spec import TaskSpecification

__all__ = ["get_registry", "normal_name", "set_registry", "type_versions", "using_registry"]

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


def normal_name(kind: str, name: str) -> str:
    """The name under which something of a kind, such as ``model``, is recorded.

    `Catalog.normal_name` in the registry in use, which is not loaded for a plain name: that is normal already.
    """
    return get_registry().catalog(kind).normal_name(name) if "/" in name else name


def type_versions(tasks: Iterable[TaskSpecification]) -> dict[str, str]:
    """The mechanism and goal types of tasks that state a version, such as ``mechanism ice``, to that version.

    Raises:
        UnknownNameError, AmbiguousNameError: a type is not installed, or more than one is meant.
    """
    registry = get_registry()
    used: dict[str, str | None] = {}
    for task in tasks:
        used[f"goal {task.goal.type}"] = registry.goals.get(task.goal.type).version
        used |= {f"mechanism {name}": registry.mechanisms.get(name).version for name, _ in task.mechanisms.groups()}
    return {name: version for name, version in sorted(used.items()) if version is not None}


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
