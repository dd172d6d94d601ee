"""A worker process that is killed: what it played goes on on another from the last step that was recorded."""

import json
import multiprocessing
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from gridworld.errors import GridworldError
from gridworld.runner.record import Step
from multinet_adapters.testing.model_servers import MODEL, serve
from multinet_eval.play.observers import Place, RunObserver
from multinet_eval.play.pools.executors import Executor, Worker, WorkerLost
from multinet_eval.play.pools.process_executor import ProcessExecutor
from multinet_eval.play.session import StopReason
from multinet_eval.record.plan import PlannedEpisode
from playing_runs import answer_by_text, make_run, play_run, results_of


class Killer(RunObserver):
    """Kills all worker processes at each of some steps of the run, counted from 1."""

    def __init__(self, *at: int) -> None:
        self._at = at
        self._steps = 0
        self.said: list[str] = []
        self.begun: list[int] = []

    def episode_started(self, episode: PlannedEpisode, header: Any) -> None:
        self.begun.append(episode.number)

    def step_taken(self, episode: PlannedEpisode, step: Step, place: Place) -> None:
        self._steps += 1
        if self._steps in self._at:
            for process in workers():
                os.kill(process, signal.SIGKILL)

    def worker_lost(self, message: str) -> None:
        self.said.append(message)


def workers() -> list[int]:
    """The ids of the worker processes."""
    return [each.pid for each in multiprocessing.active_children() if each.name == "multinet-worker" and each.pid]


def kinds(directory: Path) -> dict[str, list[str]]:
    """File of an episode to the kinds of its lines."""
    return {
        path.name: [next(iter(json.loads(line))) for line in path.read_text().splitlines()]
        for path in (directory / "episodes").iterdir()
    }


@pytest.mark.parametrize(
    "way", [{"workers": 2}, pytest.param({"workers": 1, "batch_size": 3}, marks=pytest.mark.thorough)]
)
def test_the_episodes_of_a_killed_worker_go_on_elsewhere(six_tasks: Path, tmp_path: Path, way: dict[str, Any]) -> None:
    play_run(make_run(six_tasks, tmp_path / "quiet", "random"))
    killer = Killer(7, 31)
    outcome = play_run(make_run(six_tasks, tmp_path / "killed", "random"), killer, executor="processes", **way)
    assert outcome.stopped is None
    assert results_of(tmp_path / "killed") == results_of(tmp_path / "quiet")
    assert set(killer.said) == {"a worker process has ended by itself (killed by SIGKILL)"}
    assert len(killer.said) >= 2
    lines = kinds(tmp_path / "killed")
    assert len(lines) == 6, "nothing was played from its start again"
    again = sum(kinds.count("resumed") for kinds in lines.values())
    assert len(killer.begun) == 6 + again
    assert again >= 2
    assert workers() == []


def test_what_a_killed_worker_was_told_is_not_asked_again(six_tasks: Path, tmp_path: Path) -> None:
    with serve(answer_by_text) as server:
        arguments = (f"base_url={server.ollama_url}", f"model={MODEL}")
        run = make_run(six_tasks, tmp_path / "run", "ollama", arguments, backend_arguments=("tile_size=8",))
        outcome = play_run(run, Killer(9), executor="processes", workers=1)
        assert outcome.stopped is None
        # The worker dies while it waits to be told to go on, so no reply was on its way.
        assert len(server.chats) == outcome.spent.requests


def test_workers_that_die_again_and_again_end_the_run(six_tasks: Path, tmp_path: Path) -> None:
    class Merciless(RunObserver):
        def episode_started(self, episode: PlannedEpisode, header: Any) -> None:
            os.kill(min(workers()), signal.SIGKILL)

    outcome = play_run(make_run(six_tasks, tmp_path / "run", "random"), Merciless(), executor="processes")
    assert outcome.stopped is not None
    assert outcome.stopped.reason is StopReason.FAILED
    assert isinstance(outcome.stopped.error, WorkerLost)
    assert "5 workers in a row" in str(outcome.stopped.error)


def test_a_worker_that_is_lost_when_the_run_has_stopped_goes_on_nowhere(
    six_tasks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those are that end with a program which does not wait for them any longer."""
    first, both = threading.Lock(), threading.Barrier(2)

    def start_worker(executor: Executor) -> Worker:
        is_first = first.acquire(blocking=False)
        both.wait()
        if is_first:
            raise KeyboardInterrupt
        for thread in threading.enumerate():
            if thread.name.startswith("lane-") and thread is not threading.current_thread():
                thread.join()
        raise WorkerLost("killed by SIGTERM")

    monkeypatch.setattr(ProcessExecutor, "start_worker", start_worker)
    observer = Killer()
    outcome = play_run(make_run(six_tasks, None, "random"), observer, executor="processes", workers=2)
    assert outcome.stopped is not None
    assert (outcome.stopped.reason, observer.said) == (StopReason.INTERRUPTED, [])


def test_a_run_whose_workers_cannot_be_made_is_at_no_task(six_tasks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start_worker(executor: Executor) -> Worker:
        raise GridworldError("no room")

    monkeypatch.setattr(ProcessExecutor, "start_worker", start_worker)
    outcome = play_run(make_run(six_tasks, None, "random"), executor="processes")
    assert outcome.stopped is not None
    assert (outcome.stopped.message, str(outcome.stopped.error)) == ("stopped before the next task", "no room")
