"""Worker processes, which load the same plugins as their parent and leave the terminal's signals to it."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from typing import NamedTuple

from gridworld.errors import GridworldError, PluginFault, PluginWarning
from gridworld.plugins import get_registry, load_registry, set_registry

SPAWN = multiprocessing.get_context("spawn")
"""Starts fresh processes: forking a process with threads can deadlock."""
OF_TERMINALS = (signal.SIGINT, signal.SIGHUP)
"""Signals that a terminal sends to all processes of a program: for Ctrl-C, and when it is closed."""


class PluginChoice(NamedTuple):
    """Differences between the plugins of a process and the installed ones."""

    disabled: tuple[str, ...]
    """Names of disabled plugins."""
    files: tuple[str, ...]
    """Paths of plugin files."""


def begin_worker(chosen: PluginChoice, grace: float) -> None:
    """Initialize a worker: load its plugins, and leave `OF_TERMINALS` to the parent process.

    Args:
        chosen: the parent's plugins (`chosen_plugins`).
        grace: seconds for which the worker outlives the parent.

    Raises:
        GridworldError: the process cannot start a thread.
    """
    for each in OF_TERMINALS:
        signal.signal(each, signal.SIG_IGN)
    with starting("the thread that looks after a worker process"):
        threading.Thread(target=_end_with_parent, args=(grace,), name="parent", daemon=True).start()
    warnings.simplefilter("ignore", PluginWarning)  # that process has shown them
    set_registry(load_registry(chosen.disabled, files=chosen.files))


def _end_with_parent(grace: float) -> None:
    """End this process after its parent was killed, even in the middle of a call."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    time.sleep(grace)
    os._exit(1)


@contextmanager
def shielded() -> Iterator[None]:
    """Shield processes started in the block from `OF_TERMINALS`; this process receives the signals afterwards.

    Otherwise Ctrl-C would end processes that are still importing with tracebacks.

    Raises:
        GridworldError: the processes cannot be started.
    """
    _check_main_module()
    with starting("a worker process"):
        before = signal.pthread_sigmask(signal.SIG_BLOCK, OF_TERMINALS)
        resource_tracker.ensure_running()  # its process has to survive a closed terminal, too; unblocks SIGINT
        signal.pthread_sigmask(signal.SIG_BLOCK, OF_TERMINALS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _check_main_module() -> None:
    """Reject a main module without a file, since workers import it."""
    main = vars(sys.modules["__main__"])
    path = main.get("__file__")
    if path is not None and main.get("__spec__") is None and not Path(path).exists():
        raise GridworldError(
            f"worker processes import the program's main module, and {path} is not a file: write the program to one, "
            "with its actions under `if __name__ == '__main__':`"
        )


def chosen_plugins() -> PluginChoice:
    """Return this process's disabled plugins and plugin files, for its workers."""
    plugins = get_registry().plugins
    return PluginChoice(
        tuple(record.qualified_name for record in plugins if record.status == "disabled"),
        tuple(record.file for record in plugins if record.file),
    )


def portable(error: BaseException) -> BaseException:
    """Return the error, or a `PluginFault` in its place if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # pickling a plugin's exception may raise anything
        return PluginFault(f"{type(error).__name__} in a worker: {error}")
    return error


NO_THREAD = "can't start new thread"
"""Text of Python's RuntimeError when the system refuses a thread."""


@contextmanager
def starting(what: str) -> Iterator[None]:
    """Turn the system's refusal to start a thread or process into a `GridworldError`.

    Args:
        what: its name in the message, such as ``a worker process``.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and str(error) != NO_THREAD:
            raise
        why = error.strerror if isinstance(error, OSError) else error
        raise GridworldError(
            f"cannot start {what}: {why}; the system allows no more threads and processes here: end others, or use "
            "fewer --workers"
        ) from error
