"""Parallel work on many things, such as tasks and episodes, with results independent of the number of processes."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from typing import Protocol, TypeVar

import attrs

from gridworld.errors import GridworldError
from multinet_eval.support.worker_processes import SPAWN, begin_worker, chosen_plugins, portable, shielded

Job = TypeVar("Job")
Result = TypeVar("Result")


TOGETHER = 32
"""Number of episodes that a worker process reads at a time."""
AHEAD = 4
"""Number of jobs for each process that are done before their results are taken."""


class Track(Protocol):
    """Yields results while it shows how many of the total there are."""

    def __call__(self, rows: Iterable[Result], total: int, description: str) -> Iterator[Result]:
        """Yield the results."""


def _untracked(rows: Iterable[Result], total: int, description: str) -> Iterator[Result]:
    yield from rows


@attrs.frozen
class Work:
    """A way of working: in how many processes, and how the progress is shown."""

    workers: int = 1
    track: Track = _untracked

    def map(
        self,
        function: Callable[[Job], Result],
        jobs: Sequence[Job],
        description: str,
        here: Callable[[Job], Result] | None = None,
    ) -> Iterator[Result]:
        """Yield the results of a function for jobs, in order; raises as `parallel_map` does.

        Args:
            function: the work.
            jobs: its arguments.
            description: what is done, for the bar.
            here: the work in this process, where it does not have to be picklable; by default `function`.
        """
        alone = min(self.workers, len(jobs)) < 2
        if jobs:
            with parallel_map(here or function if alone else function, jobs, self.workers) as results:
                yield from self.track(results, len(jobs), description)

    def map_together(
        self,
        function: Callable[[Sequence[Job]], Sequence[Result]],
        jobs: Sequence[Job],
        description: str,
        here: Callable[[Sequence[Job]], Sequence[Result]] | None = None,
    ) -> Iterator[Result]:
        """Yield the results for jobs of which `TOGETHER` at a time are worth sending; arguments as for `map`."""
        parts = [jobs[start : start + TOGETHER] for start in range(0, len(jobs), TOGETHER)]
        return chain.from_iterable(self.map(function, parts, description, here))


ALONE = Work()
"""Work in this process, without a bar."""


def core_count() -> int:
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


@contextmanager
def parallel_map(
    function: Callable[[Job], Result], jobs: Sequence[Job], workers: int | None = None
) -> Iterator[Iterator[Result]]:
    """Apply a function to jobs in several processes, and yield an iterator of the results in order.

    The processes end with the ``with`` block, at once if an exception leaves it. A single job or worker needs none.

    Args:
        function: the work; it, the jobs and the results must be picklable.
        jobs: its arguments.
        workers: maximum number of processes; by default the number of cores.

    Raises:
        GridworldError: inside the block if a process died; before the block, as `shielded` does.
    """
    count = min(workers or core_count(), len(jobs))
    if count < 2:
        yield (_attempt(function, job) for job in jobs)
        return
    executor = ProcessPoolExecutor(count, SPAWN, begin_worker, (chosen_plugins(), 0))  # no grace: nothing is kept
    before = set(multiprocessing.active_children())
    try:
        left = iter(jobs)
        with shielded():
            pending = deque(executor.submit(_attempt, function, job) for job in islice(left, AHEAD * count))
        yield _results(pending, (executor.submit(_attempt, function, job) for job in left))
    except BaseException:
        for process in set(multiprocessing.active_children()) - before:
            process.kill()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _results(pending: deque[Future[Result]], more: Iterator[Future[Result]]) -> Iterator[Result]:
    """Yield results in order, and submit a job for each."""
    while pending:
        try:
            result = pending.popleft().result()
            pending.extend(islice(more, 1))
        except BrokenProcessPool as error:
            message = "a worker process has ended by itself; if memory was short, use fewer --workers"
            raise GridworldError(message) from error
        yield result


def _attempt(function: Callable[[Job], Result], job: Job) -> Result:
    """Call a function, with exceptions made picklable."""
    try:
        return function(job)
    except Exception as error:
        raise portable(error) from error.__cause__
