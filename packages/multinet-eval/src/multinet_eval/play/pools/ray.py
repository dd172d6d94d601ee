"""`RayPool`: each worker is an actor of a Ray cluster."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from gridworld.errors import ArgumentError, GridworldError
from gridworld.model_interface import ModelInterface
from gridworld.plugins import load_registry, set_registry
from gridworld.support.installing import how_to_install
from multinet_eval.play.pools.pool import Pool, WorkerLost
from multinet_eval.play.pools.processes import answer
from multinet_eval.play.worker import Call, Update, Worker
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.support.worker_processes import disabled_plugins, portable

CONNECT_SECONDS = 10.0
"""Time in which a cluster has to answer at its address."""
CLOSE_SECONDS = 10.0
"""Time in which a worker has to close its model."""


class RayPool(Pool):
    """Workers that are actors of a Ray cluster, each with a model and backends of its own.

    They are spread over the cluster; there may be more of them than it has CPUs, since most of them wait for a server.

    Args:
        settings: what is asked of the run.
        model: the model that was made for this process; it is not used.
        size: number of workers, at least 1.
        address: the address of the cluster; by default that of the environment variable ``RAY_ADDRESS``, or else a
            cluster of this machine, for the time of the run.

    Raises:
        ArgumentError: Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, settings: RunSettings, model: ModelInterface, size: int, address: str | None = None) -> None:
        super().__init__(settings, model, size, address)
        self.check_available()
        import ray

        self._ray: Any = ray
        self._started = not self._ray.is_initialized()
        if self._started:
            self._connect()
        self._actor = self._ray.remote(max_restarts=0, max_task_retries=0)(_Actor)
        self._actors: dict[int, Any] = {}

    @classmethod
    def check_available(cls) -> None:
        """Check that Ray is installed; raises ArgumentError if it is not."""
        if find_spec("ray") is None:
            raise ArgumentError(
                f"the executor 'ray' needs Ray, which is not installed: {how_to_install('multinet-eval', 'ray')}"
            )

    def submit(self, slot: int, call: Call) -> Future[list[Update]]:
        """Make the call in the actor of the slot."""
        future: Future[list[Update]] = Future()
        try:
            if slot not in self._actors:
                self._actors[slot] = self._actor.remote(self.settings, disabled_plugins())
            self._actors[slot].do.remote(call).future().add_done_callback(lambda found: self._pass_on(found, future))
        except self._ray.exceptions.RayError as error:
            future.set_exception(_lost(error))
        return future

    def replace(self, slot: int) -> None:
        """Have another actor made at the next call."""
        del self._actors[slot]

    def close(self, kill: bool) -> GridworldError | None:
        """Let the actors close their models, and end them; leave the cluster, which ends if the run has started it."""
        closing = [] if kill else [each.close.remote() for each in self._actors.values()]
        fault = None
        for each in closing:
            try:
                found = self._ray.get(each, timeout=CLOSE_SECONDS)
            except (self._ray.exceptions.RayError, TimeoutError):
                found = None
            fault = found if isinstance(found, GridworldError) else fault
        for actor in self._actors.values():
            self._ray.kill(actor)
        if self._started:
            self._ray.shutdown()
        return fault

    def _pass_on(self, found: Future[Any], future: Future[list[Update]]) -> None:
        """Resolve a future with what an actor returned."""
        error = found.exception()
        if error is not None:
            # Actors that end, and those that a machine has no memory for any more.
            is_lost = isinstance(error, self._ray.exceptions.RayError)
            future.set_exception(_lost(error) if is_lost else error)
        elif isinstance(found.result(), BaseException):
            future.set_exception(found.result())
        else:
            future.set_result(found.result())

    def _connect(self) -> None:
        where = "on this machine" if self.address is None else f"at {self.address}"
        try:
            _check_reachable(self.address)
            with _signals_kept():
                self._ray.init(
                    address=self.address, log_to_driver=False, include_dashboard=False, logging_level="warning"
                )
        except (OSError, ValueError, RuntimeError) as error:
            raise ArgumentError(f"no Ray cluster {where}: {error}") from error


class _Actor:
    """Actor with a worker; errors are returned, since what is raised comes back as an error of Ray."""

    def __init__(self, settings: RunSettings, disabled: tuple[str, ...]) -> None:
        self._worker: Worker | None = None
        self._fault: BaseException | None = None
        try:
            set_registry(load_registry(disabled))
            self._worker = Worker.of_settings(settings)
        except BaseException as error:
            self._fault = portable(error)

    def do(self, call: Call) -> list[Update] | BaseException | None:
        """Do what a call asks for."""
        return self._fault if self._worker is None else answer(self._worker, call)

    def close(self) -> GridworldError | None:
        """Close model and backends; returns what went wrong."""
        return None if self._worker is None else self._worker.close()


def _lost(error: BaseException) -> WorkerLost:
    return WorkerLost(f"a Ray worker has ended by itself ({str(error).strip().partition(chr(10))[0]})")


def _check_reachable(address: str | None) -> None:
    """Check that somebody listens: Ray would wait for minutes; raises OSError or ValueError."""
    if address is None:
        return
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname is not None and parts.port is not None:
        socket.create_connection((parts.hostname, parts.port), CONNECT_SECONDS).close()


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep the handler of SIGTERM, which Ray replaces."""
    former = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is not former:
            signal.signal(signal.SIGTERM, former)
