"""``multinet tasks new``: a task file from a drawing, and what the solver finds about it."""

import json
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from gridworld.ascii.layout import EXAMPLE
from gridworld.task_spec import TaskSpecification
from support.programs import Finished, assert_refused, output_of, run, runner, start

ROOM = "task: room\nbudget: 9\n\n######\n#>..G#\n######\n"


new = runner("multinet", "tasks", "new")


def new_from_input(text: bytes, *arguments: str | Path) -> Finished:
    with TemporaryFile() as drawn:
        drawn.write(text)
        drawn.seek(0)
        with start("multinet", "tasks", "new", *arguments, stdin=drawn.fileno()) as process:
            printed, told = process.communicate(timeout=60)
    return Finished(arguments, process.wait(), printed, told)


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    file = tmp_path / "room.txt"
    file.write_text(ROOM)
    return file


def test_a_drawing_becomes_a_task_file_and_is_checked(drawing: Path, tmp_path: Path) -> None:
    printed = output_of(new(drawing, "-o", tmp_path / "room.json"))
    assert printed.startswith(f"good  {tmp_path / 'room.json'}: 3 of 9 actions")
    assert TaskSpecification.from_json(tmp_path / "room.json").task_id == "room"
    assert run("multinet", "tasks", "validate", tmp_path / "room.json").returncode == 0


def test_without_output_the_task_is_printed_apart_from_findings(drawing: Path) -> None:
    finished = new(drawing)
    assert finished.returncode == 0
    assert json.loads(finished.stdout)["max_steps"] == 9
    assert finished.stderr.startswith("good  room: 3 of 9 actions")


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_a_drawing_may_come_from_standard_input(arguments: tuple[str, ...], tmp_path: Path) -> None:
    finished = new_from_input(ROOM.replace("task: room\n", "").encode(), *arguments, "-o", tmp_path / "hall.json")
    assert finished.returncode == 0
    assert TaskSpecification.from_json(tmp_path / "hall.json").task_id == "hall"


def test_without_a_drawing_there_is_one_to_begin_with(tmp_path: Path) -> None:
    printed = new_from_input(b"")
    assert (printed.returncode, printed.stdout, printed.stderr) == (0, EXAMPLE, "")
    (tmp_path / "room.txt").write_text(printed.stdout, encoding="utf-8")
    assert new(tmp_path / "room.txt", "-o", tmp_path / "room.json").returncode == 0


def test_a_task_that_cannot_be_won_is_written_and_told(drawing: Path, tmp_path: Path) -> None:
    drawing.write_text(ROOM.replace("..", ".#"))
    finished = new(drawing, "-o", tmp_path / "room.json")
    assert (finished.returncode, finished.stderr) == (1, "")
    assert finished.stdout.startswith("BAD ")
    assert "goal: cannot be reached" in finished.stdout
    assert (tmp_path / "room.json").exists()


def test_only_earlier_versions_are_replaced_without_overwrite(drawing: Path, tmp_path: Path) -> None:
    output = tmp_path / "room.json"
    new(drawing, "-o", output)
    drawing.write_text(ROOM.replace("budget: 9", "budget: 8"))
    assert new(drawing, "-o", output).returncode == 0
    assert TaskSpecification.from_json(output).max_steps == 8
    drawing.write_text(ROOM.replace("task: room", "task: hall"))
    assert_refused(new(drawing, "-o", output), "room.json exists, and does not hold the task 'hall'", "--overwrite")
    assert TaskSpecification.from_json(output).task_id == "room"
    assert new(drawing, "-o", output, "--overwrite").returncode == 0


def test_a_bad_drawing_is_told_by_line_and_column(drawing: Path, tmp_path: Path) -> None:
    drawing.write_text(ROOM.replace("..", ".A") + "\nA = red kee\n")
    finished = new(drawing, "-o", tmp_path / "room.json")
    assert_refused(finished, "room.txt is not a drawing of a task: line 8, column 5: unknown name 'red kee'")
    assert not (tmp_path / "room.json").exists()


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n")
    assert_refused(new(tmp_path / "nowhere.txt"), "nowhere.txt: no such file or folder")
    assert_refused(new(tmp_path), "is a folder; import all drawings in it with 'multinet tasks import ascii'")
    assert_refused(new(tmp_path / "empty.txt"), "empty.txt: is empty")
    finished = new_from_input(b"\xff")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "standard input: byte 0: not UTF-8 text" in finished.stderr


def test_what_show_draws_is_read_again(tmp_path: Path) -> None:
    shown = run("multinet", "tasks", "show", "tiers/t5_07_clockwork", "--drawing")
    assert (shown.returncode, shown.stderr) == (0, "")
    drawing = tmp_path / "clockwork.txt"
    drawing.write_text(shown.stdout, encoding="utf-8")
    assert new(drawing, "-o", tmp_path / "clockwork.json").returncode == 0
    again = run("multinet", "tasks", "show", tmp_path / "clockwork.json", "--drawing")
    assert again.stdout == shown.stdout
    as_json = run("multinet", "tasks", "show", "tiers/t5_07_clockwork", "--drawing", "--json")
    assert json.loads(as_json.stdout) == {"task": "t5_07_clockwork", "drawing": shown.stdout}
