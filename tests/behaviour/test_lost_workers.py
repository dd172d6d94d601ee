"""The episodes of a killed worker process move to another one and continue after the last recorded step."""

import json
import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from support.commands import Finished, multinet, run_eval
from support.model_servers import ModelServer, model_arguments, write_prompt
from support.plugins import install_models
from support.run_folders import lines_of, requests_of, results_of
from support.task_files import write_corridors
from support.thoroughness import first_by_default

MODELS = """
import os
import signal

from gridworld.model_interface import ModelInterface


class Mortal(ModelInterface):
    '''Kills its process when an episode begins.'''

    model_name = "mortal"

    def begin_episode(self, episode):
        os.kill(os.getpid(), signal.SIGKILL)

    def predict(self, input):
        raise NotImplementedError


class Homely(Mortal):
    '''Can be made only in one process.'''

    def __init__(self, home: int):
        if os.getpid() != home:
            raise LookupError("no room")
"""
LENGTHS = (3, 5, 4, 6)
LOST = "a worker process has ended by itself (killed by SIGKILL)"


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    return write_corridors(tmp_path / "tasks", *LENGTHS)


def workers() -> list[int]:
    """Ids of the worker processes."""
    return [each.pid for each in multiprocessing.active_children() if each.pid]


def play(tasks: Path, run: Path, server: ModelServer, *options: object) -> Finished:
    model = model_arguments(server.url, "seed=1", f"prompt={write_prompt(tasks.parent)}")
    quick = ("--observation", "text", "-B", "render_mode=none")
    return run_eval(*model, *quick, "--task-dir", tasks, "--run-dir", run, *options)


@pytest.mark.parametrize(
    "way", [("--workers", 1, "--batch-size", 3), pytest.param(("--workers", 2), marks=pytest.mark.thorough)]
)
def test_the_episodes_of_a_killed_worker_go_on_elsewhere(tasks: Path, tmp_path: Path, way: tuple[object, ...]) -> None:
    """Workers die while they wait for an answer, and only that answer is lost."""
    killed: list[int] = []

    def forward(max_steps: int, step: int) -> str:
        if step == 3 and not killed:
            killed.extend(workers())
            for process in killed:
                os.kill(process, signal.SIGKILL)
        return "move_forward"

    run = tmp_path / "run"
    with ModelServer(lambda max_steps, step: "move_forward") as server:
        assert play(tasks, tmp_path / "quiet", server).exit_code == 0
    with ModelServer(forward) as server:
        finished = play(tasks, run, server, "--executor", "processes", *way)
    assert finished.exit_code == 0, finished.stderr
    assert 1 <= finished.stderr.count(LOST) <= len(killed)
    assert results_of(run) == results_of(tmp_path / "quiet")
    assert json.loads(multinet("runs", "verify", run, "--json").stdout)["complete"]
    assert requests_of(run) == sum(LENGTHS)
    asked_again = len(server.received) - sum(LENGTHS)
    assert 1 <= asked_again <= max(len(killed), 3), "nothing that was answered is asked again"
    kinds = [[next(iter(line)) for line in lines_of(run, number)] for number in range(len(LENGTHS))]
    assert [each.count("step") for each in kinds] == list(LENGTHS)
    assert [each.count("header") for each in kinds] == [1] * len(LENGTHS), "nothing was played from its start again"
    assert sum(each.count("resumed") for each in kinds) >= 1
    assert workers() == []


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_models(monkeypatch, tmp_path / "mortal", MODELS, {"mortal": "Mortal", "homely": "Homely"})


@pytest.mark.usefixtures("models")
@first_by_default(
    ("model", "said"),
    [
        (("-m", "homely", "-M", f"home={os.getpid()}"), "LookupError: no room"),
        (("-m", "mortal"), "5 workers in a row"),
    ],
    ids=["that cannot be made", "that die again and again"],
)
def test_workers_end_the_run(tasks: Path, tmp_path: Path, model: tuple[str, ...], said: str) -> None:
    options = ("--executor", "processes", "-B", "render_mode=none", "--run-dir", tmp_path / "run")
    finished = run_eval(*model, "--task-dir", tasks, *options)
    assert finished.exit_code == 1
    assert said in finished.stderr
    assert f"multinet runs resume {tmp_path / 'run'}" in finished.stderr
    assert "Traceback" not in finished.stderr
    assert workers() == []
