"""Writing files whole or not at all, and asking whether there are any of a name."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["exists", "is_folder", "replacing", "write_bytes", "write_text"]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name in the folder of `path`; the file that is written there is renamed into place in the end.

    A device or a pipe cannot be replaced; it is given itself.

    Raises:
        OSError: the file cannot be renamed; neither then nor after any other exception is it left behind.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        yield path
        return
    # Threads, and processes on several machines that share a disk, may write the same file at the same time.
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file under a temporary name in the same folder, then rename it into place.

    Raises:
        OSError: the folder does not exist or cannot be written; nothing is left behind.
    """
    with replacing(path) as place:
        place.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))


def exists(name: str) -> bool:
    """Whether a file or folder has this name; not so for what cannot be a name."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def is_folder(name: str) -> bool:
    """Whether a folder has this name."""
    return exists(name) and Path(name).is_dir()
