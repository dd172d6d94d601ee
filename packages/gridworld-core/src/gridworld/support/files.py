"""Files: atomic writes, safe names, listings of task files, home folders and TOML."""

import os
import re
import threading
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from gridworld.errors import ArgumentError

NO_TASKS = ".notasks"
"""Name of a marker file: its folder and subfolders contain no task files."""
MAX_LENGTH = 100
"""Maximum length in characters of names made by `safe_file_name`."""
HASH_DIGITS = 8
UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
UNSAFE_OR_DOT = re.compile(r"[^A-Za-z0-9_-]")
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)
"""Pattern of device names reserved by Windows, with any extension."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary name in the folder of `path`; on success, rename the file written there to `path`.

    Yields `path` itself if it cannot be replaced: a device, a pipe, or an open file that has been unlinked.

    Raises:
        OSError: the file cannot be written or renamed; the error names `path`, or the folder if that is missing. The
            temporary file is removed after any exception.
    """
    if os.path.lexists(path):
        file = path.resolve()  # for an open pipe, such as behind /dev/stdout, this is not the name of a file
        if path.exists() and not file.is_file():
            yield path
            return
        path = file
    temporary = temporary_name(path)
    try:
        yield temporary
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):  # if it cannot be accessed, it was not written either
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and (error.filename, error.filename2) == (str(temporary), None):
            error.filename = str(path)
            if isinstance(error, FileNotFoundError) and not path.parent.exists():
                error.strerror, error.filename = "the folder does not exist", str(path.parent)
        raise


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely, or raise OSError and leave nothing behind."""
    with replacing(path) as place:
        place.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))


def temporary_name(path: Path) -> Path:
    """Return a hidden name in the folder of `path` that no other thread or process on this machine uses."""
    return path.with_name(f".{path.name}.{os.getpid()}.{threading.get_native_id()}.tmp")


def rename_new(temporary: Path, path: Path) -> None:
    """Rename a file within its folder unless `path` exists; of several processes, exactly one succeeds.

    Raises:
        FileExistsError: `path` exists.
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
    """Whether a file or folder with this name exists; False for a string that cannot be a name."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def is_folder(name: str) -> bool:
    """Whether a folder with this name exists."""
    return exists(name) and Path(name).is_dir()


def json_files(folder: Path) -> Iterator[Path]:
    """Find all files ending in ``.json`` in a folder and its subfolders, sorted by path.

    The search is lazy. It skips links to folders, unreadable or vanished folders, and folders marked with `NO_TASKS`.
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


def safe_file_name(name: str, keep_dots: bool = True) -> str:
    """Turn any string into a file or folder name that every common file system accepts; a pure function of `name`.

    The result consists of ASCII letters, digits, ``_``, ``-`` and ``.``, and neither begins nor ends with a dot. A safe
    `name` is returned unchanged; any other gets a hash of `name` as its suffix, so that different names stay different.

    Args:
        name: any string, even an empty one.
        keep_dots: whether the file name may contain dots.
    """
    cleaned = (UNSAFE if keep_dots else UNSAFE_OR_DOT).sub("_", name)
    if not cleaned or cleaned.startswith(".") or DEVICE.match(cleaned):
        cleaned = f"_{cleaned}"
    if cleaned == name and len(name) <= MAX_LENGTH and not name.endswith("."):
        return name
    # JSON can contain lone surrogates, which UTF-8 cannot encode otherwise.
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]
    return f"{cleaned[: MAX_LENGTH - HASH_DIGITS - 1]}-{digest}"


def unique_file_names(names: Iterable[str]) -> list[str]:
    """Make a `safe_file_name` for each name, unique even on case-insensitive systems: ``x``, ``x-2``, ``x-3``."""
    taken: set[str] = set()
    found = []
    for name in names:
        safe = candidate = safe_file_name(name)
        number = 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{safe}-{number}"
        taken.add(candidate.lower())
        found.append(candidate)
    return found


def expand_user(path: str) -> str:
    """Replace a leading ``~`` or ``~user`` by the home folder; paths of unknown users stay unchanged."""
    if path.startswith("~"):
        with suppress(RuntimeError):
            return str(Path(path).expanduser())
    return path


def parse_toml(content: bytes, place: str) -> dict[str, Any]:
    """Parse a TOML file, with or without a byte order mark.

    Args:
        content: the bytes of the file.
        place: name of the file in messages.

    Raises:
        ArgumentError: the content is not TOML, or not UTF-8.
    """
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except ValueError as error:  # of TOML, or of UTF-8
        raise ArgumentError(f"{place}: not a TOML file: {error}") from error
