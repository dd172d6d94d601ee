"""Reading levels from text files, for importers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gridworld.errors import ArgumentError
from gridworld.support.files import exists

__all__ = ["LARGEST_FILE", "read_texts"]

LARGEST_FILE = 4 * 2**20
"""Bytes; a level of the largest lattice takes a sixteenth of it."""


def read_texts(source: str, endings: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """The text files that a source stands for, with their contents (UTF-8).

    Args:
        source: a file of whatever name, or a folder, of which all files with one of the endings are meant, in the order
            of their paths, those of subfolders too.
        endings: such as ``.txt``.

    Raises:
        ArgumentError: there is no such file, the folder has none, or one cannot be read; of what is no text, the line
            and column are told.
    """
    if not exists(source):
        raise ArgumentError(f"{source}: no such file or folder")
    path = Path(source)
    files = [path]
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.suffix.lower() in endings and each.is_file())
        if not files:
            raise ArgumentError(f"{source}: no levels ({', '.join(f'*{ending}' for ending in endings)}) in it")
    for file in files:
        yield file, _read_text(file)


def _read_text(file: Path) -> str:
    try:
        if not file.is_file():
            raise ArgumentError(f"{file}: is not a regular file")
        if file.stat().st_size > LARGEST_FILE:
            raise ArgumentError(f"{file}: has more than {LARGEST_FILE} bytes")
        content = file.read_bytes()
    except OSError as error:
        raise ArgumentError(f"{file}: cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].split(b"\n")
        place = f"line {len(before)}, column {len(before[-1].decode('utf-8')) + 1}"
        raise ArgumentError(f"{file}: {place}: not UTF-8 text") from error
