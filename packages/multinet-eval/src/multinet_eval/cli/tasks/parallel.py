"""Work on many tasks, shared by several processes; what comes of it does not depend on how many there are."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from gridworld.errors import GridworldError, PluginFault
from gridworld.plugins.faults import culprit_of
from gridworld.support.faults import describe_raised
from multinet_eval.support.worker_processes import SPAWN, PluginChoice, begin_worker, chosen_plugins, portable, shielded

Job = TypeVar("Job")
Result = TypeVar("Result")


def core_count() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


@contextmanager
def spread(
    function: Callable[[Job], Result], jobs: Sequence[Job], workers: int | None = None
) -> Iterator[Iterator[Result]]:
    """What a function makes of each job, in the order of the jobs; computed by several processes.

    They end with the ``with`` block, at once if an exception leaves it. No process is started where one is enough.

    Args:
        function: does the work; it, the jobs and the results are sent from process to process.
        jobs: what it is called with.
        workers: how many processes there are at most; by default as many as there are cores.

    Raises:
        PluginFault: inside the block, in place of what the hook of a plugin has raised.
        GridworldError: inside the block, if a process has ended by itself; before it, as `shielded` does.
    """
    count = min(workers or core_count(), len(jobs))
    if count < 2:
        yield (_attempt(function, job) for job in jobs)
        return
    executor = ProcessPoolExecutor(count, SPAWN, _begin, (chosen_plugins(),))
    before = set(multiprocessing.active_children())
    try:
        with shielded():
            pending = [executor.submit(_attempt, function, job) for job in jobs]
        yield _results(pending)
    except BaseException:
        for process in set(multiprocessing.active_children()) - before:
            process.kill()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _results(pending: Sequence[Future[Result]]) -> Iterator[Result]:
    for future in pending:
        try:
            yield future.result()
        except BrokenProcessPool as error:
            message = "a worker process has ended by itself; if memory was short, fewer --workers need less of it"
            raise GridworldError(message) from error


def _begin(chosen: PluginChoice) -> None:
    begin_worker(chosen, grace=0)  # nothing of what it works on is kept


def _attempt(function: Callable[[Job], Result], job: Job) -> Result:
    """What a function makes of a job; what it raises is made fit to be sent."""
    try:
        return function(job)
    except GridworldError as error:
        raise portable(error) from None
    except Exception as error:  # a plugin's hook may raise anything; its traceback cannot be sent
        culprit = culprit_of(error)  # which is seen in the traceback, and that stays here
        if culprit is not None:
            raise PluginFault(f"{culprit} failed: {describe_raised(error)}") from error
        raise portable(error) from error.__cause__
