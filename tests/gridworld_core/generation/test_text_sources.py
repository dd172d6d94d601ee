"""Text files and folders that importers read."""

import os
from pathlib import Path

import pytest

from gridworld.errors import ArgumentError
from gridworld.generation.text_sources import LARGEST_FILE, read_texts


def read(source: Path, *endings: str) -> list[tuple[str, str]]:
    return [(str(file), text) for file, text in read_texts(str(source), endings or (".txt",))]


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
        read(tmp_path)


def test_what_would_be_read_for_ever_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArgumentError, match="is not a regular file"):
        read(tmp_path / "pipe")
    with (tmp_path / "large.txt").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ArgumentError, match=f"has more than {LARGEST_FILE} bytes"):
        read(tmp_path)
