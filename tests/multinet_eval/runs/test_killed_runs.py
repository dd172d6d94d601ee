"""Runs that are killed at any moment end with the results of a run that was not, and ask nothing twice."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from multinet_adapters.testing.model_servers import ModelServer, serve
from support.programs import run
from support.run_folders import RECORDED, Killer, model_options, request_answer, requests_in, results_of, start
from support.runs import write_corridor
from support.worlds import door, key

pytestmark = pytest.mark.more

KILLED = -9


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tasks that a random walk rarely solves."""
    folder = tmp_path_factory.mktemp("suites") / "small"
    write_corridor(folder, "door", "@kD.G", max_steps=15, k=key(), D=door("red"))
    write_corridor(folder, "far", "@.....G", max_steps=15)
    write_corridor(folder, "near", "@..G", max_steps=15)
    return folder


@pytest.fixture(scope="module")
def undisturbed(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of these tasks that nobody has killed."""
    return play_undisturbed(tasks, tmp_path_factory.mktemp("runs") / "undisturbed")


def play_undisturbed(tasks: Path, directory: Path) -> Path:
    with serve(request_answer) as server:
        process = start("multinet-run-eval", *beginning(server, tasks, directory))
        _, told = process.communicate()
    assert (process.returncode, told) == (0, "")
    assert requests_in(directory) == len(server.chats)
    return directory


def beginning(server: ModelServer, tasks: Path, directory: Path) -> list[str]:
    return [*model_options(server), "--task-dir", str(tasks), "--run-dir", str(directory), "-q"]


def program_for(server: ModelServer, tasks: Path, directory: Path) -> list[str]:
    """Command that begins or resumes a run."""
    if (directory / "run.json").exists():
        return ["multinet", "runs", "resume", str(directory), "-q"]
    return ["multinet-run-eval", *beginning(server, tasks, directory)]


def kill_until_finished(killer: Killer, workers: int, program: Callable[[], int]) -> int:
    """Run a program again and again until it is not killed; returns how often it was.

    After each time, the only answers that are not recorded are those that were in flight.
    """
    kills = lost = 0
    while True:
        code = program()
        unrecorded = killer.asked - requests_in(killer.directory)
        assert unrecorded <= lost + (workers if code == KILLED else 0)
        lost = unrecorded
        if code != KILLED:
            assert code == 0
            return kills
        kills += 1


@pytest.mark.parametrize("workers", [1, 8])
def test_a_killed_run_resumes_without_repeating_requests(
    tasks: Path, undisturbed: Path, tmp_path: Path, workers: int
) -> None:
    rng, killer = random.Random(workers), Killer(tmp_path / "killed")

    def begin_or_resume() -> int:
        killer.aim(rng, requests_in(undisturbed) // 2, longest_delay=0.01)
        line = program_for(server, tasks, killer.directory)
        return run(*line, "--workers", str(workers), variables=RECORDED).returncode

    with serve(killer.answer) as server:
        assert kill_until_finished(killer, workers, begin_or_resume) >= 2
    assert requests_in(killer.directory) == requests_in(undisturbed)
    assert results_of(killer.directory) == results_of(undisturbed)


def test_workers_of_a_killed_driver_end_with_it(tasks: Path, undisturbed: Path, tmp_path: Path) -> None:
    killer = Killer(tmp_path / "killed", after=20)
    with serve(killer.answer) as server:
        line = [*program_for(server, tasks, killer.directory), "--workers", "2", "--executor", "processes"]
        process = start(*line)
        _, told = process.communicate()  # which ends when the last of them has let go of the stream
        assert (process.returncode, told) == (KILLED, "")
        assert killer.asked - requests_in(killer.directory) <= 2
        finished = run(*program_for(server, tasks, killer.directory), variables=RECORDED)
    assert finished.returncode == 0
    assert requests_in(killer.directory) == requests_in(undisturbed)
    assert results_of(killer.directory) == results_of(undisturbed)
