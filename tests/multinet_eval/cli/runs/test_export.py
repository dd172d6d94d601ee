"""``multinet runs export``: a recorded run as a table in a file."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.programs import Finished, assert_refused, run, run_anew


def test_episodes_are_rows_unless_steps_are_asked_for(walked: Path, tmp_path: Path) -> None:
    finished = run("multinet", "runs", "export", walked, "--format", "csv", "-o", tmp_path / "episodes.csv")
    assert (finished.returncode, finished.stdout) == (0, "")
    assert finished.stderr == f"3 episodes in {tmp_path / 'episodes.csv'}\n"
    with (tmp_path / "episodes.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["task_id"], row["success"], row["steps_taken"]) for row in rows] == [
        ("a_short", "True", "2"),
        ("b_door", "False", "30"),
        ("c_long", "True", "4"),
    ]
    options = ["--format", "jsonl", "--rows", "steps", "-o", tmp_path / "steps.jsonl"]
    assert run("multinet", "runs", "export", walked, *options).stderr.startswith("36 steps in ")
    steps = [json.loads(line) for line in (tmp_path / "steps.jsonl").read_text(encoding="ascii").splitlines()]
    assert [step["step"] for step in steps] == [1, 2, *range(1, 31), 1, 2, 3, 4]


@pytest.mark.parametrize("start", [run, run_anew], ids=["to a file", "down a pipe"])
def test_a_table_can_be_sent_to_what_is_open(walked: Path, start: Callable[..., Finished]) -> None:
    finished = start("multinet", "runs", "export", walked, "--format", "csv", "-o", "/dev/stdout")
    assert len(finished.stdout.splitlines()) == 4


def test_wrong_calls_are_refused(walked: Path, tmp_path: Path) -> None:
    for arguments, told in (
        ([walked, "-o", "x"], "Missing option '--format'"),
        ([walked, "--format", "xls", "-o", "x"], "'xls' is not one of"),
        ([walked, "--format", "csv", "-o", tmp_path], "is a folder, expected a file name"),
        ([walked, "--format", "csv", "-o", tmp_path / "nowhere" / "x"], "does not exist"),
        ([tmp_path, "--format", "csv", "-o", "x"], "is not a recorded run"),
    ):
        assert_refused(run("multinet", "runs", "export", *arguments, cwd=tmp_path), told)
