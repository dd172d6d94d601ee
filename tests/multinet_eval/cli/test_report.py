"""Finished tasks are printed and kept, whatever becomes of the disk, of the output, or of the run."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from multinet_eval.cli.echo import echo
from multinet_eval.cli.output_options import ResultOutput
from support.commands import run
from support.programs import Finished, start

RESULTS: dict[str, Any] = {"benchmark_name": "small", "task_results": ["many"]}
FULL = Path("/dev/full")


def report(output: Path) -> bool:
    return ResultOutput(output=output).print_and_write(RESULTS, lambda: echo("the table"))


@contextmanager
def full_stdout() -> Iterator[None]:
    """Let nothing more be printed in this process."""
    kept = sys.stdout
    with FULL.open("w", encoding="utf-8") as sys.stdout:
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stdout = kept


def test_what_cannot_be_printed_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with full_stdout():
        assert not report(tmp_path / "results.json")
    assert "error: standard output cannot be written: No space left on device" in capsys.readouterr().err
    assert json.loads((tmp_path / "results.json").read_text()) == RESULTS


# --- the whole program ---------------------------------------------------------------------------------------------


def evaluate(tasks: Path, *options: str | Path, **more: Any) -> Finished:
    return run("multinet-run-eval", "--task-dir", tasks, "-B", "tile_size=8", *options, **more)


def test_a_full_disk_at_the_end_swallows_no_finished_task(tasks: Path) -> None:
    finished = evaluate(tasks, "--model", "greedy", "-o", FULL)
    assert finished.returncode == 1
    assert "tasks solved" in finished.stdout
    assert "error: cannot write /dev/full: No space left on device" in finished.stderr


def run_into(stdout: int, program: str, *arguments: str | Path, **variables: str) -> tuple[int | None, str]:
    """Run a program that prints into a descriptor; its exit code, and what it has told on standard error."""
    with start(program, *arguments, variables=variables, stdout=stdout) as process:
        _, told = process.communicate()
    return process.returncode, told


def run_unread(program: str, *arguments: str | Path, **variables: str) -> tuple[int | None, str]:
    """Run a program as before ``| head -0``: nobody reads what it prints."""
    unread, printed = os.pipe()
    os.close(unread)
    try:
        return run_into(printed, program, *arguments, **variables)
    finally:
        os.close(printed)


@pytest.mark.parametrize("arguments", [["--help"], ["tasks", "schema"]], ids=" ".join)
def test_a_command_that_nobody_reads_ends_quietly(arguments: list[str]) -> None:
    assert run_unread("multinet", *arguments) == (0, "")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["tasks", "schema"]], ids=" ".join)
def test_a_command_whose_output_cannot_be_written_fails_and_says_so(arguments: list[str]) -> None:
    with FULL.open("w") as full:
        ended = run_into(full.fileno(), "multinet", *arguments)
    assert ended == (1, "error: standard output cannot be written: No space left on device\n")


def test_a_folder_that_is_gone_at_the_end_swallows_no_finished_task(
    tasks: Path, third_party: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    options = ["-m", "remover", "-M", f"folder={folder}", "-o", folder / "results.json", "--json"]
    finished = evaluate(tasks, *options, path=[third_party])
    assert finished.returncode == 1
    assert [each["task_id"] for each in json.loads(finished.stdout)["task_results"]] == ["a_short", "b_door", "c_long"]


def test_a_defect_in_the_last_task_keeps_finished_ones(tasks: Path, third_party: Path, tmp_path: Path) -> None:
    options = ["-m", "defective", "-o", tmp_path / "results.json"]
    finished = evaluate(tasks, *options, path=[third_party])
    assert finished.returncode == 1
    assert "stopped at c_long, after 2 of 3 episodes" in finished.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert ([each["task_id"] for each in results["task_results"]], results["complete"]) == (
        ["a_short", "b_door"],
        False,
    )
