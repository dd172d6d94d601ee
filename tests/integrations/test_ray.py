"""Runs on a real Ray cluster of this machine."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray

from gridworld.runner.record import Step
from multinet_adapters.testing.model_servers import MODEL, serve
from multinet_eval.play.observers import RecordedPose, RunObserver
from multinet_eval.record.plan import PlannedEpisode
from support.plugins import write_distribution
from support.programs import run
from support.runs import answer_by_text, make_run, play_run, results_of, write_corridor
from support.worlds import door, key


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites") / "small"
    for number, row in enumerate(("@.G", "@....G", "@.....G")):
        write_corridor(folder, f"corridor_{number}", row, max_steps=5 + 6 * number)
    write_corridor(folder, "door", "@kD.G", tier=2, max_steps=30, k=key(), D=door("red"))
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster that several runs use."""
    context = ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield context.address_info["address"]
    ray.shutdown()


def actors() -> list[int]:
    """The ids of the processes of our workers: grandchildren of this one."""
    found = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and _is_actor(path)]
    return sorted(found)


def _is_actor(process: Path) -> bool:
    try:
        title = (process / "cmdline").read_bytes()
        return title.startswith(b"ray::_Actor") and _parent(_parent(int(process.name))) == os.getpid()
    except (FileNotFoundError, ProcessLookupError):
        return False


def _parent(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("PPid:")).split()[1])


class Killer(RunObserver):
    """Kills one of our workers at a step of the run."""

    def __init__(self, at: int) -> None:
        self._left = at
        self.said: list[str] = []

    def step_taken(self, episode: PlannedEpisode, step: Step, place: RecordedPose) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(actors()[0], signal.SIGKILL)

    def worker_lost(self, message: str) -> None:
        self.said.append(message)


@pytest.mark.parametrize("model", ["random", "greedy", "optimal"])
@pytest.mark.usefixtures("cluster")
def test_a_run_on_a_cluster_comes_to_the_same_results(tasks: Path, tmp_path: Path, model: str) -> None:
    play_run(make_run(tasks, tmp_path / "here", model, epochs=2))
    outcome = play_run(make_run(tasks, tmp_path / "there", model, epochs=2), executor="ray", workers=3)
    assert outcome.stopped is None
    assert results_of(tmp_path / "there") == results_of(tmp_path / "here")


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("way", [{"workers": 2}, {"workers": 2, "batch_size": 2}])
def test_the_episodes_of_a_killed_worker_go_on_elsewhere(tasks: Path, tmp_path: Path, way: dict[str, Any]) -> None:
    with serve(answer_by_text) as server:
        arguments = (f"base_url={server.ollama_url}", f"model={MODEL}")
        picture = {"backend_arguments": ("tile_size=8",)}
        play_run(make_run(tasks, tmp_path / "here", "ollama", arguments, **picture))
        before, killer = len(server.chats), Killer(12)
        run = make_run(tasks, tmp_path / "there", "ollama", arguments, **picture)
        outcome = play_run(run, killer, executor="ray", **way)
        assert outcome.stopped is None
        assert results_of(tmp_path / "there") == results_of(tmp_path / "here")
        assert len(killer.said) == 1
        assert killer.said[0].startswith("a Ray worker has ended by itself")
        # Nothing that is recorded is asked again; only what a killed worker was waiting for may be lost.
        assert before <= len(server.chats) - before <= before + 1
        assert outcome.spent.requests == before
    assert all(path.name.count(".") == 1 for path in (tmp_path / "there" / "episodes").iterdir())


def test_the_command_line_starts_a_cluster_and_ends_it(tasks: Path, tmp_path: Path) -> None:
    options = ("--task-dir", tasks, "-m", "optimal", "-B", "render_mode=none", "-q")
    finished = run(
        "multinet-run-eval",
        *options,
        "--run-dir",
        tmp_path / "run",
        "--executor",
        "ray",
        variables={"MULTINET_NO_RECORD": ""},
    )
    assert finished.returncode == 0, finished.stderr
    play_run(make_run(tasks, tmp_path / "here", "optimal"))
    assert results_of(tmp_path / "run") == results_of(tmp_path / "here")
    assert actors() == []


HANGING = """
import os
import time
from pathlib import Path

from gridworld.hookspecs import ModelInfo, hookimpl
from gridworld.model_interface import AttendedModel, ModelOutput


@hookimpl
def gridworld_models():
    return [ModelInfo("hanging", "Never answers.", "hanging_model:Hanging")]


class Hanging(AttendedModel):
    model_name = "hanging"

    def __init__(self, folder: Path):
        self.folder = folder

    def notice(self):
        return "nobody answers"

    def predict(self, input):
        (self.folder / str(os.getpid())).touch()
        time.sleep(600)
        return ModelOutput(action=2)
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_hanging_actors_are_killed_when_the_time_is_over(tasks: Path, tmp_path: Path, workers: str) -> None:
    write_distribution(tmp_path / "dist", "hanging", "1.0", {"entry": "hanging_model"}, {"hanging_model.py": HANGING})
    asked = tmp_path / "asked"
    asked.mkdir()
    options = ("--task-dir", tasks, "-m", "hanging", "-M", f"folder={asked}", "-B", "render_mode=none", "-q")
    ways = ("--executor", "ray", "--workers", workers, "--max-time", "60", "--run-dir", tmp_path / "run")
    stopped = run("multinet-run-eval", *options, *ways, path=[tmp_path / "dist"])
    assert stopped.returncode == 1
    assert "in flight w" in stopped.stderr, stopped.stderr
    processes = [path.name for path in asked.iterdir()]
    assert len(processes) == int(workers)
    assert not any(Path(f"/proc/{process}").exists() for process in processes)


def test_an_address_without_a_cluster_is_refused(tasks: Path) -> None:
    options = ("--task-dir", tasks, "-m", "random", "--no-record")
    finished = run("multinet-run-eval", *options, "--executor", "ray", variables={"RAY_ADDRESS": "127.0.0.1:1"})
    assert finished.returncode == 2
    assert "no Ray cluster at 127.0.0.1:1" in finished.stderr
