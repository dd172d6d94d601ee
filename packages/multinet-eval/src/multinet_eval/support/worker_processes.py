"""Processes that work for this one: they know the same plugins, and leave Ctrl-C to it."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path

from gridworld.errors import GridworldError, PluginFault
from gridworld.plugins import get_registry, load_registry, set_registry
from multinet_eval.support.starting import starting

__all__ = ["SPAWN", "begin_worker", "disabled_plugins", "portable", "shielded"]

SPAWN = multiprocessing.get_context("spawn")
"""Starts processes afresh: a copy of one with threads could be stuck in their locks."""


def begin_worker(disabled: tuple[str, ...], grace: float) -> None:
    """The first thing that a worker does: load its plugins, and leave Ctrl-C to the process that has started it.

    Args:
        disabled: the plugins that are disabled there (`disabled_plugins`).
        grace: the seconds after which the worker is ended if that process has been killed.

    Raises:
        GridworldError: it cannot start a thread.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with starting("the thread that looks after a worker process"):
        threading.Thread(target=_end_with_parent, args=(grace,), name="parent", daemon=True).start()
    set_registry(load_registry(disabled))


def _end_with_parent(grace: float) -> None:
    """End this process when the one that has started it is killed: nobody else would, whatever it is busy with."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    time.sleep(grace)
    os._exit(1)


@contextmanager
def shielded() -> Iterator[None]:
    """Keep SIGINT from processes that this thread starts meanwhile.

    Ctrl-C would end those that are still importing with tracebacks. What comes for this process is delivered
    afterwards.

    Raises:
        GridworldError: they cannot be started.
    """
    _check_main_module()
    with starting("a worker process"):
        resource_tracker.ensure_running()  # it unblocks SIGINT once it has started its own process
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _check_main_module() -> None:
    """Workers run the program's main module again, under another name; they would fail one after another."""
    main = vars(sys.modules["__main__"])
    path = main.get("__file__")
    if path is not None and main.get("__spec__") is None and not Path(path).exists():
        raise GridworldError(
            f"worker processes import the program's main module, and {path} is no file; write the program to a file, "
            "and what it does under `if __name__ == '__main__':`"
        )


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
