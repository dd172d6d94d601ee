"""The digest of what is in files and folders that arguments name, such as the weights of a model."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path

from gridworld.errors import ArgumentError
from gridworld.support.files import exists, is_folder
from gridworld.support.home_folder import below_home
from gridworld.world.digest import text_digest


def content_digest(paths: Mapping[str, Path | str]) -> str | None:
    """The digest of the contents of files, and of all files in folders with their names.

    Files and folders whose names begin with a dot are left out of folders, and places do not count: a copy elsewhere
    has the same digest.

    Args:
        paths: name of each argument to what it may name; what is neither a file nor a folder is left out.

    Returns:
        16 hexadecimal digits; None if nothing is a file or folder.

    Raises:
        ArgumentError: a file cannot be read; the argument is named.
    """
    found = []
    for name, path in sorted(paths.items()):
        try:
            found += sorted(f"{name} {inner} {digest}" for inner, digest in _digests(below_home(str(path))))
        except OSError as error:
            raise ArgumentError(f"-M {name}: cannot read {error.filename or path}: {error.strerror}") from error
    return text_digest("\n".join(found)) if found else None


def _digests(path: str) -> Iterator[tuple[str, str]]:
    """The name inside a folder, empty for a file itself, and the digest of each file; nothing for any other text."""
    if is_folder(path):
        for folder, folders, files in os.walk(path, onerror=_raise):
            folders[:] = [name for name in folders if not name.startswith(".")]
            inner = [Path(folder, name) for name in files if not name.startswith(".")]
            yield from ((each.relative_to(path).as_posix(), _digest(each)) for each in inner if each.is_file())
    elif exists(path) and Path(path).is_file():
        yield "", _digest(Path(path))


def _raise(error: OSError) -> None:
    raise error


def _digest(file: Path) -> str:
    """The digest of a file; it is read once as long as it is not changed."""
    status = file.stat()
    return _read(file, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1000)
def _read(file: Path, *unchanged: int) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, partial(hashlib.blake2b, digest_size=8)).hexdigest()
