"""Pools of workers: each has a fixed number of workers, and sends each at most one call at a time.

`Pool` is the interface used by the scheduler. `ThreadedPool` calls workers, wherever they are, from threads of this
process: its subclasses only define how to start a worker.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Protocol

from gridworld.errors import GridworldError
from gridworld.model_interface import ModelInterface
from gridworld.plugins import get_registry
from multinet_eval.play.worker import Call, Update, Worker
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.support.worker_processes import starting

POLL = 0.2
"""Seconds between checks while waiting for a thread, so that signals are handled in the meantime."""
SETTLE = 1.0
"""Seconds to wait for a thread whose worker was killed."""


class WorkerLost(GridworldError):
    """A worker has ended by itself; its jobs can be continued elsewhere."""


class RemoteWorker(Protocol):
    """A worker as seen by its pool, wherever it runs; `Worker` is one in this process."""

    def do(self, call: Call) -> list[Update]:
        """Execute a call (`Worker.do`), and wait for the result.

        Raises:
            WorkerLost: the worker has ended.
            Exception: any exception of `Worker.do`.
        """

    def close(self) -> GridworldError | None:
        """Release the resources of the worker; return the failure, if any."""

    def kill(self) -> None:
        """Terminate the worker immediately if possible, while another thread waits for it."""


class Pool(ABC):
    """The workers that play jobs for a scheduler.

    Args:
        settings: the settings of the run.
        model: the model that was made for this process.
        size: number of workers, at least 1.
    """

    def __init__(self, settings: RunSettings, model: ModelInterface, size: int) -> None:
        self.settings = settings
        self.model = model
        self.size = size

    in_background = True
    """Whether calls run while the scheduler does other work."""

    @classmethod
    def of_run(cls, settings: RunSettings, model: ModelInterface, size: int) -> Pool:
        """Make the pool of a run; takes the same arguments as the class."""
        return cls(settings, model, size)

    @classmethod
    def check_available(cls) -> None:
        """Check that the pool's requirements are installed; raises ArgumentError otherwise."""

    @abstractmethod
    def submit(self, slot: int, call: Call) -> Future[list[Update]]:
        """Send a call to a worker; each slot has at most one call in progress.

        Returns:
            A future with the result or exception of `Worker.do`; WorkerLost if the worker has ended.
        """

    @abstractmethod
    def replace(self, slot: int) -> None:
        """Replace a lost worker; raises GridworldError if the worker cannot be replaced."""

    def watch(self, seconds: float, tell: Callable[[], object]) -> None:
        """Call `tell` if a call that cannot be interrupted is still running after `seconds` seconds."""

    @abstractmethod
    def close(self, kill: bool) -> GridworldError | None:
        """Close all workers.

        Args:
            kill: whether to terminate calls in progress, if possible.

        Returns:
            The last failure, if any.
        """


class InlinePool(Pool):
    """A single worker called in the scheduler's thread, for models that are bound to a thread.

    Args:
        make_worker: makes the worker, in that thread.
        closes: whether model and backends are closed with the pool.
    """

    in_background = False

    def __init__(self, make_worker: Callable[[], Worker], closes: bool = True) -> None:
        self.size = 1
        self._make_worker = make_worker
        self._closes = closes
        self._worker: Worker | None = None
        self._notice: threading.Timer | None = None
        self._lock = threading.Lock()
        self._busy = False

    def submit(self, slot: int, call: Call) -> Future[list[Update]]:
        """Execute the call; KeyboardInterrupt and other exits propagate immediately."""
        future: Future[list[Update]] = Future()
        self._busy = True
        try:
            if self._worker is None:
                self._worker = self._make_worker()
            future.set_result(self._worker.do(call))
        except Exception as error:  # raised when the result is settled, as with any other pool
            future.set_exception(error)
        finally:
            with self._lock:  # the scheduler goes on when a notice has been told
                self._busy = False
        return future

    def replace(self, slot: int) -> None:
        """Never called: the worker cannot be lost."""
        raise NotImplementedError("the worker of the scheduler's own thread cannot be lost")

    def watch(self, seconds: float, tell: Callable[[], object]) -> None:
        """Call `tell` from another thread if a call is still running after `seconds` seconds."""

        def tell_if_busy() -> None:
            with self._lock:
                if self._busy:
                    tell()

        if seconds <= threading.TIMEOUT_MAX:
            self._notice = threading.Timer(max(0.0, seconds), tell_if_busy)
            self._notice.daemon = True
            with starting("the thread that keeps --max-time"):
                self._notice.start()

    def close(self, kill: bool) -> GridworldError | None:
        """Close the worker."""
        if self._notice is not None:
            self._notice.cancel()
        return self._worker.close() if self._closes and self._worker is not None else None


class _SlotThread:
    """Thread that calls one slot's worker; a daemon, so that it never keeps the program from exiting."""

    def __init__(self, name: str, start_worker: Callable[[], RemoteWorker]) -> None:
        self._start_worker = start_worker
        self.calls: SimpleQueue[tuple[Call, Future[list[Update]]] | None] = SimpleQueue()
        self._worker: RemoteWorker | None = None
        self._killed = False
        self.fault: GridworldError | None = None
        """Failure while closing the worker, if any."""
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)

    def kill(self) -> None:
        self._killed = True
        worker = self._worker
        if worker is not None:
            worker.kill()

    def _run(self) -> None:
        while (item := self.calls.get()) is not None:
            call, future = item
            try:
                if self._worker is None:
                    self._worker = self._start_worker()
                    if self._killed:
                        self._worker.kill()
                future.set_result(self._worker.do(call))
            except WorkerLost as error:
                self._worker = None
                future.set_exception(error)
            except BaseException as error:  # raised where the result is settled
                future.set_exception(error)
            del item, call, future
        if self._worker is not None:
            self.fault = self._worker.close()


class ThreadedPool(Pool):
    """A pool with one thread per worker, started at the first call."""

    def __init__(self, settings: RunSettings, model: ModelInterface, size: int) -> None:
        super().__init__(settings, model, size)
        self._threads: dict[int, _SlotThread] = {}

    @abstractmethod
    def start_worker(self) -> RemoteWorker:
        """Start a worker, in the thread that will call it; raises GridworldError if this fails."""

    def submit(self, slot: int, call: Call) -> Future[list[Update]]:
        """Make the call in the thread of the slot."""
        future: Future[list[Update]] = Future()
        if slot not in self._threads:
            made = _SlotThread(f"worker-{slot}", self.start_worker)
            with starting(f"the thread of worker {slot + 1} of {self.size}"):
                made.thread.start()
            self._threads[slot] = made
        self._threads[slot].calls.put((call, future))
        return future

    def replace(self, slot: int) -> None:
        """Do nothing: the thread starts another worker at its next call."""

    def close(self, kill: bool) -> GridworldError | None:
        """Close each worker in its thread, after its current call; wait at most `SETTLE` seconds for killed ones."""
        for each in self._threads.values():
            each.calls.put(None)
        if kill:
            for each in self._threads.values():
                each.kill()
        end = time.monotonic() + SETTLE
        fault = None
        for each in self._threads.values():
            while each.thread.is_alive() and not (kill and time.monotonic() >= end):
                each.thread.join(POLL)
            fault = each.fault or fault
        return fault


class LocalPool(ThreadedPool):
    """Workers in threads of this process, sharing the model if it can be shared."""

    def __init__(self, settings: RunSettings, model: ModelInterface, size: int) -> None:
        super().__init__(settings, model, size)
        self._unused = [model]
        """A model that cannot be shared, until the first worker takes it."""

    @classmethod
    def of_run(cls, settings: RunSettings, model: ModelInterface, size: int) -> Pool:
        """Make the pool of a run; a single worker runs in the calling thread."""
        if size == 1:
            return InlinePool(lambda: Worker.of_settings(settings, model))
        return cls(settings, model, size)

    def start_worker(self) -> RemoteWorker:
        """Make a worker in this process."""
        if self.model.shareable:
            return Worker.of_settings(self.settings, self.model)
        try:
            own = self._unused.pop()
        except IndexError:
            own = None
        return Worker.of_settings(self.settings, own)


def find_pool(name: str) -> type[Pool]:
    """Find an installed executor.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the name.
        ArgumentError: one of its requirements is not installed.
        PluginFault: the executor cannot be imported.
    """
    found: type[Pool] = get_registry().executors.get(name).load()  # type: ignore[assignment]
    found.check_available()
    return found
