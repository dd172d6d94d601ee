"""``multinet watch``: shows a run of another process."""

import json
import os
import pty
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL

import pytest

from support.programs import Program, assert_refused, everything_written_to, run, start

TIMEOUT = 60


@pytest.fixture(scope="module")
def finished(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of three tasks."""
    folder = tmp_path_factory.mktemp("runs") / "finished"
    assert run("multinet-run-eval", "-m", "optimal", "--task-dir", tasks, "--run-dir", folder).returncode == 0
    return folder


@contextmanager
def being_played(folder: Path, tasks: Path, third_party: Path) -> Iterator[Program]:
    """A process that has played one of three tasks, and sleeps in the second one."""
    options = ["-m", "sleeper", "-M", "finishes=1", "--task-dir", tasks, "--run-dir", folder]
    process = start("multinet-run-eval", *options, path=[third_party], stdout=DEVNULL)
    assert process.stderr is not None
    try:
        assert "asleep\n" in iter(process.stderr.readline, "")
        yield process
    finally:
        process.kill()
        process.communicate(timeout=TIMEOUT)


def test_a_finished_run_is_shown_once(finished: Path) -> None:
    for options in (["--once"], []):
        shown = run("multinet", "watch", finished, *options)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert shown.stdout.splitlines() == [
            "finished: optimal on small, finished",
            "  3 of 3 episodes, 3 solved, 12 requests",
        ]


def test_a_run_of_another_process_is_shown_until_it_is_left(tasks: Path, third_party: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with being_played(folder, tasks, third_party) as process:
        shown = run("multinet", "watch", folder, "--once")
        told = json.loads(run("multinet", "watch", folder, "--once", "--json").stdout)
        assert (shown.returncode, shown.stderr) == (0, "")
        title, figures = shown.stdout.splitlines()[:2]
        assert title == f"run: walker on small, being played by process {process.pid} on {os.uname().nodename}"
        assert figures.startswith("  1 of 3 episodes, 1 solved, ")
        assert "b_door step 0" in figures
        assert (told["state"], told["finished"], told["steps_now"]) == ("being played", 1, 2)
        assert told["under_way"] == [{"task": "b_door", "step": 0}]
        assert told["seconds_left"] > 0
    left = run("multinet", "watch", folder)
    assert (left.returncode, left.stderr) == (1, "")
    assert left.stdout.splitlines()[0] == "run: walker on small, unfinished"
    assert f"continue with: multinet runs resume {folder}" in left.stdout


def test_ctrl_c_ends_it(tasks: Path, third_party: Path, tmp_path: Path) -> None:
    with being_played(tmp_path / "run", tasks, third_party):
        watching = start("multinet", "watch", tmp_path / "run", "--json")
        assert watching.stdout is not None
        assert json.loads(watching.stdout.readline())["state"] == "being played"
        watching.send_signal(signal.SIGINT)
        _, told = watching.communicate(timeout=TIMEOUT)
    assert (watching.returncode, told) == (130, "interrupted\n")


def test_on_a_terminal_it_is_redrawn_and_what_is_last_stays(finished: Path) -> None:
    shown, terminal = pty.openpty()
    process = start("multinet", "watch", finished, variables={"TERM": "xterm"}, stdout=terminal)
    os.close(terminal)
    lines = everything_written_to(shown).splitlines()
    assert process.wait(timeout=TIMEOUT) == 0
    assert any("3/3 solved 3" in line for line in lines)
    assert "  3 of 3 episodes, 3 solved, 12 requests" in lines


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    assert_refused(run("multinet", "watch", tmp_path), "is not a recorded run: it has no run.json")
    assert_refused(run("multinet", "watch", tmp_path / "none", "--once"), "is not a recorded run")


def test_a_damaged_file_is_named_beside_the_rest(tasks: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run("multinet-run-eval", "-m", "optimal", "--task-dir", tasks, "--run-dir", folder)
    damaged = folder / "episodes" / "1.jsonl"
    damaged.write_bytes(b"{}\n" + damaged.read_bytes())
    shown = run("multinet", "watch", folder, "--once")
    assert shown.returncode == 0
    assert "2 of 3 episodes" in shown.stdout
    assert f"{damaged}, line 1: it is not a line of a recorded run" in shown.stdout
