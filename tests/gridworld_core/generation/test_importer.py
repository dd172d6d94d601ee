"""Reading text files and folders for importers."""

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


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "levels").write_bytes("\ufeffgrün".encode())
    assert read(tmp_path / "levels") == [(str(tmp_path / "levels"), "grün")]


def test_files_of_a_folder_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.txt", "a.TXT", "sub/c.txt", "d.md"):
        (tmp_path / name).write_text(name)
    assert [text for _, text in read(tmp_path)] == ["a.TXT", "b.txt", "sub/c.txt"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *((name, None, "no such file or folder") for name in ("nowhere", "x\0y", "x" * 5000)),
        (".", None, r"no levels \(\*\.txt\) in it"),
        ("x.txt", "#####\nä#".encode() + b"\xff#\n", r"x\.txt: line 2, column 3: not UTF-8 text"),
        ("x.txt", "#".encode("utf-16"), r"x\.txt: it is UTF-16 text, expected UTF-8"),
        ("x.txt", b" " * (LARGEST_FILE + 1), f"x.txt: it has {LARGEST_FILE + 1} bytes, expected at most"),
    ],
)
def test_unreadable_sources_are_refused(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ArgumentError, match=message):
        read(tmp_path / name)


def test_errors_in_a_single_file_are_raised(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("?")
    with pytest.raises(TaskFormatError, match="a riddle"):
        read(tmp_path / "x.txt")


def test_unreadable_files_of_a_folder_do_not_stop_the_others(tmp_path: Path) -> None:
    for name, content in {"a": b"A", "b": b"\xff", "c": b"?", "d": b"D"}.items():
        (tmp_path / f"{name}.txt").write_bytes(content)
    os.mkfifo(tmp_path / "e.txt")
    (tmp_path / "f.txt").symlink_to("nowhere")
    assert read(tmp_path) == [
        (str(tmp_path / "a.txt"), "A"),
        (str(tmp_path / "b.txt"), "! line 1, column 1: not UTF-8 text"),
        (str(tmp_path / "c.txt"), "! line 1: a riddle; line 2: another"),
        (str(tmp_path / "d.txt"), "D"),
        (str(tmp_path / "e.txt"), "! it is a FIFO, expected a regular file"),
        (str(tmp_path / "f.txt"), "! there is no such file"),
    ]


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArgumentError, match="pipe: it is a FIFO"):
        read(tmp_path / "pipe")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_may_have_another_encoding(mark: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(mark.encode() + b"gr\xfcn")
    (level,) = read_levels_in_texts(str(tmp_path / "x.txt"), (".txt",), _level_of, other_encoding="latin-1")
    assert _told(level)[1] == "grün"
