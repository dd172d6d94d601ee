"""Where episodes are played: an executor makes workers, each of which plays one episode, or several in lockstep.

The driver of a run has a thread for each worker, and waits there for its news; where the worker really is, only its
executor knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable

from gridworld.errors import GridworldError, PluginFault, describe_value
from gridworld.model_interface import ModelInterface
from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from multinet_eval.play.news import Job, News, Reply
from multinet_eval.play.worker import EpisodeWorker
from multinet_eval.settings.run_settings import RunSettings

__all__ = [
    "Executor",
    "LocalExecutor",
    "Worker",
    "WorkerLost",
    "find_executor",
]


class WorkerLost(GridworldError):
    """A worker has ended by itself; what it had under way can be gone on with elsewhere."""


class Worker(ABC):
    """Plays episodes."""

    @abstractmethod
    def play(self, jobs: Iterable[Job]) -> Generator[News, Reply | Job | None, None]:
        """Play episodes as `EpisodeWorker.play` does, and raise as it does.

        Raises:
            WorkerLost: the worker has ended; another one has to be made.
        """

    @abstractmethod
    def close(self) -> GridworldError | None:
        """Release what the worker holds; returns what went wrong, if anything."""

    def kill(self) -> None:
        """End the worker at once; called by another thread, where `play` raises WorkerLost then."""


class Executor(ABC):
    """Makes workers.

    Args:
        settings: what is asked of the run.
        model: the model that was made for this process.
        address: where its cluster is, for one that has a cluster; None for the usual one.
    """

    def __init__(self, settings: RunSettings, model: ModelInterface, address: str | None = None) -> None:
        self.settings = settings
        self.model = model
        self.address = address

    killable = False
    """Whether `Worker.kill` ends its workers; a thread of this process cannot be ended."""

    @classmethod
    def check_available(cls) -> None:
        """Make sure that what it needs is installed.

        Raises:
            ArgumentError: it is not.
        """

    @abstractmethod
    def start_worker(self) -> Worker:
        """A new worker.

        Raises:
            GridworldError: it cannot be made.
        """

    def close(self) -> None:
        """Release what the executor holds; its workers have been closed."""


class LocalExecutor(Executor):
    """Workers in threads of this process; they share the model if it may be shared."""

    _made = 0

    def start_worker(self) -> Worker:
        """A worker with this process's model, or one of its own where that cannot be shared."""
        self._made += 1
        own = None if self._made > 1 and not self.model.shareable else self.model
        return _LocalWorker(EpisodeWorker(self.settings, own))


class _LocalWorker(Worker):
    def __init__(self, worker: EpisodeWorker) -> None:
        self._worker = worker

    def play(self, jobs: Iterable[Job]) -> Generator[News, Reply | Job | None, None]:
        return self._worker.play(jobs)

    def close(self) -> GridworldError | None:
        return self._worker.close()


def find_executor(name: str) -> type[Executor]:
    """An installed executor.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the name.
        ArgumentError: what it needs is not installed.
        PluginFault: it cannot be imported, or is none.
    """
    catalog = get_registry().executors
    found: object = load_object(catalog.get(name).target)
    if not isinstance(found, type) or not issubclass(found, Executor):
        raise PluginFault(f"{catalog.describe(name)} is {describe_value(found)}, expected a subclass of Executor")
    found.check_available()
    return found
