"""From an exception to the plugin that it came out of, so that an error names whom to tell about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

import attrs

from gridworld.errors import InvalidAction, PluginFault, TaskError, describe_error
from gridworld.plugin_catalog import Provided
from gridworld.plugins import get_registry

__all__ = ["backend_name", "blaming", "culprit_of", "fault_of"]


@contextmanager
def blaming(otherwise: str, when: str) -> Iterator[None]:
    """Turn every exception raised inside into a `PluginFault`, except for those that a caller is to blame for.

    Args:
        otherwise: whom to blame when the exception comes out of no hook, such as ``backend 'minigrid'``.
        when: what was being done, such as ``at step 3``.

    Raises:
        PluginFault: in place of what was raised, unless that is one already.
        TaskError, InvalidAction: as they were raised.
    """
    try:
        yield
    except (InvalidAction, PluginFault, TaskError):
        raise
    except (Exception, SystemExit) as error:
        raise fault_of(error, otherwise, when) from error


def fault_of(error: BaseException, otherwise: str, when: str) -> PluginFault:
    """The fault that names the mechanism or goal type whose hook raised an error, and its distribution."""
    return PluginFault(f"{culprit_of(error) or otherwise} failed {when}: {describe_error(error)}")


def culprit_of(error: BaseException) -> str | None:
    """The mechanism or goal type whose hook raised an error, with its distribution; None if no hook did."""
    owners = _owners((*get_registry().mechanisms, *get_registry().goals))
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


def _owners(provided: Iterable[Provided[Any]]) -> dict[CodeType, set[str]]:
    """The code of each hook to what it belongs to; more than one thing where a function serves several."""
    owners: dict[CodeType, set[str]] = {}
    for each in provided:
        kind = type(each.item).__name__.removesuffix("Type").lower()
        for value in attrs.astuple(each.item, recurse=False):
            for code in _codes_of(value):
                owners.setdefault(code, set()).add(f"{kind} '{each.item.name}' ({each.distribution})")
    return owners


def _codes_of(hook: object) -> Iterator[CodeType]:
    """The code of a function and of all functions made inside it."""
    pending = [hook.__code__] if isinstance(hook, FunctionType) else []
    while pending:
        code = pending.pop()
        yield code
        pending.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
