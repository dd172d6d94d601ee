"""Options that ``multinet runs resume`` and ``extend`` remember, and their overrides."""

from pathlib import Path
from typing import Any

import pytest

from support.commands import Finished, multinet, run_eval
from support.run_folders import requests_of, shown
from support.task_files import write_corridors
from support.thoroughness import first_by_default

STEPS = 4
"""Steps, and requests, of each of two corridors."""


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    return write_corridors(tmp_path / "tasks", STEPS, STEPS)


def begin(run: Path, tasks: Path, *options: object) -> Finished:
    return run_eval("-m", "optimal", "-B", "render_mode=none", "--task-dir", tasks, "--run-dir", run, *options)


def remembered(run: Path) -> Any:
    return shown(run)["circumstances"].get("playing")


def test_a_run_goes_on_as_it_was_played_unless_told_otherwise(tmp_path: Path, tasks: Path) -> None:
    run = tmp_path / "run"
    ways = ("--workers", 2, "--batch-size", 3, "--executor", "processes", "--patience", 7)
    begin(run, tasks, *ways, "--max-requests", 0, "--max-time", 90, "--max-tokens", 10**6)
    known = {
        "workers": 2,
        "batch_size": 3,
        "executor": "processes",
        "limits": {"requests": 0, "tokens": 10**6, "cost": None, "seconds": 90.0},
        "patience": 7.0,
    }
    assert remembered(run) == known
    text = multinet("runs", "show", run).stdout
    for fact in ("playing.workers", "playing.batch_size", "playing.executor", "playing.limits.requests"):
        assert fact in text

    changed = multinet("runs", "resume", run, "--executor", "local", "--max-requests", 3, "--max-tokens", "none")
    assert changed.exit_code == 1
    assert "note:" not in changed.stderr
    limits = {"requests": 3, "tokens": None, "cost": None, "seconds": 90.0}
    known |= {"executor": "local", "limits": limits}
    assert remembered(run) == known
    assert multinet("runs", "resume", run).exit_code == 1  # the limit of requests is still 3
    assert remembered(run) == known
    usual = ("--workers", 1, "--batch-size", 1, "--patience", 120, "--max-requests", "none", "--max-time", "none")
    assert multinet("runs", "resume", run, *usual).exit_code == 0
    assert remembered(run) is None


@first_by_default("program", ["resume", "extend"])
def test_a_limit_holds_until_it_is_changed_and_its_option_is_named(tmp_path: Path, tasks: Path, program: str) -> None:
    run = tmp_path / "run"
    ways = {
        "resume": lambda: multinet("runs", "resume", run),
        "extend": lambda: multinet("runs", "resume", run, "--epochs", 2),
    }
    for finished in (begin(run, tasks, "--max-requests", 3), ways[program](), ways[program]()):
        assert finished.exit_code == 1
        assert "the limit of 3 requests is reached" in finished.stderr
        assert f"continue with: multinet runs resume {run} --max-requests none\n" in finished.stderr
        assert "limit to finish the run: --max-requests N, or --max-requests none\n" in finished.stderr
        assert requests_of(run) == 3
        assert shown(run)["run"]["status"] == "unfinished"
        assert " unfinished " in multinet("runs", "list", "--runs", tmp_path).stdout
    done = multinet("runs", "resume", run, "--max-requests", "none")
    assert (done.exit_code, done.stderr) == (0, "")
    assert shown(run)["run"]["status"] == "finished"
    assert requests_of(run) == 2 * STEPS * (2 if program == "extend" else 1)


def test_a_finished_run_that_is_extended_keeps_its_limit(tmp_path: Path, tasks: Path) -> None:
    run = tmp_path / "run"
    assert begin(run, tasks, "--max-requests", 2 * STEPS + 1).exit_code == 0
    extended = multinet("runs", "resume", run, "--epochs", 2)
    assert extended.exit_code == 1
    assert "the limit of 9 requests is reached, after 2 of 4 episodes" in extended.stderr
    assert f"continue with: multinet runs resume {run} --max-requests none" in extended.stderr
    assert shown(run)["run"]["status"] == "unfinished"
    assert multinet("runs", "resume", run, "--max-requests", 4 * STEPS).exit_code == 0
    assert shown(run)["run"]["status"] == "finished"


def test_a_limit_of_time_counts_each_session(tmp_path: Path, tasks: Path) -> None:
    run = tmp_path / "run"
    stopped = begin(run, tasks, "--max-time", 0)
    assert stopped.exit_code == 1
    assert f"continue with: multinet runs resume {run}\n" in stopped.stderr
    assert "limit to finish the run: --max-time N, or --max-time none" in stopped.stderr
    assert multinet("runs", "resume", run).exit_code == 1
    assert multinet("runs", "resume", run, "--max-time", "none").exit_code == 0


def test_damaged_options_are_told_by_their_place(tmp_path: Path, tasks: Path) -> None:
    run = tmp_path / "run"
    begin(run, tasks, "--max-requests", 3)
    path = run / "run.json"
    path.write_text(path.read_text().replace('"workers": 1', '"workers": "many"'))
    refused = multinet("runs", "resume", run)
    assert refused.exit_code == 1
    assert f"error: {path} is damaged: circumstances.playing: " in refused.stderr
    assert "workers" in refused.stderr
