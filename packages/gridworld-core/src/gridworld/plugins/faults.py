"""Attribution of exceptions to plugins: the registry knows the owner of each hook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from types import CodeType
from typing import Any

import attrs

from gridworld.errors import PluginFault
from gridworld.plugins.catalog import Catalog
from gridworld.plugins.known_plugins import TOOLKIT
from gridworld.plugins.loading import CORE_DISTRIBUTION
from gridworld.plugins.registry import get_registry
from gridworld.support.faults import attributing, codes_in, fault, frames_of, functions_of, uncalled
from gridworld.support.import_strings import loaded_object
from gridworld.task_spec import TaskSpecification

Owners = dict[CodeType, set[str]]
"""Owners of functions, by the code of the functions; a function may have several owners."""


def blaming(otherwise: str, when: str) -> AbstractContextManager[None]:
    """Turn every exception raised in the block into a `PluginFault`, except errors of the caller.

    Args:
        otherwise: the owner of exceptions that no hook raised, such as ``backend 'minigrid'``.
        when: the moment, for the message, such as ``at step 3``.

    Raises:
        PluginFault: in place of the exception.
        TaskError, InvalidAction: unchanged.
    """
    return attributing(lambda error: culprit_of(error) or otherwise, when, _foreign_hooks)


def blaming_in(task: TaskSpecification, otherwise: str, when: str) -> AbstractContextManager[None]:
    """Turn exceptions into faults as `blaming` does, while a backend plays a task.

    If no hook raised the exception, a hook may have returned a wrong value: the message names the task's third-party
    mechanism and goal types before `otherwise`.
    """
    return attributing(
        lambda error: culprit_of(error) or " or ".join([*_strangers(task), otherwise]), when, _foreign_hooks
    )


def suspecting(task: TaskSpecification, done: str) -> AbstractContextManager[None]:
    """Turn exceptions into faults as `blaming_in` does, while the core itself processes a task.

    If all types of the task are the core's own, the exception is a defect of the core, and is raised unchanged.

    Args:
        task: the task.
        done: the participle for the message, such as ``solved``.
    """
    when = f"when the task '{task.task_id}' was {done}"
    return attributing(lambda error: culprit_of(error) or " or ".join(_strangers(task)) or None, when, _foreign_hooks)


def fault_of(error: BaseException, otherwise: str, when: str) -> PluginFault:
    """Make a fault that names the owner, with its distribution, of the hook that raised an error."""
    return fault(culprit_of(error) or otherwise, when, error, _foreign_hooks)


def culprit_of(error: BaseException) -> str | None:
    """Find the owner, with its distribution, of the hook that raised an error; None if no hook did."""
    hooks = [each for catalog in get_registry().catalogs for each in _hooks_of(catalog)]
    own: Owners = {}
    reached: Owners = {}
    for owner, hook in hooks:
        _add(own, owner, (code for function in functions_of(hook) for code in codes_in(function.__code__)))
        _add(reached, owner, _codes_reached(hook))
    owners = reached | own  # a hook belongs to its owner, not to other hooks that call it
    found = [owners[code] for code in _codes_raising(error) if code in owners]
    culprits = found[-1] if found else {owner for owner, hook in hooks if uncalled(error, [hook])}
    return " or ".join(sorted(culprits)) or None


def backend_name(name: str) -> str:
    """Return a backend's name in messages, with its distribution if a plugin provides the backend."""
    owners = sorted({provided.distribution for provided in get_registry().backends if provided.item.name == name})
    return f"backend '{name}' ({' or '.join(owners)})" if owners else f"backend '{name}'"


def _strangers(task: TaskSpecification) -> list[str]:
    """List a task's third-party mechanism and goal types, any of which may have returned a wrong value."""
    registry = get_registry()
    used: list[tuple[Catalog[Any], str]] = [(registry.mechanisms, name) for name, _ in task.mechanisms.groups()]
    used.append((registry.goals, task.goal.type))
    return [
        provided.described(catalog.kind)
        for catalog, name in used
        for provided in catalog.meant_by(name)
        if provided.distribution != CORE_DISTRIBUTION
    ]


def _codes_raising(error: BaseException) -> Iterator[CodeType]:
    """Yield the code of each frame in a traceback that was called from another module."""
    caller = None
    for frame, _ in frames_of(error):
        if frame.f_globals is not caller:
            yield frame.f_code
        caller = frame.f_globals


def _hooks_of(catalog: Catalog[Any]) -> Iterator[tuple[str, object]]:
    """Yield (owner, hook) for each hook of a catalog: all fields of descriptors except defaults."""
    for provided in catalog:
        hooks = attrs.asdict(provided.item, recurse=False)
        for field in attrs.fields(type(provided.item)):
            if hooks[field.name] is not field.default:
                yield provided.described(catalog.kind), hooks[field.name]


def _foreign_hooks() -> Iterator[object]:
    """Yield the hooks of third-party plugins, and their imported classes and functions."""
    for catalog in get_registry().catalogs:
        for provided in catalog:
            if provided.distribution not in TOOLKIT:
                values = attrs.asdict(provided.item, recurse=False)
                yield from values.values()
                yield loaded_object(str(values.get("target", "")))


def _add(owners: Owners, owner: str, codes: Iterable[CodeType]) -> None:
    for code in codes:
        owners.setdefault(code, set()).add(owner)


def _codes_reached(hook: object) -> Iterator[CodeType]:
    """Yield the code of a hook, and of all functions of its module that the hook reaches by name."""
    pending = functions_of(hook)
    known: set[CodeType] = set()
    while pending:
        function = pending.pop()
        for code in codes_in(function.__code__):
            if code in known:
                continue
            known.add(code)
            yield code
            named = (function.__globals__.get(name) for name in code.co_names)
            found = (each for value in named for each in functions_of(value))
            pending.extend(each for each in found if each.__globals__ is function.__globals__)
