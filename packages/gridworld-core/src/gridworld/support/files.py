"""Writing files whole or not at all, and asking whether there are any of a name."""

import os
from pathlib import Path

__all__ = ["exists", "is_folder", "write_bytes", "write_text"]


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file under a temporary name in the same folder, then rename it into place.

    Raises:
        OSError: the folder does not exist or cannot be written; nothing is left behind.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a device or a pipe cannot be replaced
        return
    # Threads, and processes on several machines that share a disk, may write the same file at the same time.
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


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
