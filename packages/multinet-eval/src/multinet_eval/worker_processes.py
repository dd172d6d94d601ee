"""Processes that work for this one: they know the same plugins, and leave Ctrl-C to it."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import resource_tracker

import attrs

from gridworld.errors import PluginFault
from gridworld.plugins import get_registry, load_registry, set_registry

__all__ = ["PROCESSES", "Surroundings", "disabled_plugins", "portable", "shielded"]

PROCESSES = multiprocessing.get_context("forkserver")
"""Starts processes that are no copies of this one: a copy of one with threads could be stuck in their locks.

They are copies of one that is started for it and imports, once, what all of them need.
"""
PROCESSES.set_forkserver_preload(
    [
        "gridworld.builtin",
        "gridworld.solver.search",
        "multinet_eval.cli.tasks.spreading",
        "multinet_eval.plugin",
        "multinet_eval.runs.process_executor",
    ]
)


@attrs.frozen
class Surroundings:
    """What workers are to have as this process has it: they are not forked from this one."""

    disabled: tuple[str, ...]
    """The plugins that are disabled."""
    variables: Mapping[str, str] = attrs.field(repr=False)
    """Those of the environment."""

    @classmethod
    def here(cls) -> Surroundings:
        """Those of this process."""
        return cls(disabled_plugins(), dict(os.environ))

    def enter(self) -> None:
        """The first thing that a worker does; it also leaves Ctrl-C to the process that has started it."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.environ.clear()
        os.environ.update(self.variables)
        set_registry(load_registry(self.disabled))


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
