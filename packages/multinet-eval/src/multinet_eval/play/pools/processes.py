"""`ProcessPool`: worker processes on this machine that receive calls through pipes."""

from __future__ import annotations

import pickle
import signal
import threading
from multiprocessing.connection import Connection
from typing import Any

from gridworld.errors import GridworldError
from multinet_eval.play.pools.pool import RemoteWorker, ThreadedPool, WorkerLost
from multinet_eval.play.worker import Call, Update, Worker
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.support.worker_processes import SPAWN, PluginChoice, begin_worker, chosen_plugins, portable, shielded

CLOSE_SECONDS = 10.0
"""Maximum time in seconds that a worker may take to close its model."""
REAPING = threading.Lock()
"""Held while starting or waiting for a process: both collect exit codes, which the system reports only once."""


class ProcessPool(ThreadedPool):
    """Worker processes, each with its own model and backends."""

    def start_worker(self) -> RemoteWorker:
        """Start a process."""
        return _ProcessWorker(self.settings)


class _ProcessWorker:
    def __init__(self, settings: RunSettings) -> None:
        self._here, there = SPAWN.Pipe()
        self._process = SPAWN.Process(
            target=_live, args=(there, pickle.dumps(settings), chosen_plugins()), name="multinet-worker", daemon=True
        )
        with REAPING, shielded():
            self._process.start()
        there.close()

    def do(self, call: Call) -> list[Update]:
        found = self._exchange(call)
        if isinstance(found, BaseException):
            raise found
        updates: list[Update] = found
        return updates

    def close(self) -> GridworldError | None:
        """Let the process close its model and exit; kill it if it does not."""
        try:
            self._here.send(None)
            found = self._here.recv() if self._here.poll(CLOSE_SECONDS) else None
        except (EOFError, OSError):
            found = None
        self._process.join(CLOSE_SECONDS)
        self._process.kill()
        self._process.join(CLOSE_SECONDS)
        self._here.close()
        return found if isinstance(found, GridworldError) else None

    def kill(self) -> None:
        with REAPING:
            self._process.kill()

    def _exchange(self, call: Call) -> Any:
        try:
            self._here.send(call)
            return self._here.recv()
        except (EOFError, OSError) as error:
            with REAPING:
                self._process.join(CLOSE_SECONDS)
            code = self._process.exitcode
            how = f"killed by {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
            raise WorkerLost(f"a worker process has ended by itself ({how})") from error


def _live(pipe: Connection, settings: bytes, chosen: PluginChoice) -> None:
    """Run a worker process: execute calls from the pipe, and send back the results.

    The settings are unpickled last, since they may refer to plugins in files, which must be loaded first.
    """
    try:
        begin_worker(chosen, grace=CLOSE_SECONDS)  # the scheduler decides when a run stops
        worker = Worker.of_settings(pickle.loads(settings))
    except BaseException as error:
        pipe.recv()
        pipe.send(portable(error))
        return
    try:
        while (call := pipe.recv()) is not None:
            pipe.send(answer_call(worker, call))
        pipe.send(worker.close())
    except (EOFError, ConnectionError):  # the scheduler's process has been killed
        worker.close()


def answer_call(worker: Worker, call: Call) -> list[Update] | BaseException:
    """Execute a call; return its result or exception in picklable form."""
    try:
        return worker.do(call)
    except Exception as error:  # raised by the scheduler's process
        return portable(error)
