"""Work spread over processes: the same results for any number of them, and nothing left behind."""

import json
import multiprocessing
import operator
import os
import signal
from pathlib import Path

import pytest

from gridworld.errors import GridworldError
from gridworld.plugins import get_registry, load_registry, using_registry
from multinet_eval.support.parallel import parallel_map
from support.commands import run
from support.plugins import write_distribution
from support.programs import Program, everything_written_to, start
from support.runs import write_corridor, write_task
from support.worlds import describe

WHO = "__import__('os').getpid()"
BACKENDS = "__import__('gridworld.plugins', fromlist=['get_registry']).get_registry().backends.names()"
SLOW_IN_WORKERS = """
import multiprocessing, os, time
if multiprocessing.parent_process() is not None:
    os.write(2, b"asleep\\n")
    time.sleep(600)
"""
ASLEEP_AT_WORK = """
import os, time
from gridworld.hookspecs import TilingInfo, hookimpl

def sleep(width, height):
    os.write(2, b"asleep\\n")
    time.sleep(600)

@hookimpl
def gridworld_tilings():
    return [TilingInfo("sleepy", "Takes long.", "slow_plugin:sleep")]
"""
RAISING = """
import attrs
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import MechanismType, hookimpl
from gridworld.task_spec import Position, to_position

@attrs.frozen
class Trap:
    id: str
    position: Position = attrs.field(converter=to_position)

class Unsendable(Exception):
    def __init__(self, one, other):
        super().__init__(f"{one} {other}")

def traits(trap, *others):
    raise Unsendable("two", "words")

@hookimpl
def gridworld_mechanisms():
    return [MechanismType(
        name="traps", noun="trap", summary="Raises.", spec=Trap, traits=traits, glyph=lambda trap, value: Glyph(()),
    )]
"""


def test_other_processes_work_as_this_one_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRIDWORLD_CACHE", "elsewhere")
    jobs = ["1", WHO, BACKENDS, "__import__('os').environ['GRIDWORLD_CACHE']", "2"]
    with using_registry(load_registry(["gridworld-minigrid"])):
        with parallel_map(eval, jobs, 2) as results:
            one, worker, backends, cache, two = results
        assert backends == get_registry().backends.names()
    assert "minigrid" not in backends
    assert (one, cache, two) == (1, "elsewhere", 2)
    assert worker != os.getpid()
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(("jobs", "workers"), [(4, 1), (1, 4), (0, 4)])
def test_no_process_is_started_where_one_is_enough(jobs: int, workers: int) -> None:
    with parallel_map(eval, [WHO] * jobs, workers) as results:
        assert multiprocessing.active_children() == []
        assert list(results) == [os.getpid()] * jobs


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_where_its_job_stands(workers: int) -> None:
    with parallel_map(operator.truediv, [], workers) as nothing:
        assert list(nothing) == []
    with parallel_map(eval, ["1", "1 / 0", "2"], workers) as results:
        assert next(results) == 1
        with pytest.raises(ZeroDivisionError):
            next(results)


def test_a_process_that_is_killed_is_an_error() -> None:
    jobs = ["1", "__import__('os').kill(__import__('os').getpid(), 9)"]
    with (
        parallel_map(eval, jobs, 2) as results,
        pytest.raises(GridworldError, match="a worker process has ended by itself"),
    ):
        list(results)


def test_what_leaves_the_block_ends_the_processes_at_once() -> None:
    jobs = ["1", "1 / 0", *["__import__('time').sleep(600)"] * 3]
    with pytest.raises(ZeroDivisionError), parallel_map(eval, jobs, 2) as results:
        list(results)
    assert multiprocessing.active_children() == []


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three tasks, and a file that is none."""
    folder = tmp_path_factory.mktemp("small")
    for length in range(3):
        write_corridor(folder, f"task_{length}", f"@{'.' * length}G")
    (folder / "a_note.json").write_text("[]", encoding="utf-8")
    return folder


def printed_by_each_number(*arguments: str | Path) -> str:
    """Output of a command with one worker and with two."""
    alone, together = (run("multinet", "tasks", *arguments, "--workers", workers) for workers in ("1", "2"))
    assert (alone.returncode, alone.stdout, alone.stderr) == (together.returncode, together.stdout, together.stderr)
    return alone.stdout


def test_files_are_checked_in_their_order_folder_by_folder(small: Path, tmp_path: Path) -> None:
    write_corridor(tmp_path, "task_0", "@.#G")
    write_corridor(tmp_path / "a", "task_0")
    write_corridor(tmp_path / "z", "task_0")
    lines = printed_by_each_number("validate", small, tmp_path).splitlines()
    said = [line.split()[:2] for line in lines if line.startswith(("good", "BAD"))]
    good = [["good", f"task_{number}.json:"] for number in range(3)]
    assert said == [*good, ["good", "a/task_0.json:"], ["BAD", "task_0.json"], ["BAD", "z/task_0.json:"]]
    assert "      error: task_id: 'task_0' is already the id of a/task_0.json" in lines


def test_a_plugin_that_fails_in_a_worker_is_named(tmp_path: Path) -> None:
    write_distribution(tmp_path, "trappers", "1.0", {"traps": "trappers_plugin"}, {"trappers_plugin.py": RAISING})
    for name in ("a", "b"):
        data = describe("#####\n#@.G#\n#####")
        data["mechanisms"] = {"traps": [{"id": "m", "position": [2, 1]}]}
        write_task(tmp_path / "tasks", {**data, "task_id": name})
    arguments = ["tasks", "list", tmp_path / "tasks", "--tiling", "square", "--workers", "2"]
    finished = run("multinet", *arguments, path=[tmp_path])
    assert (finished.returncode, finished.stdout) == (1, "")
    said = "error: mechanism 'traps' (trappers/traps) failed in traits when the task 'a' was laid out: "
    assert finished.stderr == f"{said}Unsendable: two words (trappers_plugin.py, line 17, in traits)\n"


def with_both_asleep(folder: Path, *arguments: str) -> Program:
    """A command in a session of its own, about two tasks, with the plugin of a folder; both its workers sleep."""
    for task in ("a", "b"):
        write_corridor(folder / "tasks", task)
    process = start("multinet", "tasks", *arguments, folder / "tasks", "--workers", "2", path=[folder])
    assert process.stderr is not None
    assert [process.stderr.readline() for _ in range(2)] == ["asleep\n"] * 2
    return process


def test_ctrl_c_ends_the_program_and_its_workers_at_once(tmp_path: Path) -> None:
    write_distribution(tmp_path, "slow", "1.0", {"entry": "slow_plugin"}, {"slow_plugin.py": SLOW_IN_WORKERS})
    process = with_both_asleep(tmp_path, "validate")
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
    printed, told = process.communicate(timeout=60)
    assert (process.returncode, printed, told) == (130, "", "interrupted\n")


@pytest.mark.more
def test_workers_of_a_program_that_is_killed_end(tmp_path: Path) -> None:
    """They hold standard error open for as long as they live."""
    write_distribution(tmp_path, "slow", "1.0", {"entry": "slow_plugin"}, {"slow_plugin.py": ASLEEP_AT_WORK})
    process = with_both_asleep(tmp_path, "list", "--tiling", "sleepy")
    process.kill()
    printed, _ = process.communicate(timeout=60)
    assert (process.returncode, printed) == (-signal.SIGKILL, "")


def on_terminal(*arguments: str | Path) -> tuple[str, str]:
    """Standard output, and standard error on a terminal."""
    leader, follower = os.openpty()
    called = ("tasks", *arguments, "--workers", "1")
    with start("multinet", *called, variables={"TERM": "xterm"}, stderr=follower) as process:
        os.close(follower)
        shown = everything_written_to(leader)
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return printed, shown


def test_a_bar_goes_to_the_terminal_and_results_where_they_belong(small: Path) -> None:
    printed, shown = on_terminal("list", small, "--json")
    assert len(json.loads(printed)) == 3
    assert "measuring" in shown
    assert "task_0" not in shown


def test_lines_of_results_are_not_mixed_with_the_bar(small: Path) -> None:
    printed, shown = on_terminal("validate", small)
    assert [line.split()[:2] for line in printed.splitlines()[:3]] == [["good", f"task_{n}.json:"] for n in range(3)]
    assert printed.splitlines()[3:] == ["3 of 3 tasks are good"]
    assert "checking" in shown
    assert "good" not in shown
