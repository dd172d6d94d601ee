"""Processes that work for this one: they know the same plugins, and leave Ctrl-C to it."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

from gridworld.errors import PluginFault
from gridworld.plugins import get_registry, load_registry, set_registry

__all__ = ["SPAWN", "begin_worker", "disabled_plugins", "portable", "shielded"]

SPAWN = multiprocessing.get_context("spawn")
"""Starts processes afresh: a copy of one with threads could be stuck in their locks."""


def begin_worker(disabled: tuple[str, ...]) -> None:
    """The first thing that a worker does: load its plugins, and leave Ctrl-C to the process that has started it.

    Args:
        disabled: the plugins that are disabled there (`disabled_plugins`).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_registry(load_registry(disabled))


@contextmanager
def shielded() -> Iterator[None]:
    """Keep SIGINT from processes that this thread starts meanwhile.

    Ctrl-C would end those that are still importing with tracebacks. What comes for this process is delivered
    afterwards.
    """
    resource_tracker.ensure_running()  # it unblocks SIGINT once it has started its own process
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def disabled_plugins() -> tuple[str, ...]:
    """The plugins that are disabled in this process, to be disabled in a worker, too."""
    return tuple(record.qualified_name for record in get_registry().plugins if record.status == "disabled")


def portable(error: BaseException) -> BaseException:
    """An error that can be sent to another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # a plugin's exception may fail in any way to be pickled or made anew
        return PluginFault(f"{type(error).__name__} in a worker: {error}")
    return error
