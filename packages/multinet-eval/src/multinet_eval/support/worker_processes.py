"""Worker processes, which load the same plugins and leave Ctrl-C to this process; the error where none can start."""

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
"""Starts processes afresh: a copy of one with threads could be stuck in their locks."""


class PluginChoice(NamedTuple):
    """Deviations of a process from the installed plugins: those disabled, and files that are plugins, too."""

    disabled: tuple[str, ...]
    """Names of the plugins that are disabled."""
    files: tuple[str, ...]
    """Files that are plugins, too."""


def begin_worker(chosen: PluginChoice, grace: float) -> None:
    """Initialize a worker: load its plugins, and leave Ctrl-C to the process that started it.

    Args:
        chosen: the plugins of that process (`chosen_plugins`).
        grace: seconds after which the worker ends once that process was killed.

    Raises:
        GridworldError: it cannot start a thread.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with starting("the thread that looks after a worker process"):
        threading.Thread(target=_end_with_parent, args=(grace,), name="parent", daemon=True).start()
    warnings.simplefilter("ignore", PluginWarning)  # that process has told
    set_registry(load_registry(chosen.disabled, files=chosen.files))


def _end_with_parent(grace: float) -> None:
    """End this process, whatever it is busy with, after the one that started it was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    time.sleep(grace)
    os._exit(1)


@contextmanager
def shielded() -> Iterator[None]:
    """Keep SIGINT from processes that this thread starts meanwhile.

    Ctrl-C would end those that are still importing with tracebacks. This process gets its signal afterwards.

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
    """Refuse a main module without a file: workers import it again, and would fail one after another."""
    main = vars(sys.modules["__main__"])
    path = main.get("__file__")
    if path is not None and main.get("__spec__") is None and not Path(path).exists():
        raise GridworldError(
            f"worker processes import the program's main module, and {path} is no file; write the program to a file, "
            "and what it does under `if __name__ == '__main__':`"
        )


def chosen_plugins() -> PluginChoice:
    """Plugins that are disabled in this process, and those in files, for its workers."""
    plugins = get_registry().plugins
    return PluginChoice(
        tuple(record.qualified_name for record in plugins if record.status == "disabled"),
        tuple(record.file for record in plugins if record.file),
    )


def portable(error: BaseException) -> BaseException:
    """An error that can be sent to another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # a plugin's exception may fail in any way to be pickled or made anew
        return PluginFault(f"{type(error).__name__} in a worker: {error}")
    return error


NO_THREAD = "can't start new thread"
"""Python's text for a thread that the system does not let start; it has no exception of its own."""


@contextmanager
def starting(what: str) -> Iterator[None]:
    """Turn the system's refusal of one more thread or process into an error that names it.

    Args:
        what: such as ``a worker process``.

    Raises:
        GridworldError: the system allows no more threads or processes.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and str(error) != NO_THREAD:
            raise
        why = error.strerror if isinstance(error, OSError) else error
        raise GridworldError(
            f"cannot start {what}: {why}; the system allows no more threads and processes here: end others, or ask for "
            "fewer --workers"
        ) from error
