"""`ProcessExecutor`: each worker is a process of this machine, which plays what it is sent through a pipe."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Iterable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from gridworld.errors import GridworldError
from multinet_eval.play.news import Job, News, Reply
from multinet_eval.play.pools.executors import Executor, Worker, WorkerLost
from multinet_eval.play.worker import EpisodeWorker
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.support.worker_processes import SPAWN, begin_worker, disabled_plugins, portable, shielded

__all__ = ["ProcessExecutor", "serve"]

CLOSE_SECONDS = 10.0
"""How long a worker may take to close its model."""
REAPING = threading.Lock()
"""Held by whoever starts a process or waits for one: both ask how processes have ended, which is told only once."""


class ProcessExecutor(Executor):
    """Workers that are processes, each with a model and backends of its own."""

    killable = True

    def start_worker(self) -> Worker:
        """A new process."""
        return _ProcessWorker(self.settings)


class _ProcessWorker(Worker):
    def __init__(self, settings: RunSettings) -> None:
        self._here, there = SPAWN.Pipe()
        self._process = SPAWN.Process(
            target=_live, args=(there, settings, disabled_plugins()), name="multinet-worker", daemon=True
        )
        with REAPING, shielded():
            self._process.start()
        there.close()
        self._busy = False

    def play(self, jobs: Iterable[Job]) -> Generator[News, Reply | Job | None, None]:
        """Play episodes in the process."""
        self._send(tuple(jobs))
        while (told := self._receive()) is not None:
            if isinstance(told, BaseException):
                raise told
            try:
                reply = yield told
            except GeneratorExit:
                self._send(GeneratorExit())
                self._receive()
                raise
            self._send(reply)

    def close(self) -> GridworldError | None:
        """Let the process close its model, and end; at once if nobody has waited for what it does."""
        if self._busy:
            self._process.kill()
        try:
            self._send(None)
            found = self._receive() if self._here.poll(CLOSE_SECONDS) else None
        except WorkerLost:
            found = None
        if not self._busy:
            self._process.join(CLOSE_SECONDS)
        self._process.kill()
        self._process.join(CLOSE_SECONDS)
        self._here.close()
        return found if isinstance(found, GridworldError) else None

    def kill(self) -> None:
        """End the process."""
        with REAPING:
            self._process.kill()

    def _send(self, what: Any) -> None:
        self._busy = True
        try:
            self._here.send(what)
        except OSError as error:
            raise self._lost() from error

    def _receive(self) -> Any:
        try:
            told = self._here.recv()
        except (EOFError, OSError) as error:
            raise self._lost() from error
        self._busy = False
        return told

    def _lost(self) -> WorkerLost:
        with REAPING:
            self._process.join(CLOSE_SECONDS)
        return WorkerLost(f"a worker process has ended by itself ({_how(self._process.exitcode)})")


def _how(exit_code: int | None) -> str:
    """How a process has ended, in words."""
    if exit_code is not None and exit_code < 0:
        return f"killed by {signal.Signals(-exit_code).name}"
    return f"exit code {exit_code}"


def _live(pipe: Connection, settings: RunSettings, disabled: tuple[str, ...]) -> None:
    """The life of a worker process: jobs come through the pipe, and news go back."""
    try:
        begin_worker(disabled, grace=CLOSE_SECONDS)  # the driver decides when a run stops
        worker = EpisodeWorker(settings)
    except BaseException as error:
        pipe.recv()
        pipe.send(portable(error))
        return
    try:
        while (jobs := pipe.recv()) is not None:
            serve(pipe, worker, jobs)
        pipe.send(worker.close())
    except (EOFError, ConnectionError):  # the driver has been killed
        worker.close()


def serve(pipe: Connection, worker: EpisodeWorker, jobs: Sequence[Job]) -> None:
    """Play episodes, and send their news; None ends them."""
    news, reply = worker.play(jobs), None
    while isinstance(told := _next(news, reply), News):
        pipe.send(told)
        reply = pipe.recv()
        if isinstance(reply, GeneratorExit):
            news.close()
            told = None
            break
    pipe.send(told)


def _next(news: Generator[News, Reply | Job | None, None], reply: Reply | Job | None) -> News | BaseException | None:
    """The next piece of news, what was raised instead, or None at the end."""
    try:
        return news.send(reply)
    except StopIteration:
        return None
    except Exception as error:  # it is raised by the driver, where it is dealt with
        return portable(error)
