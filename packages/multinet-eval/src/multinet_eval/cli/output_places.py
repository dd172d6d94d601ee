"""What is asked of the file or folder that an option such as ``--output`` names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gridworld.errors import ArgumentError

MANIFEST = "run.json"
OF_RUNS = (MANIFEST, "results.json")
"""What a recorded run consists of, beside folders."""

__all__ = ["refuse_file_as_folder", "refuse_output"]


def refuse_file_as_folder(path: Path, option: str = "--output") -> None:
    """Make sure that a folder could be there; raises ArgumentError if something else is, or it cannot be looked for."""
    with _about(path, option):
        if path.exists() and not path.is_dir():
            raise ArgumentError(f"{option}: {path} is a file, expected a folder")


def refuse_output(output: Path | None, option: str = "--output") -> None:
    """Make sure that a file that an option names could be written.

    Raises:
        ArgumentError: it could not.
    """
    if output is None:
        return
    with _about(output, option):
        if output.is_dir():
            raise ArgumentError(f"{option}: {output} is a folder, expected a file name")
        if output.name in OF_RUNS and (output.parent / MANIFEST).is_file():
            raise ArgumentError(f"{option}: {output} is a file of the record in {output.parent}")
        if not output.parent.is_dir():
            raise ArgumentError(f"{option}: the folder {output.parent} does not exist")
        replaced = not output.exists() or output.is_file()  # a device or a pipe is written where it is
        if not os.access(output.parent if replaced else output, os.W_OK):
            raise ArgumentError(f"{option}: cannot write {output}: permission denied, or the disk is read-only")


@contextmanager
def _about(path: Path, option: str) -> Iterator[None]:
    """Say what the option names where the system does not even look for it, such as a name that is too long."""
    try:
        yield
    except OSError as error:
        raise ArgumentError(f"{option}: {path}: {error.strerror}") from error
