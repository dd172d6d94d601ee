"""Page of a suite: each task with its difficulty, its certificate, and a replay of an optimal run.

The optimal runs are played, recorded in a temporary folder, and then read like any other run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs

from gridworld.errors import GridworldError
from gridworld.generation.certificate import read_certificate
from gridworld.runner.presentation import Presentation
from gridworld.solver.difficulty import known_difficulty
from gridworld.solver.search import TaskSearches
from gridworld.support.wording import counted
from gridworld.task_spec import TaskSpecification
from gridworld.world.world import World
from multinet_eval.analysis.metrics.known_tasks import KnownTask
from multinet_eval.analysis.pages import PageProgress, WrittenPage, say_nothing
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import new_run
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.record.plan import PlannedEpisode, task_hash
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_report.analysis import Boards
from multinet_report.page_file import Blocks, page, write_page
from multinet_report.run_data import read_run_data

PLAYER = "optimal"
RUN_ONLY = ("name", "created", "status", "circumstances", "latency")
"""Fields of the temporary run that do not describe the suite."""


def write_gallery(
    suite: Suite, tilings: Sequence[str], output: Path, max_states: int, progress: PageProgress = say_nothing
) -> WrittenPage:
    """Write a page of a suite.

    Args:
        suite: the suite.
        tilings: the tilings on which its tasks are shown.
        output: the file.
        max_states: maximum number of states of a task for which a shortest plan is searched. Distances, and measures of
            difficulty that need all states, are limited to `MAX_STATES_OF_METRICS`.
        progress: called after each optimal run that is played, and after each that is read.

    Raises:
        ArgumentError: the tasks cannot be played on these tilings.
        GridworldError: the page cannot be written.
    """
    blocks = Blocks()
    halves, runs = count(1), len(suite.tasks) * len(tilings)

    def tell_half() -> None:
        progress(next(halves) // 2, runs)

    with TemporaryDirectory() as scratch:
        directory = _play(suite, tilings, Path(scratch) / "run", max_states, tell_half)
        boards = _MeasuredBoards(max_states)
        reading = read_run_data(directory, "0", blocks, boards, tell_half)
    run = {**reading.data, **dict.fromkeys(RUN_ONLY, "")}
    by_hash = {task_hash(task): task for task in suite.tasks}
    run["episodes"] = [{**row, **_facts(by_hash[row["task"]], row, boards)} for row in run["episodes"]]
    blocks.add_json("index", {"suite": {"name": suite.name, "tasks": len(suite.tasks)}, "runs": [run], "probings": []})
    shows = f"{counted(len(suite.tasks), 'task')} on {counted(len(tilings), 'tiling')}"
    problems, notes = tuple(_told(reading.problems)), tuple(_told(reading.notes))
    return write_page(page(suite.name, blocks), output, shows, problems, notes)


def _play(
    suite: Suite, tilings: Sequence[str], folder: Path, max_states: int, tell_played: Callable[[], object]
) -> RunDirectory:
    arguments = (f"max_states={max_states}",)
    settings = RunSettings(
        model=PLAYER,
        model_arguments=arguments,
        tilings=tuple(tilings),
        presentation=Presentation(observation="none"),
        max_states=max_states,
    )
    run = new_run(settings, suite, make_model(PLAYER, list(arguments)), folder)
    run.play(RunOptions(), _PlayedObserver(tell_played))
    return RunDirectory(folder)


class _PlayedObserver(RunObserver):
    """Calls a function after each episode."""

    def __init__(self, tell_played: Callable[[], object]) -> None:
        self._tell_played = tell_played

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        """Call the function."""
        self._tell_played()


class _MeasuredBoards(Boards):
    """Solved tasks with their difficulty, which needs the same state tables.

    Args:
        max_states: maximum number of states of a task for which a shortest plan is searched.
    """

    def __init__(self, max_states: int) -> None:
        self._most_tabulated = min(max_states, MAX_STATES_OF_METRICS)
        super().__init__(self._most_tabulated)
        self._most_searched = max_states
        self._difficulties: dict[tuple[str, str | None], dict[str, float | None] | None] = {}

    def known(self, directory: RunDirectory, planned: PlannedEpisode) -> KnownTask | None:
        """Return the solved task of an episode, measuring its difficulty once; raises as `Boards.known` does."""
        found = super().known(directory, planned)
        board = planned.task, directory.manifest.backend_on(planned.tiling).tiling
        if found is not None and board not in self._difficulties:
            self._difficulties[board] = self._measure(found.world)
        return found

    def difficulty(self, task: str, tiling: str) -> dict[str, float | None] | None:
        """Return the difficulty of a task, given by its hash, on a tiling; None if unknown."""
        return self._difficulties.get((task, tiling))

    def _measure(self, world: World) -> dict[str, float | None] | None:
        try:
            return known_difficulty(TaskSearches(world, self._most_searched), self._most_tabulated)
        except GridworldError:
            return None


def _facts(task: TaskSpecification, row: Mapping[str, Any], boards: _MeasuredBoards) -> dict[str, Any]:
    """Return the description, difficulty and certificate of a task on the tiling of a row; None where unknown."""
    tiling = row["tiling"]
    return {
        "description": task.description,
        "difficulty": boards.difficulty(row["task"], tiling),
        "certificate": _certificate(task, tiling),
    }


def _certificate(task: TaskSpecification, tiling: str) -> dict[str, Any] | None:
    """Return the certificate in a task's metadata, for one tiling; None if the metadata has none."""
    try:
        held = read_certificate(task)
    except GridworldError:
        return None
    if tiling not in held.optimal_length:
        return None
    origin = None if held.generator is None else attrs.asdict(held.generator)
    return {
        "optimal_length": held.optimal_length[tiling],
        "necessary": held.necessary[tiling],
        "safe": held.safe[tiling],
        "solver": held.solver,
        "origin": origin,
    }


def _told(found: Mapping[str, list[int]]) -> Iterator[str]:
    for text, numbers in found.items():
        yield f"{text} ({counted(len(numbers), 'run')})"
