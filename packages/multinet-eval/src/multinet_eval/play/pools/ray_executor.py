"""`RayExecutor`: each worker is an actor of a Ray cluster."""

from __future__ import annotations

import signal
import socket
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from gridworld.errors import ArgumentError, GridworldError
from gridworld.model_interface import ModelInterface
from gridworld.plugins import load_registry, set_registry
from gridworld.support.installing import how_to_install
from multinet_eval.play.news import Job, News, Reply
from multinet_eval.play.pools.executors import Executor, Worker, WorkerLost
from multinet_eval.play.worker import EpisodeWorker
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.support.worker_processes import disabled_plugins, portable

__all__ = ["RayExecutor"]

CONNECT_SECONDS = 10.0
"""How long a cluster may take to answer at its address."""
CLOSE_SECONDS = 10.0
"""How long a worker may take to close its model."""


class RayExecutor(Executor):
    """Workers that are actors of a Ray cluster, each with a model and backends of its own.

    They are spread over the cluster; there may be more of them than it has CPUs, since most of them wait for a server.

    Args:
        settings: what is asked of the run.
        model: the model that was made for this process; it is not used.
        address: the address of the cluster; by default that of the environment variable ``RAY_ADDRESS``, or else a
            cluster of this machine, for the time of the run.

    Raises:
        ArgumentError: Ray is not installed, or there is no cluster at the address.
    """

    killable = True

    def __init__(self, settings: RunSettings, model: ModelInterface, address: str | None = None) -> None:
        super().__init__(settings, model, address)
        self.check_available()
        import ray

        self._ray: Any = ray
        self._started = not self._ray.is_initialized()
        if self._started:
            self._connect()
        self._actors = self._ray.remote(max_restarts=0, max_task_retries=0)(_Actor)

    @classmethod
    def check_available(cls) -> None:
        """Make sure that Ray is installed; raises ArgumentError if it is not."""
        if find_spec("ray") is None:
            raise ArgumentError(
                f"the executor 'ray' needs Ray, which is not installed: {how_to_install('multinet-eval', 'ray')}"
            )

    def start_worker(self) -> Worker:
        """A new actor."""
        return _RayWorker(self._ray, self._actors.remote(self.settings, disabled_plugins()))

    def close(self) -> None:
        """Leave the cluster; one that was started for this run ends."""
        if self._started:
            self._ray.shutdown()

    def _connect(self) -> None:
        where = "on this machine" if self.address is None else f"at {self.address}"
        try:
            _knock(self.address)
            with _signals_kept():
                self._ray.init(
                    address=self.address, log_to_driver=False, include_dashboard=False, logging_level="warning"
                )
        except (OSError, ValueError, RuntimeError) as error:
            raise ArgumentError(f"no Ray cluster {where}: {error}") from error


class _RayWorker(Worker):
    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray = ray
        self._actor = actor

    def play(self, jobs: Iterable[Job]) -> Generator[News, Reply | Job | None, None]:
        """Play episodes in the actor."""
        told = self._call(self._actor.begin, tuple(jobs))
        while told is not None:
            if isinstance(told, BaseException):
                raise told
            try:
                reply = yield told
            except GeneratorExit:
                self._call(self._actor.leave)
                raise
            told = self._call(self._actor.go_on, reply)

    def close(self) -> GridworldError | None:
        """Let the actor close its model, and end it."""
        try:
            found = self._ray.get(self._actor.close.remote(), timeout=CLOSE_SECONDS)
        except (self._ray.exceptions.RayError, TimeoutError):
            found = None
        self._ray.kill(self._actor)
        return found if isinstance(found, GridworldError) else None

    def kill(self) -> None:
        """End the actor."""
        self._ray.kill(self._actor)

    def _call(self, method: Any, *arguments: Any) -> Any:
        try:
            return self._ray.get(method.remote(*arguments))
        except self._ray.exceptions.RayActorError as error:
            raise WorkerLost(f"a Ray worker has ended by itself ({_first_line(error)})") from error


class _Actor:
    """What lives in the cluster: a worker that is asked for one piece of news after another.

    Errors are returned, not raised: what is raised comes back as an error of Ray.
    """

    def __init__(self, settings: RunSettings, disabled: tuple[str, ...]) -> None:
        self._worker: EpisodeWorker | None = None
        self._fault: BaseException | None = None
        self._news: Generator[News, Reply | Job | None, None] = _no_news()
        try:
            set_registry(load_registry(disabled))
            self._worker = EpisodeWorker(settings)
        except BaseException as error:
            self._fault = portable(error)

    def begin(self, jobs: tuple[Job, ...]) -> News | BaseException | None:
        """Play episodes up to the first piece of news."""
        if self._worker is None:
            return self._fault
        self._news = self._worker.play(jobs)
        return self.go_on(None)

    def go_on(self, reply: Reply | Job | None) -> News | BaseException | None:
        """The next piece of news; None after the last."""
        try:
            return self._news.send(reply)
        except StopIteration:
            return None
        except Exception as error:  # it is raised by the driver, where it is dealt with
            return portable(error)

    def leave(self) -> None:
        """Leave the episodes as they are."""
        self._news.close()

    def close(self) -> GridworldError | None:
        """Close model and backends; returns what went wrong."""
        return None if self._worker is None else self._worker.close()


def _knock(address: str | None) -> None:
    """Make sure that somebody listens: Ray would wait for minutes; raises OSError or ValueError."""
    if address is None:
        return
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname is not None and parts.port is not None:
        socket.create_connection((parts.hostname, parts.port), CONNECT_SECONDS).close()


def _no_news() -> Generator[News, Reply | Job | None, None]:
    yield from ()


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep what a signal does: Ray takes SIGTERM for itself."""
    former = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is not former:
            signal.signal(signal.SIGTERM, former)
