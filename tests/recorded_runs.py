"""Records small runs in this process, for tests of what is done with them afterwards."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evaluating import AnsweringModel
from gridworld.model_interface import ModelInterface
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import RunOptions, new_run, open_run
from multinet_eval.record.lock import RunLock
from multinet_eval.record.manifest import Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import BudgetLimits

__all__ = ["add_line", "being_played", "go_on", "record_run"]


class SteeredModel(AnsweringModel):
    """One that nobody asks what it was given: nothing need be drawn for it."""

    @property
    def looks_at_pictures(self) -> bool:
        return False


def record_run(
    path: Path,
    tasks: Iterable[TaskSpecification],
    model: ModelInterface | str = "",
    *,
    named: str = "random",
    requests: int | None = None,
    suite: str = "small",
    **settings: Any,
) -> RunDirectory:
    """Play tasks and record it.

    Args:
        path: the new folder.
        tasks: the tasks.
        model: the model, or the letters that it plays, one after another in all episodes, before it waits.
        named: the installed model that the settings name.
        requests: stop after so many.
        suite: the name of the suite.
        settings: further fields of `RunSettings`.
    """
    given = {"model": named, "backend_arguments": ("tile_size=8",), **settings}
    player = SteeredModel(*model) if isinstance(model, str) else model
    run = new_run(RunSettings(**given), Suite(suite, tuple(tasks)), player, path)
    run.play(RunOptions(limits=BudgetLimits(requests=requests)), RunObserver())
    return RunDirectory(path)


def go_on(path: Path, epochs: int | None = None) -> RunDirectory:
    """Play what is left of a run, with the model that its settings name."""
    run, _ = open_run(path, epochs=epochs)
    run.play(RunOptions(), RunObserver())
    return RunDirectory(path)


@contextmanager
def being_played(path: Path) -> Iterator[None]:
    """Hold a run as a process does that plays it."""
    with RunLock(path):
        yield


def add_line(file: Path, line: str) -> None:
    """Add a line to a file of an episode."""
    with file.open("a", encoding="utf-8") as opened:
        opened.write(line + "\n")
