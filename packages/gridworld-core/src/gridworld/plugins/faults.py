"""Attributes an exception to the plugin that raised it: the registry knows the owner of each hook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from types import CodeType, FunctionType
from typing import Any

import attrs

from gridworld.errors import PluginFault
from gridworld.plugins.catalog import Provided
from gridworld.plugins.registry import get_registry
from gridworld.support.faults import attributing, fault

__all__ = ["backend_name", "blaming", "culprit_of", "fault_of"]


def blaming(otherwise: str, when: str) -> AbstractContextManager[None]:
    """Turn every exception raised inside into a `PluginFault`, except for those that are the caller's fault.

    Args:
        otherwise: the owner of exceptions that no hook has raised, such as ``backend 'minigrid'``.
        when: what was being done, such as ``at step 3``.

    Raises:
        PluginFault: in place of the exception, unless it is one already.
        TaskError, InvalidAction: as they were raised.
    """
    return attributing(lambda error: culprit_of(error) or otherwise, when)


def fault_of(error: BaseException, otherwise: str, when: str) -> PluginFault:
    """A fault that names the owner of the hook that raised an error, such as a mechanism, and its distribution."""
    return fault(culprit_of(error) or otherwise, when, error)


def culprit_of(error: BaseException) -> str | None:
    """The owner of the hook that raised an error, such as a mechanism, with its distribution; None if no hook did."""
    registry = get_registry()
    owners: dict[CodeType, set[str]] = {}
    for catalog in registry.catalogs:
        _add_owners(owners, catalog.kind, catalog)
    found = [owners[code] for code in _codes_raising(error) if code in owners]
    return " or ".join(sorted(found[-1])) if found else None


def backend_name(name: str) -> str:
    """A backend's name for messages, with its distribution where a plugin provides it."""
    owners = sorted({provided.distribution for provided in get_registry().backends if provided.item.name == name})
    return f"backend '{name}' ({' or '.join(owners)})" if owners else f"backend '{name}'"


def _codes_raising(error: BaseException) -> Iterator[CodeType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next


def _add_owners(owners: dict[CodeType, set[str]], kind: str, provided: Iterable[Provided[Any]]) -> None:
    """Map the code of each hook to its owners; a function may serve several."""
    for each in provided:
        for value in attrs.astuple(each.item, recurse=False):
            for code in _codes_of(value):
                owners.setdefault(code, set()).add(each.described(kind))


def _codes_of(hook: object) -> Iterator[CodeType]:
    """The code of a function and of all functions made inside it."""
    pending = [hook.__code__] if isinstance(hook, FunctionType) else []
    while pending:
        code = pending.pop()
        yield code
        pending.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
