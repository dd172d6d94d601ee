"""Text files and folders that importers read."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gridworld.errors import ArgumentError, Problem, TaskFormatError
from gridworld.generation.importer import LARGEST_FILE, Inexpressible, Level, Unreadable, read_levels_in_texts


def read(source: Path) -> list[tuple[str, str]]:
    """File and contents of each level; of a file that cannot be read, what is wrong with it."""
    return [_told(level) for level in read_levels_in_texts(str(source), (".txt",), _level_of)]


def _level_of(file: Path, text: str) -> Iterator[Inexpressible]:
    if text.startswith("?"):
        raise TaskFormatError([Problem("line 1", "a riddle"), Problem("line 2", "another")], str(file))
    yield Inexpressible(str(file), text)


def _told(level: Level) -> tuple[str, str]:
    assert isinstance(level, Inexpressible | Unreadable)
    return (level.level, level.reason) if isinstance(level, Inexpressible) else (level.file, f"! {level.reason}")


def test_a_file_of_whatever_name(tmp_path: Path) -> None:
    (tmp_path / "levels").write_bytes("\ufeffgrün".encode())
    assert read(tmp_path / "levels") == [(str(tmp_path / "levels"), "grün")]


def test_a_folder_gives_its_files_with_the_endings_in_order(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.txt", "a.TXT", "sub/c.txt", "d.md"):
        (tmp_path / name).write_text(name)
    assert [text for _, text in read(tmp_path)] == ["a.TXT", "b.txt", "sub/c.txt"]


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    for name in ("nowhere", "x\0y", "x" * 5000):
        with pytest.raises(ArgumentError, match="no such file or folder"):
            read(tmp_path / name)


def test_a_folder_without_levels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"no levels \(\*\.txt\) in it"):
        read(tmp_path)


def test_what_is_no_text_is_refused_by_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes("#####\nä#".encode() + b"\xff#\n")
    with pytest.raises(ArgumentError, match=r"x\.txt: line 2, column 3: not UTF-8 text"):
        read(tmp_path / "x.txt")


def test_what_is_wrong_with_the_one_file_is_raised(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("?")
    with pytest.raises(TaskFormatError, match="a riddle"):
        read(tmp_path / "x.txt")


def test_a_file_of_a_folder_that_cannot_be_read_keeps_no_other_from_being_read(tmp_path: Path) -> None:
    for name, content in {"a": b"A", "b": b"\xff", "c": b"?", "d": b"D"}.items():
        (tmp_path / f"{name}.txt").write_bytes(content)
    assert read(tmp_path) == [
        (str(tmp_path / "a.txt"), "A"),
        (str(tmp_path / "b.txt"), "! line 1, column 1: not UTF-8 text"),
        (str(tmp_path / "c.txt"), "! line 1: a riddle; line 2: another"),
        (str(tmp_path / "d.txt"), "D"),
    ]


def test_what_would_be_read_for_ever_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArgumentError, match="is not a regular file"):
        read(tmp_path / "pipe")
    with (tmp_path / "large.txt").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ArgumentError, match=f"has more than {LARGEST_FILE} bytes"):
        read(tmp_path / "large.txt")
