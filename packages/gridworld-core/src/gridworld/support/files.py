"""Writing files whole or not at all."""

import os
from pathlib import Path

__all__ = ["write_bytes", "write_text"]


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file under a temporary name in the same folder, then rename it into place.

    Raises:
        OSError: the folder does not exist or cannot be written; nothing is left behind.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a device or a pipe cannot be replaced
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))
