"""Turns an exception into a `PluginFault` that names its owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gridworld.errors import InvalidAction, PluginFault, TaskError, describe_error

__all__ = ["attributing", "fault"]


@contextmanager
def attributing(owner_of: Callable[[BaseException], str], when: str) -> Iterator[None]:
    """Turn every exception raised inside into a `PluginFault`, except for those that a caller is to blame for.

    Args:
        owner_of: returns the owner of an exception, such as ``backend 'minigrid'``.
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
        raise fault(owner_of(error), when, error) from error


def fault(owner: str, when: str, error: BaseException) -> PluginFault:
    """The fault of one owner."""
    return PluginFault(f"{owner} failed {when}: {describe_error(error)}")
