"""Writing files whole or not at all, and asking whether there are any of a name."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = [
    "NO_TASKS",
    "exists",
    "is_folder",
    "json_files",
    "rename_new",
    "replacing",
    "temporary_name",
    "write_bytes",
    "write_text",
]

NO_TASKS = ".notasks"
"""A file of this name says that none of the files in its folder and the subfolders are meant as tasks."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name in the folder of `path`; the file that is written there is renamed into place in the end.

    A device, a pipe, or a file that has no name any more cannot be replaced; it is given itself.

    Raises:
        OSError: the file cannot be written or renamed, which is told of `path`, or of its folder if there is none;
            neither then nor after any other exception is it left behind.
    """
    if os.path.lexists(path):
        file = path.resolve()  # of an open pipe, to which /dev/stdout leads, this is no name of a file
        if path.exists() and not file.is_file():
            yield path
            return
        path = file
    temporary = temporary_name(path)
    try:
        yield temporary
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):  # what cannot be looked at was not written
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and (error.filename, error.filename2) == (str(temporary), None):
            error.filename = str(path)
            if isinstance(error, FileNotFoundError) and not path.parent.exists():
                error.strerror, error.filename = "the folder does not exist", str(path.parent)
        raise


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


def temporary_name(path: Path) -> Path:
    """A hidden name in the same folder that no other thread or process of this machine uses."""
    return path.with_name(f".{path.name}.{os.getpid()}.{threading.get_native_id()}.tmp")


def rename_new(temporary: Path, path: Path) -> None:
    """Rename a file in its folder, unless there is a file of the new name: of several processes, one succeeds.

    Raises:
        FileExistsError: there is one.
        OSError: the folder cannot be written.
    """
    try:
        path.hardlink_to(temporary)
        temporary.unlink()
    except FileExistsError:
        raise
    except OSError:  # a disk without hard links
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        temporary.replace(path)


def exists(name: str) -> bool:
    """Whether a file or folder has this name; not so for what cannot be a name."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def is_folder(name: str) -> bool:
    """Whether a folder has this name."""
    return exists(name) and Path(name).is_dir()


def json_files(folder: Path) -> Iterator[Path]:
    """Everything but folders in a folder and its subfolders whose name ends in ``.json``, in the order of the paths.

    They are looked for as they are asked for. Links to folders are not followed; folders that may not be read, or are
    none any more, are passed over, and so are subfolders with a file `NO_TASKS`.
    """
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not os.path.lexists(Path(entry.path, NO_TASKS)):
                    yield from json_files(Path(entry.path))
            elif entry.name.endswith(".json") and not Path(entry.path).is_dir():
                yield Path(entry.path)
