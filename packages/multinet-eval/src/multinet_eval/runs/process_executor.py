"""`ProcessExecutor`: each worker is a process of this machine, which plays what it is sent through a pipe."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Generator
from multiprocessing.connection import Connection
from typing import Any

from gridworld.errors import GridworldError, PluginFault
from gridworld.plugins import get_registry, load_registry, set_registry
from multinet_eval.asking.moments import Reply
from multinet_eval.runs.executors import Executor, Worker, WorkerLost
from multinet_eval.runs.settings import RunSettings
from multinet_eval.runs.worker import EpisodeWorker, Job, News

__all__ = ["ProcessExecutor", "disabled_plugins", "serve"]

SPAWN = multiprocessing.get_context("spawn")
"""Starts processes afresh: a copy of one with threads could be stuck in their locks."""
CLOSE_SECONDS = 10.0
"""How long a worker may take to close its model."""


class ProcessExecutor(Executor):
    """Workers that are processes, each with a model and backends of its own."""

    def start_worker(self) -> Worker:
        """A new process."""
        return _ProcessWorker(self.settings)


class _ProcessWorker(Worker):
    def __init__(self, settings: RunSettings) -> None:
        self._here, there = SPAWN.Pipe()
        self._process = SPAWN.Process(
            target=_live, args=(there, settings, disabled_plugins()), name="multinet-worker", daemon=True
        )
        self._process.start()
        there.close()
        self._busy = False

    def play(self, job: Job) -> Generator[News, Reply | None, None]:
        """Play an episode in the process."""
        self._send(job)
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
            found = self._receive()
        except WorkerLost:
            found = None
        self._process.join(CLOSE_SECONDS)
        self._process.kill()
        self._here.close()
        return found if isinstance(found, GridworldError) else None

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
        self._process.join(CLOSE_SECONDS)
        return WorkerLost(f"a worker process has ended by itself (exit code {self._process.exitcode})")


def disabled_plugins() -> tuple[str, ...]:
    """The plugins that are disabled in this process, to be disabled in a worker, too."""
    return tuple(record.qualified_name for record in get_registry().plugins if record.status == "disabled")


def _live(pipe: Connection, settings: RunSettings, disabled: tuple[str, ...]) -> None:
    """The life of a worker process: jobs come through the pipe, and news go back."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides when a run stops
    try:
        set_registry(load_registry(disabled))
        worker = EpisodeWorker(settings)
    except BaseException as error:
        pipe.recv()
        pipe.send(_portable(error))
        return
    try:
        while (job := pipe.recv()) is not None:
            serve(pipe, worker, job)
        pipe.send(worker.close())
    except (EOFError, ConnectionError):  # the driver has been killed
        worker.close()


def serve(pipe: Connection, worker: EpisodeWorker, job: Job) -> None:
    """Play one job, and send its news; None ends them."""
    news, reply = worker.play(job), None
    while isinstance(told := _next(news, reply), News):
        pipe.send(told)
        reply = pipe.recv()
        if isinstance(reply, GeneratorExit):
            news.close()
            told = None
            break
    pipe.send(told)


def _next(news: Generator[News, Reply | None, None], reply: Reply | None) -> News | BaseException | None:
    """The next piece of news, what was raised instead, or None at the end."""
    try:
        return news.send(reply)
    except StopIteration:
        return None
    except Exception as error:
        return _portable(error)


def _portable(error: BaseException) -> BaseException:
    """An error that can be sent to another process."""
    try:
        import pickle

        pickle.loads(pickle.dumps(error))
    except Exception:
        return PluginFault(f"{type(error).__name__} in a worker: {error}")
    return error
