"""`RayPool`: workers as actors of a Ray cluster."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from gridworld.errors import ArgumentError, GridworldError, PluginWarning
from gridworld.model_interface import ModelInterface
from gridworld.plugins import load_registry, set_registry
from gridworld.support.wording import how_to_install
from multinet_eval.play.pools.pool import RemoteWorker, ThreadedPool, WorkerLost
from multinet_eval.play.pools.processes import answer_call
from multinet_eval.play.worker import Call, Update, Worker
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.support.worker_processes import PluginChoice, chosen_plugins, portable

CONNECT_SECONDS = 10.0
"""Maximum time in seconds to wait for a cluster to respond."""
CLOSE_SECONDS = 10.0
"""Maximum time in seconds that a worker may take to close its model."""


class RayPool(ThreadedPool):
    """Actors of a Ray cluster, each with its own model and backends.

    There may be more actors than CPUs, since most of them wait for a server. The environment variable ``RAY_ADDRESS``
    has the address of the cluster; without it, a cluster on this machine is started, and ends with the run.

    Args:
        settings: the settings of the run.
        model: the model that was made for this process; not used.
        size: number of workers, at least 1.

    Raises:
        ArgumentError: Ray is not installed, or no cluster responds at the address in ``RAY_ADDRESS``.
    """

    def __init__(self, settings: RunSettings, model: ModelInterface, size: int) -> None:
        super().__init__(settings, model, size)
        self.check_available()
        import ray

        self._ray: Any = ray
        self._started = not self._ray.is_initialized()
        if self._started:
            self._connect()
        self._actor = self._ray.remote(max_restarts=0, max_task_retries=0)(_Actor)

    @classmethod
    def check_available(cls) -> None:
        """Check that Ray is installed; raises ArgumentError otherwise."""
        if find_spec("ray") is None:
            raise ArgumentError(
                f"the executor 'ray' needs Ray, which is not installed: {how_to_install('multinet-eval', 'ray')}"
            )

    def start_worker(self) -> RemoteWorker:
        """Start an actor."""
        return _RayWorker(self._ray, self._actor.remote(pickle.dumps(self.settings), chosen_plugins()))

    def close(self, kill: bool) -> GridworldError | None:
        """Close the workers and leave the cluster, ending it if it was started for this run."""
        fault = super().close(kill)
        if self._started:
            self._ray.shutdown()
        return fault

    def _connect(self) -> None:
        address = os.environ.get("RAY_ADDRESS") or None
        where = "on this machine" if address is None else f"at {address}"
        try:
            _check_reachable(address)
            with _signals_kept():
                self._ray.init(address=address, log_to_driver=False, include_dashboard=False, logging_level="warning")
        except (OSError, ValueError, RuntimeError) as error:
            raise ArgumentError(f"no Ray cluster {where}: {error}") from error


class _RayWorker:
    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray = ray
        self._actor = actor

    def do(self, call: Call) -> list[Update]:
        try:
            found = self._ray.get(self._actor.do.remote(call))
        except self._ray.exceptions.RayError as error:  # such as an actor that has ended or is out of memory
            first_line = str(error).strip().partition("\n")[0]
            raise WorkerLost(f"a Ray worker has ended by itself ({first_line})") from error
        if isinstance(found, BaseException):
            raise found
        updates: list[Update] = found
        return updates

    def close(self) -> GridworldError | None:
        """Let the actor close its model, then end the actor."""
        try:
            found = self._ray.get(self._actor.close.remote(), timeout=CLOSE_SECONDS)
        except (self._ray.exceptions.RayError, TimeoutError):
            found = None
        self._ray.kill(self._actor)
        return found if isinstance(found, GridworldError) else None

    def kill(self) -> None:
        self._ray.kill(self._actor)


class _Actor:
    """An actor with a worker; it returns errors, since Ray would wrap raised ones."""

    def __init__(self, settings: bytes, chosen: PluginChoice) -> None:
        self._worker: Worker | None = None
        self._fault: BaseException | None = None
        try:
            warnings.simplefilter("ignore", PluginWarning)  # the process that started it has shown them
            set_registry(load_registry(chosen.disabled, files=chosen.files))
            self._worker = Worker.of_settings(pickle.loads(settings))
        except BaseException as error:
            self._fault = portable(error)

    def do(self, call: Call) -> list[Update] | BaseException | None:
        """Execute a call."""
        return self._fault if self._worker is None else answer_call(self._worker, call)

    def close(self) -> GridworldError | None:
        """Close model and backends; return the failure, if any."""
        return None if self._worker is None else self._worker.close()


def _check_reachable(address: str | None) -> None:
    """Check that a server listens, since Ray would wait for minutes; raises OSError or ValueError."""
    if address is None:
        return
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname is not None and parts.port is not None:
        socket.create_connection((parts.hostname, parts.port), CONNECT_SECONDS).close()


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Restore the SIGTERM handler, which Ray replaces."""
    former = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is not former:
            signal.signal(signal.SIGTERM, former)
