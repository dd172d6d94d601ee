"""Requests in flight when a time limit is reached."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.commands import multinet, run_eval
from support.plugins import install_models
from support.run_folders import results_of, untimed
from support.task_files import write_corridors

MODELS = """
import os
import time
from pathlib import Path

from gridworld.model_interface import AttendedModel, ModelInterface, ModelOutput


class Slow(ModelInterface):
    '''Walks. While a folder exists, the fourth step takes long, and its process is noted in the folder.'''

    model_name = "slow"

    def __init__(self, folder: Path, seconds: float):
        self.folder = folder
        self.seconds = seconds

    def predict(self, input):
        if input.step_number == 3 and self.folder.is_dir():
            (self.folder / str(os.getpid())).touch()
            end = time.monotonic() + self.seconds
            while self.folder.is_dir() and time.monotonic() < end:
                time.sleep(0.02)
        return ModelOutput(action=2)

    def resume_episode(self, episode, steps):
        return True


class Attended(AttendedModel, Slow):
    '''A model whose answers are not awaited once a run is to stop.'''

    def notice(self):
        return "somebody has to answer"
"""


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Plays three corridors with a model of `MODELS`; requests hang while the folder ``hanging`` exists."""
    install_models(monkeypatch, tmp_path / "limits", MODELS, {"slow": "Slow", "attended": "Attended"})
    tasks = write_corridors(tmp_path / "tasks", 5, 5, 5)
    (tmp_path / "hanging").mkdir()

    def play(model: str, seconds: float, *options: object) -> Any:
        arguments = ("-M", f"folder={tmp_path / 'hanging'}", "-M", f"seconds={seconds}", "-B", "render_mode=none")
        return run_eval("-m", model, *arguments, "--task-dir", tasks, "-q", *options)

    return play


def asked_in(folder: Path) -> set[int]:
    """Processes in which requests have hung since the last call."""
    found = {int(path.name) for path in folder.iterdir()}
    for process in found:
        (folder / str(process)).unlink()
    return found


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def steps_in(run: Path) -> list[int]:
    """Number of recorded steps of each episode that has begun."""
    return [path.read_text().count('\n{"step":') for path in sorted((run / "episodes").iterdir())]


def let_go(folder: Path) -> None:
    """Let no more requests hang."""
    assert not asked_in(folder)
    folder.rmdir()


@pytest.mark.more
@pytest.mark.parametrize("workers", [1, 2])
def test_hanging_worker_processes_are_killed_and_the_run_can_be_resumed(
    tmp_path: Path, play: Any, workers: int
) -> None:
    hanging = tmp_path / "hanging"
    for seconds in (6, 12, 24, 48):  # enough for a busy machine to start the processes
        run = tmp_path / f"run-{seconds}"
        options = ("--executor", "processes", "--workers", workers, "--max-time", seconds, "--run-dir", run)
        stopped = play("attended", 600, *options)
        asked = asked_in(hanging)
        if len(asked) == workers:
            break
    assert stopped.exit_code == 1
    assert len(asked) == workers
    assert os.getpid() not in asked
    assert not any(map(is_alive, asked))
    cut = {1: "1 request in flight was abandoned", 2: "2 requests in flight were abandoned"}[workers]
    assert f"the limit of {seconds} seconds is reached, {cut}, after 0 of 3 episodes\n" in stopped.stderr
    assert f"multinet runs resume {run}" in stopped.stderr

    let_go(hanging)
    resumed = multinet("runs", "resume", run, "--executor", "local", "--workers", 1, "-q")
    assert (resumed.exit_code, resumed.stderr) == (0, "")
    assert play("attended", 600, "--output", tmp_path / "whole.json").exit_code == 0
    assert results_of(run) == untimed(json.loads((tmp_path / "whole.json").read_text()))


def test_hanging_threads_are_abandoned_and_the_run_can_be_resumed(tmp_path: Path, play: Any) -> None:
    run = tmp_path / "run"
    stopped = play("attended", 600, "--workers", 2, "--max-time", 1, "--run-dir", run)
    assert stopped.exit_code == 1
    abandoned = "the limit of 1 seconds is reached, 2 requests in flight were abandoned, after 0 of 3 episodes\n"
    assert abandoned in stopped.stderr
    assert asked_in(tmp_path / "hanging") == {os.getpid()}

    let_go(tmp_path / "hanging")
    assert multinet("runs", "resume", run, "-q").exit_code == 0
    assert json.loads((run / "results.json").read_text())["success_rate"] == 1.0


def test_an_answer_that_comes_within_the_grace_is_kept(tmp_path: Path, play: Any) -> None:
    run = tmp_path / "run"
    stopped = play("slow", 2, "--workers", 2, "--max-time", 1, "--run-dir", run)
    assert stopped.exit_code == 1
    assert "the limit of 1 seconds is reached, after 0 of 3 episodes\n" in stopped.stderr
    assert steps_in(run) == [4, 4]


@pytest.mark.more
def test_the_thread_of_the_program_is_not_cut_off_and_that_is_said(tmp_path: Path, play: Any) -> None:
    run = tmp_path / "run"
    stopped = play("attended", 2, "--max-time", 1, "--run-dir", run)
    assert stopped.exit_code == 1
    assert "the program's own thread, which cannot be cut off" in stopped.stderr
    assert "the limit of 1 seconds is reached, after 0 of 3 episodes\n" in stopped.stderr
    assert steps_in(run) == [4]
