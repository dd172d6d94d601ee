"""``multinet runs export``: a recorded run as a table in a file."""

import csv
import json
from pathlib import Path

from support import programs
from support.commands import run


def test_the_ending_of_the_file_tells_its_format_and_episodes_are_rows_unless_steps_are_asked_for(
    walked: Path, tmp_path: Path
) -> None:
    finished = run("multinet", "runs", "export", walked, "-o", tmp_path / "episodes.csv")
    assert (finished.returncode, finished.stdout) == (0, "")
    assert finished.stderr == f"3 episodes in {tmp_path / 'episodes.csv'}\n"
    with (tmp_path / "episodes.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["task_id"], row["success"], row["steps_taken"]) for row in rows] == [
        ("a_short", "True", "2"),
        ("b_door", "False", "30"),
        ("c_long", "True", "4"),
    ]
    options = ["--rows", "steps", "-o", tmp_path / "steps.jsonl"]
    assert run("multinet", "runs", "export", walked, *options).stderr.startswith("36 steps in ")
    steps = [json.loads(line) for line in (tmp_path / "steps.jsonl").read_text(encoding="ascii").splitlines()]
    assert [step["step"] for step in steps] == [1, 2, *range(1, 31), 1, 2, 3, 4]


def test_a_table_can_be_sent_down_a_pipe(walked: Path) -> None:
    finished = programs.run("multinet", "runs", "export", walked, "--format", "csv", "-o", "/dev/stdout")
    assert len(finished.stdout.splitlines()) == 4
