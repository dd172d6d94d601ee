"""Drawings in files and folders as tasks."""

from pathlib import Path

import pytest

from gridworld.ascii import DrawingError, draw_task
from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.suites import read_suite
from gridworld_generators.importers.ascii import AsciiImporter

ROOM = "#####\n#>.G#\n#####\n"


def test_every_bundled_task_comes_back_from_its_drawing(tmp_path: Path) -> None:
    tasks = {task.task_id: task for task in read_suite("tiers").tasks}
    for name, task in tasks.items():
        (tmp_path / f"{name}.txt").write_text(draw_task(task, get_registry()), encoding="utf-8")
    read = list(AsciiImporter().levels(str(tmp_path)))
    assert [task.task_id for task in read] == sorted(tasks)
    assert [task.description for task in read] == [tasks[name].description for name in sorted(tasks)]


def test_ids_default_to_the_file_name(tmp_path: Path) -> None:
    (tmp_path / "hall.txt").write_text(ROOM)
    (task,) = AsciiImporter().levels(str(tmp_path / "hall.txt"))
    assert task.task_id == "hall"


def test_errors_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "hall.txt"
    file.write_text(ROOM.replace(".", "A"))
    with pytest.raises(DrawingError, match=r"hall\.txt is not a drawing of a task:\n  line 2, column 3: 'A'"):
        list(AsciiImporter().levels(str(file)))


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"no levels \(\*\.txt, \*\.ascii\) in it"):
        list(AsciiImporter().levels(str(tmp_path)))
