"""Pools: where models are called. A pool has a fixed number of workers, and calls each of them one call at a time.

`Pool` is all that a scheduler needs. `ThreadedPool` makes it from workers that are called by threads of this process,
wherever they are themselves: most executors subclass it, and say how a worker is started.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Protocol, TypeVar

from gridworld.errors import GridworldError, PluginFault, describe_value
from gridworld.model_interface import ModelInterface
from gridworld.plugins import get_registry
from gridworld.support.faults import definition_of
from gridworld.support.import_strings import load_object
from gridworld.support.wording import shorten
from multinet_eval.play.worker import Call, Update, Worker
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.support.worker_processes import starting

T = TypeVar("T")

LOOK = 0.2
"""Seconds between two looks at a thread that is waited for, so that signals are handled meanwhile."""
OF_AN_OLDER_VERSION = (
    "executors of multinet-eval 0.1, which yield news, have to be ported: subclass ThreadedPool, and return a "
    "RemoteWorker from start_worker"
)
SETTLE = 1.0
"""Seconds in which a thread whose worker was killed has ended."""


class WorkerLost(GridworldError):
    """A worker has ended by itself; its jobs can be continued elsewhere."""


def unexpected(value: object, expected: str, method: Callable[..., object]) -> PluginFault:
    """The fault of an executor whose method returned an unexpected value."""
    owner = f"executor {method.__qualname__}"
    return PluginFault(
        f"{owner} returned {shorten(describe_value(value))}, expected {expected} {definition_of(method)}"
    )


def expect(value: T, kind: type, method: Callable[..., object]) -> T:
    """The value that an executor's method returned; raises PluginFault unless it is of a type."""
    if not isinstance(value, kind):
        raise unexpected(value, f"a {kind.__name__}", method)
    return value


class RemoteWorker(Protocol):
    """A worker as its pool sees it, wherever it is; `Worker` is one that is in this process."""

    def do(self, call: Call) -> list[Update]:
        """Have the worker do what a call asks for (`Worker.do`), and wait for it.

        Raises:
            WorkerLost: the worker has ended.
            Exception: whatever `Worker.do` raised.
        """

    def close(self) -> GridworldError | None:
        """Release what the worker holds; returns what went wrong, if anything."""

    def kill(self) -> None:
        """End the worker at once, while another thread waits for it; does nothing for one that cannot be ended."""


class Pool(ABC):
    """Workers that play jobs for a scheduler.

    Args:
        settings: what is asked of the run.
        model: the model that was made for this process.
        size: number of workers, at least 1.
        address: address of the cluster, for a pool that has one; None for the default.
    """

    def __init__(self, settings: RunSettings, model: ModelInterface, size: int, address: str | None = None) -> None:
        self.settings = settings
        self.model = model
        self.size = size
        self.address = address

    in_background = True
    """Whether calls go on while the scheduler does something else."""

    @classmethod
    def of_run(cls, settings: RunSettings, model: ModelInterface, size: int, address: str | None = None) -> Pool:
        """The pool of a run; the arguments are those of the class."""
        return cls(settings, model, size, address)

    @classmethod
    def check_available(cls) -> None:
        """Check that what the pool needs is installed; raises ArgumentError if it is not."""

    @abstractmethod
    def submit(self, slot: int, call: Call) -> Future[list[Update]]:
        """Have a worker do what a call asks for; only one call of a slot is under way at a time.

        Returns:
            What `Worker.do` returns or raises; WorkerLost if the worker has ended.
        """

    @abstractmethod
    def replace(self, slot: int) -> None:
        """Have another worker take the place of one that was lost; raises GridworldError if there can be none."""

    @abstractmethod
    def close(self, kill: bool) -> GridworldError | None:
        """Close all workers.

        Args:
            kill: whether calls are under way that nobody waits for; they are ended where that is possible.

        Returns:
            The last thing that went wrong, if any.
        """

    def watch(self, at: float, tell: Callable[[], object]) -> None:
        """Call `tell` if a call that cannot be cut off is still being made at a time of `time.monotonic`."""


class InlinePool(Pool):
    """One worker that is called in the thread of the scheduler, so that models that are bound to a thread work.

    Args:
        make_worker: makes the worker, in that thread.
    """

    in_background = False

    def __init__(self, make_worker: Callable[[], Worker]) -> None:
        self.size = 1
        self._make_worker = make_worker
        self._worker: Worker | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._busy = False

    def submit(self, slot: int, call: Call) -> Future[list[Update]]:
        """Make the call; KeyboardInterrupt and other exits are raised at once."""
        future: Future[list[Update]] = Future()
        self._busy = True
        try:
            if self._worker is None:
                self._worker = self._make_worker()
            future.set_result(self._worker.do(call))
        except Exception as error:  # it is raised where the result is settled, as that of any other pool
            future.set_exception(error)
        finally:
            with self._lock:  # not while the scheduler is told that the call takes too long
                self._busy = False
        return future

    def replace(self, slot: int) -> None:
        """Never called: the worker cannot be lost."""
        raise NotImplementedError("the worker of the scheduler's own thread cannot be lost")

    def close(self, kill: bool) -> GridworldError | None:
        """Close the worker."""
        self._over.set()
        return None if self._worker is None else self._worker.close()

    def watch(self, at: float, tell: Callable[[], object]) -> None:
        """Tell, by another thread, while a call is still being made at that time."""

        def wait() -> None:
            if not self._over.wait(max(0.0, at - time.monotonic())):
                with self._lock:
                    if self._busy:
                        tell()

        if at - time.monotonic() <= threading.TIMEOUT_MAX:
            with starting("the thread that keeps --max-time"):
                threading.Thread(target=wait, name="time-limit", daemon=True).start()


class _SlotThread:
    """The thread that calls the worker of one slot; it ends with the program, whatever it waits for."""

    def __init__(self, name: str, start_worker: Callable[[], RemoteWorker]) -> None:
        self._start_worker = start_worker
        self.calls: SimpleQueue[tuple[Call, Future[list[Update]]] | None] = SimpleQueue()
        self._worker: RemoteWorker | None = None
        self._killed = False
        self.fault: GridworldError | None = None
        """Failure of closing the worker."""
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)

    def end(self) -> None:
        """Close the worker, after the present call."""
        self.calls.put(None)

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
                    if self._worker is None:
                        raise unexpected(None, "a RemoteWorker", self._start_worker)
                    if self._killed:
                        self._worker.kill()
                future.set_result(expect(self._worker.do(call), list, self._worker.do))
            except WorkerLost as error:
                self._worker = None
                future.set_exception(error)
            except BaseException as error:  # it is raised where the result is waited for
                future.set_exception(error)
            del item, call, future
        if self._worker is not None:
            self.fault = self._worker.close()


class ThreadedPool(Pool):
    """Workers that are called by a thread each, started when they are first called."""

    def __init__(self, settings: RunSettings, model: ModelInterface, size: int, address: str | None = None) -> None:
        super().__init__(settings, model, size, address)
        self._threads: dict[int, _SlotThread] = {}

    @abstractmethod
    def start_worker(self) -> RemoteWorker:
        """A new worker, made in the thread that calls it; raises GridworldError if it cannot be made."""

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
        """Do nothing: the thread starts another worker at the next call."""

    def close(self, kill: bool) -> GridworldError | None:
        """Close the workers, each in its thread; those that are killed are waited for `SETTLE` seconds."""
        for each in self._threads.values():
            each.end()
        if kill:
            for each in self._threads.values():
                each.kill()
        end = time.monotonic() + SETTLE
        fault = None
        for each in self._threads.values():
            while each.thread.is_alive() and not (kill and time.monotonic() >= end):
                each.thread.join(LOOK)
            fault = each.fault or fault
        return fault


class LocalPool(ThreadedPool):
    """Workers in threads of this process; they share the model, unless each but the first has to make its own."""

    def __init__(self, settings: RunSettings, model: ModelInterface, size: int, address: str | None = None) -> None:
        super().__init__(settings, model, size, address)
        self._unused = [model]
        """The model, until the first worker has it, where it cannot be shared."""

    @classmethod
    def of_run(cls, settings: RunSettings, model: ModelInterface, size: int, address: str | None = None) -> Pool:
        """The pool of a run, which has one worker called in the calling thread."""
        if size == 1:
            return InlinePool(lambda: Worker.of_settings(settings, model))
        return cls(settings, model, size, address)

    def start_worker(self) -> RemoteWorker:
        """A worker of a thread."""
        if self.model.shareable:
            return Worker.of_settings(self.settings, self.model)
        try:
            own = self._unused.pop()
        except IndexError:
            return Worker.of_settings(self.settings)
        return Worker.of_settings(self.settings, own)


def find_pool(name: str) -> type[Pool]:
    """An installed executor.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the name.
        ArgumentError: what it needs is not installed.
        PluginFault: it cannot be imported, or is not a pool.
    """
    catalog = get_registry().executors
    try:
        found: object = load_object(catalog.get(name).target)
    except PluginFault as fault:
        if "multinet_eval.runs" not in str(fault):
            raise
        raise PluginFault(f"{fault}; {OF_AN_OLDER_VERSION}") from fault
    if not isinstance(found, type) or not issubclass(found, Pool):
        described = f"{catalog.describe(name)} is {describe_value(found)}"
        raise PluginFault(f"{described}, expected a subclass of multinet_eval.Pool; {OF_AN_OLDER_VERSION}")
    found.check_available()
    return found
