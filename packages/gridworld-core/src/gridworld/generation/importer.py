"""The base class of importers: what a plugin implements to make tasks of levels in another form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import attrs

from gridworld.errors import ArgumentError, TaskError
from gridworld.support.files import exists
from gridworld.task_spec import TaskSpecification


@attrs.frozen
class Inexpressible:
    """A level that cannot be said as a task."""

    level: str
    """What the source calls it, such as a line number or a seed."""
    reason: str
    """What in it has no counterpart, and where."""


@attrs.frozen
class Unreadable:
    """One of several files that cannot be read, which is no reason not to read the others."""

    file: str
    """Its path."""
    reason: str
    """What is wrong in it, and where."""


Level = TaskSpecification | Inexpressible | Unreadable
"""What an importer says of a level."""


class Importer(ABC):
    """Reads levels. The parameters of the constructor are its options; it raises ValueError for wrong ones."""

    @abstractmethod
    def levels(self, source: str) -> Iterator[Level]:
        """The levels of a source, in their order.

        Args:
            source: what the user named: a file, or an id, as the importer's docstring says.

        Raises:
            ArgumentError, TaskError: there is no such source, or it cannot be read; with file, line and column if there
                are any.
        """


LARGEST_FILE = 4 * 2**20
"""Bytes; a level of the largest lattice takes a sixteenth of it."""


def read_levels_in_texts(
    source: str, endings: tuple[str, ...], read: Callable[[Path, str], Iterable[Level]]
) -> Iterator[Level]:
    """The levels in the text files that a source stands for. A file of a folder that cannot be read is `Unreadable`.

    Args:
        source: a file of whatever name, or a folder, of which all files with one of the endings are meant, in the order
            of their paths, those of subfolders too.
        endings: such as ``.txt``.
        read: gives the levels of a file from its path and its contents (UTF-8); raises ArgumentError or TaskError if it
            cannot.

    Raises:
        ArgumentError: there is no such file, the folder has none, or the one file cannot be read; of what is no text,
            the line and column are told.
        TaskError: as `read` does for the one file.
    """
    path = Path(source)
    if not exists(source) or not path.is_dir():
        yield from read(path, read_text(source))
        return
    files = sorted(each for each in path.rglob("*") if each.suffix.lower() in endings and each.is_file())
    if not files:
        raise ArgumentError(f"{source}: no levels ({', '.join(f'*{ending}' for ending in endings)}) in it")
    for file in files:
        try:
            yield from read(file, read_text(str(file)))
        except TaskError as error:
            yield Unreadable(str(file), "; ".join(map(str, error.problems)))
        except ArgumentError as error:
            yield Unreadable(str(file), str(error).removeprefix(f"{file}: "))


def read_text(source: str) -> str:
    """The contents of a file (UTF-8).

    Raises:
        ArgumentError: there is no such file, or it cannot be read; of what is no text, the line and column are told.
    """
    if not exists(source):
        raise ArgumentError(f"{source}: no such file or folder")
    file = Path(source)
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
