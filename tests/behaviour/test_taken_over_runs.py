"""A process that was stopped at a write, and continues after its run was taken over, changes nothing."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from support.commands import multinet, run_eval
from support.forked import Process, start
from support.run_folders import Outcome, assert_done, outcome_of, shown
from support.system_calls import Trap
from support.task_files import write_corridors

PLAYED = ("--model", "random", "--epochs", "2", "--observation", "text")
STOPPED = 20.0
"""Seconds within which a process has to reach the write at which it stops."""


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corridors(tmp_path_factory.mktemp("suite") / "tasks", 2, 3, max_steps=5)


def play(tasks: Path, run: Path, at: dict[int, str]) -> Process:
    run.parent.mkdir(parents=True)
    suite = ("--benchmark", "directory", "--task-dir", tasks)
    return start(("multinet-run-eval", *suite, *PLAYED, "--run-dir", run), trap=Trap(str(run), at))


@pytest.fixture(scope="module")
def undisturbed(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, list[str]]:
    """Outcome and writes of an undisturbed run."""
    run = tmp_path_factory.mktemp("undisturbed") / "runs" / "run"
    ended = play(tasks, run, {}).wait()
    assert_done(ended, [0])
    return outcome_of(run), ended.writes


def wait_until_stopped(pid: int) -> None:
    deadline = time.monotonic() + STOPPED
    while Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "T":
        assert time.monotonic() < deadline, "the process does not come to the write"
        time.sleep(0.005)


def take_over_at(number: int, tasks: Path, run: Path) -> None:
    """Stop a process at a write, let another one play the run to its end, and let the first one continue."""
    process = play(tasks, run, {number: "stop"})
    wait_until_stopped(process.pid)
    resumed = multinet("runs", "resume", run, "--take-over")
    assert resumed.exit_code == 0, resumed.stderr
    os.kill(process.pid, signal.SIGCONT)
    ended = process.wait()
    assert (ended.exit_code, "Traceback" in ended.stderr) == (1, False), ended.stderr
    assert "has taken over the run" in ended.stderr
    assert "continue with" not in ended.stderr


def lines_of(writes: list[str]) -> list[int]:
    """Numbers of the writes of lines of episodes."""
    return [number for number, call in enumerate(writes, 1) if call.startswith("write episodes/")]


@pytest.mark.parametrize(
    "share",
    [
        0.4,
        pytest.param(0.0, marks=pytest.mark.more),
        *(pytest.param(part / 40, marks=pytest.mark.thorough) for part in range(1, 40)),
    ],
)
def test_a_run_taken_over_from_a_stopped_process_comes_to_the_same(
    share: float, tasks: Path, undisturbed: tuple[Outcome, list[str]], tmp_path: Path
) -> None:
    outcome, writes = undisturbed
    numbers = lines_of(writes)
    run = tmp_path / "runs" / "run"
    take_over_at(numbers[int(share * len(numbers))], tasks, run)
    assert outcome_of(run) == outcome


@pytest.mark.more
def test_results_of_a_stopped_process_do_not_replace_those_of_a_longer_run(
    tasks: Path, undisturbed: tuple[Outcome, list[str]], tmp_path: Path
) -> None:
    """The process is stopped after its last line, and the run is extended meanwhile."""
    _, writes = undisturbed
    last = max(lines_of(writes))
    run = tmp_path / "runs" / "run"
    process = play(tasks, run, {last: "stop"})
    wait_until_stopped(process.pid)
    for command in (("resume", run, "--take-over"), ("resume", run, "--epochs", "3")):
        finished = multinet("runs", *command)
        assert finished.exit_code == 0, finished.stderr
    results = (run / "results.json").read_bytes()
    os.kill(process.pid, signal.SIGCONT)
    assert process.wait().exit_code == 1
    assert (run / "results.json").read_bytes() == results
    assert len(outcome_of(run).episodes) == 6


def record_in_sessions(tasks: Path, run: Path) -> None:
    """Play a part of a run in each of two sessions."""
    run.parent.mkdir(parents=True, exist_ok=True)
    suite = ("--benchmark", "directory", "--task-dir", tasks)
    assert run_eval(*suite, *PLAYED, "--max-requests", "3", "--run-dir", run).exit_code == 1
    assert multinet("runs", "resume", run, "--max-requests", "6").exit_code == 1


def test_a_copy_without_the_claims_of_its_sessions_is_resumed_to_the_same(
    tasks: Path, undisturbed: tuple[Outcome, list[str]], tmp_path: Path
) -> None:
    run = tmp_path / "runs" / "run"
    record_in_sessions(tasks, run)
    shutil.rmtree(run / "sessions")
    assert multinet("runs", "verify", run).exit_code == 1
    for most in ("9", "none"):
        resumed = multinet("runs", "resume", run, "--max-requests", most)
    assert resumed.exit_code == 0, resumed.stderr
    assert [each["state"] for each in shown(run)["episodes"]] == ["finished"] * 4
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    assert [each["steps_taken"] for each in results["task_results"]] == [
        each["steps_taken"] for each in undisturbed[0].results["task_results"]
    ]


def test_a_session_with_the_highest_number_is_refused(tasks: Path, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "run"
    record_in_sessions(tasks, run)
    claim = json.loads((run / "sessions" / "2.json").read_text(encoding="utf-8"))
    (run / "sessions" / "999999999.json").write_text(json.dumps({**claim, "number": 999_999_999}), encoding="utf-8")
    resumed = multinet("runs", "resume", run)
    assert (resumed.exit_code, resumed.stderr.count("sessions is damaged")) == (1, 1), resumed.stderr
