"""The base class of importers, which turn levels in other formats into tasks, and helpers for reading text files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import attrs

from gridworld.errors import ArgumentError, TaskError
from gridworld.support.files import FileError, exists, read_given
from gridworld.task_spec import TaskSpecification


@attrs.frozen
class Inexpressible:
    """A level that cannot be expressed as a task."""

    level: str
    """The level's name in the source, such as a line number or a seed."""
    reason: str
    """The unsupported part of the level and its position."""


@attrs.frozen
class Unreadable:
    """One of several files that cannot be read."""

    file: str
    """The file's path."""
    reason: str
    """The problem and its position."""


Level = TaskSpecification | Inexpressible | Unreadable
"""Result of reading one level."""


class Importer(ABC):
    """Base class of level readers; the constructor's parameters are its options, and invalid ones raise ValueError."""

    @abstractmethod
    def levels(self, source: str) -> Iterator[Level]:
        """Return the levels of a source, in order.

        Args:
            source: a file, a folder or an id given by the user, as documented by the importer.

        Raises:
            ArgumentError, TaskError: the source does not exist, or cannot be read; with file, line and column if
                known.
        """


LARGEST_FILE = 4 * 2**20
"""Maximum size of a file in bytes; a level of the largest lattice needs a sixteenth of it."""


def read_levels_in_texts(
    source: str,
    endings: tuple[str, ...],
    read: Callable[[Path, str], Iterable[Level]],
    other_encoding: str | None = None,
) -> Iterator[Level]:
    """Yield the levels in a text file, or in the text files of a folder, where unreadable files become `Unreadable`.

    Args:
        source: a file of any name, or a folder, whose files with one of the endings are read in order of their paths,
            including subfolders.
        endings: file endings such as ``.txt``.
        read: a function from the path and contents of a file to its levels; raises TaskError, or ArgumentError with a
            message that does not name the file.
        other_encoding: encoding of files that are not UTF-8, such as ``latin-1``; None to refuse them.

    Raises:
        ArgumentError: the source does not exist, the folder has no such files, or the single file cannot be read.
        TaskError: `read` raised it for the single file.
    """
    path = Path(source)
    if not exists(source):
        raise ArgumentError(f"{source}: no such file or folder")
    if not path.is_dir():
        try:
            yield from read(path, _read_text(path, other_encoding))
        except ArgumentError as error:
            raise ArgumentError(f"{source}: {error}") from error
        return
    files = sorted(each for each in path.rglob("*") if each.suffix.lower() in endings and not each.is_dir())
    if not files:
        raise ArgumentError(f"{source}: no levels ({', '.join(f'*{ending}' for ending in endings)}) in it")
    for file in files:
        try:
            yield from read(file, _read_text(file, other_encoding))
        except TaskError as error:
            yield Unreadable(str(file), "; ".join(map(str, error.problems)))
        except ArgumentError as error:
            yield Unreadable(str(file), str(error))


def _read_text(file: Path, other_encoding: str | None) -> str:
    """Read a file; raises ArgumentError with a message that does not name it."""
    try:
        content = read_given(file, LARGEST_FILE)
    except FileError as error:
        raise ArgumentError(error.problem) from error
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise ArgumentError("it is UTF-16 text, expected UTF-8")
    content = content.removeprefix(BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        if other_encoding is not None:
            return content.decode(other_encoding, "replace")
        before = content[: error.start].split(b"\n")
        place = f"line {len(before)}, column {len(before[-1].decode('utf-8')) + 1}"
        raise ArgumentError(f"{place}: not UTF-8 text") from error
