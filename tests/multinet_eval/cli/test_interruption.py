"""Ctrl-C ends a run with what has been finished by then."""

import json
import signal
import subprocess
from pathlib import Path
from typing import IO, Any

import pytest

from support.plugins import write_distribution
from support.programs import command, environment, start
from support.tilings import TILINGS

TIMEOUT = 60

INTERRUPTED = 130

SLOW_TO_IMPORT = """
import sys, time
print("asleep", file=sys.stderr, flush=True)
time.sleep(600)
"""


def interrupt_when_asleep(*arguments: str | Path, path: Path, twice: bool = True) -> tuple[int | None, str, str]:
    """Exit code, standard output and standard error of a program that gets Ctrl-C once it says that it sleeps.

    Where it is asleep in a request, it is waited for, and has to be told a second time.
    """
    process = start("multinet-run-eval", *arguments, path=[path])
    assert process.stderr is not None
    try:
        told = read_until(process.stderr, "asleep\n")
        process.send_signal(signal.SIGINT)
        if twice:
            told += process.stderr.readline()
            process.send_signal(signal.SIGINT)
        printed, rest = process.communicate(timeout=TIMEOUT)
    finally:
        process.kill()
    return process.returncode, printed, told + rest


def read_until(stream: IO[str], last_line: str) -> str:
    lines = []
    for line in stream:
        lines.append(line)
        if line == last_line:
            return "".join(lines)
    raise AssertionError(f"the program ended before it said {last_line!r}: {''.join(lines)}")


@pytest.mark.parametrize("finished", [pytest.param(0, marks=pytest.mark.more), 2])
def test_an_interrupted_run_keeps_and_counts_finished_tasks(
    tasks: Path, third_party: Path, tmp_path: Path, finished: int
) -> None:
    output = tmp_path / "results.json"
    options = ("-m", "sleeper", "-M", f"finishes={finished}", "--task-dir", tasks, "--output", output)
    exit_code, printed, told = interrupt_when_asleep(*options, path=third_party)

    assert exit_code == INTERRUPTED
    waits = "stopping: up to 10 s for 1 request in flight; Ctrl-C again stops at once\n"
    assert told == f"asleep\n{waits}interrupted, after {finished} of 3 episodes\n"
    assert "c_long" not in printed
    assert bool(printed) == bool(finished)
    assert list(tmp_path.iterdir()) == [output]
    assert task_ids(json.loads(output.read_text())) == ["a_short", "b_door"][:finished]


@pytest.mark.parametrize(("finished", "rows"), [(3, 1), pytest.param(4, 2, marks=pytest.mark.more)])
def test_a_tiling_on_which_nothing_was_played_has_no_row(
    tasks: Path, third_party: Path, finished: int, rows: int
) -> None:
    options = ("-m", "sleeper", "-M", f"finishes={finished}", "--task-dir", tasks, "--tiling", "all")
    _, printed, _ = interrupt_when_asleep(*options, path=third_party)
    firsts = [line.split()[0] for line in printed.splitlines() if " of " in line and "%" in line]
    tilings = [each for each in firsts if each in TILINGS]
    assert tilings == sorted(TILINGS)[:rows]


def test_a_run_interrupted_at_once_prints_json(tasks: Path, third_party: Path) -> None:
    options = ("-m", "sleeper", "-M", "finishes=0", "--task-dir", tasks)
    _, printed, _ = interrupt_when_asleep(*options, "--json", path=third_party)
    results = json.loads(printed)
    assert (results["complete"], results["task_results"]) == (False, [])


def task_ids(results: Any) -> list[str]:
    return [result["task_id"] for result in results["task_results"]]


def test_ctrl_c_while_loading_blames_no_plugin(tmp_path: Path) -> None:
    write_distribution(tmp_path, "slow", "1.0", {"entry": "slow_plugin"}, {"slow_plugin.py": SLOW_TO_IMPORT})
    exit_code, printed, told = interrupt_when_asleep("-m", "optimal", path=tmp_path, twice=False)
    assert (exit_code, printed, told) == (INTERRUPTED, "", "asleep\ninterrupted\n")


def test_ctrl_c_during_imports_shows_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(SLOW_TO_IMPORT)
    program = command("multinet-run-eval")  # in a new interpreter, which has not imported anything yet
    with subprocess.Popen(program, env=environment([tmp_path]), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "asleep\n"
        process.send_signal(signal.SIGINT)
        assert (process.wait(timeout=TIMEOUT), process.stderr.read()) == (INTERRUPTED, "")
