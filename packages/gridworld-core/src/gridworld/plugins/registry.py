"""The registry that this process uses."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import attrs

from gridworld.errors import Owner
from gridworld.plugins.catalog import Registry
from gridworld.plugins.discovery import installed_version
from gridworld.plugins.loading import load_registry
from gridworld.support.import_strings import loaded_object
from gridworld.task_spec import TaskSpecification

_lock = threading.RLock()
_registry: Registry | None = None


def get_registry() -> Registry:
    """Return the registry in use. The first call loads the installed plugins, once for all threads.

    Raises:
        PluginFault: a plugin requests the registry while plugins are being loaded.
    """
    global _registry
    if _registry is None:
        with _lock:
            if _registry is None:
                _registry = load_registry()
    return _registry


def set_registry(registry: Registry) -> None:
    """Replace the registry in use, as the command line does to disable plugins."""
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


def owner_of(kind: str, made: object, name: str) -> Owner:
    """Return the owner of an object, such as a model: the plugin whose target is the object or its class, if any.

    Args:
        kind: kind of the object, such as ``model``.
        made: the object.
        name: its name in messages.
    """
    catalog = get_registry().catalog(kind)
    owners = (each.item.owner for each in catalog if loaded_object(each.item.target) in (made, type(made)))
    return attrs.evolve(next(owners, Owner("")), name=f"{kind} '{name}'")


def normal_name(kind: str, name: str) -> str:
    """Normalize a name of a kind, such as ``model``, with `Catalog.normal_name` of the registry in use.

    A plain name is already normal, and does not load the registry.
    """
    return get_registry().catalog(kind).normal_name(name) if "/" in name else name


def version_of(distribution: str) -> str:
    """Return the full version of a plugin's distribution or file, or of another distribution; otherwise `UNKNOWN`."""
    for record in get_registry().plugins:
        if record.distribution == distribution:
            return record.version
    return installed_version(distribution)


def type_versions(tasks: Iterable[TaskSpecification]) -> dict[str, str]:
    """Return the declared versions of the types that tasks use, keyed by names such as ``mechanism ice``."""
    registry = get_registry()
    used: dict[str, str | None] = {}
    for task in tasks:
        used[f"goal {task.goal.type}"] = registry.goals.get(task.goal.type).version
        used |= {f"mechanism {name}": registry.mechanisms.get(name).version for name, _ in task.mechanisms.groups()}
    return {name: version for name, version in sorted(used.items()) if version is not None}
