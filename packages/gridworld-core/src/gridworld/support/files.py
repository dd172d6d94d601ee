"""Files: bounded reading, atomic writes, safe names, listings of task files, and home folders."""

import errno
import json
import math
import os
import re
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from gridworld.errors import GridworldError
from gridworld.support.wording import shorten

NO_TASKS = ".notasks"
"""Name of a marker file: its folder and subfolders contain no task files."""
MAX_LENGTH = 100
"""Maximum length in characters of names made by `safe_file_name`."""
HASH_DIGITS = 8
UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
UNSAFE_OR_DOT = re.compile(r"[^A-Za-z0-9_-]")
MIB = 2**20
MOST_BYTES = 256 * MIB
"""Limit for a file that is read whole, unless its reader has a lower one."""
MOST_OF_JSON = 64 * MIB
"""Limit for a JSON file, unless its reader has a lower one: parsed, it takes up to thirty times as much memory."""
LONGEST_LINE = 16 * MIB
"""Limit for a line of a file that is read line by line, in bytes."""
MOST_BITS, DIGITS = 64, 19
"""Limit for whole numbers in JSON, and a number of digits that always fits."""
IRREGULAR = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
}
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)
"""Pattern of device names reserved by Windows, with any extension."""


class FileError(GridworldError):
    """A file cannot be read, or its content is not as expected.

    Args:
        path: the file.
        problem: the problem, and what was expected.
        line: number of the line, from 1; None for the whole file.
    """

    def __init__(self, path: Path | str, problem: str, line: int | None = None) -> None:
        self.path = Path(path)
        self.problem = problem
        self.line = line
        super().__init__(f"{path}{'' if line is None else f', line {line}'}: {problem}")


class MissingFileError(FileError):
    """There is no file with this name."""


class JSONError(ValueError):
    """A text is not JSON, or exceeds the limits of `parse_json`.

    Args:
        problem: the problem.
        place: line and column, or the byte; empty for the whole text.
        position: number of characters before it, if known.
    """

    def __init__(self, problem: str, place: str = "", position: int = 0) -> None:
        self.problem, self.place, self.position = problem, place, position
        super().__init__(f"{place}: {problem}" if place else problem)


def open_plain(path: Path, most: int = MOST_BYTES, follow: int = os.O_NOFOLLOW) -> BinaryIO:
    """Open a regular file to read it, without waiting for pipes.

    Args:
        path: the file.
        most: maximum number of bytes.
        follow: 0 to follow a link, ``os.O_NOFOLLOW`` to refuse it.

    Raises:
        MissingFileError: the file does not exist.
        FileError: it is a link, folder, pipe or device, is too large, or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | follow)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingFileError(path, "there is no such file") from error
    except ValueError as error:  # a name with a zero byte
        raise FileError(shorten(str(path)), f"it is not a file name: {error}") from error
    except OSError as error:
        _refuse_irregular(path, error)
        raise FileError(path, f"it cannot be read: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileError(path, _not_regular(status.st_mode))
        if status.st_size > most:
            raise FileError(path, f"it has {status.st_size} bytes, expected at most {most}")
        return os.fdopen(descriptor, "rb")
    except FileError:
        os.close(descriptor)
        raise


def _refuse_irregular(path: Path, error: OSError) -> None:
    """Raise FileError for what cannot be opened because it is not a file."""
    if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
        with suppress(OSError):  # a folder above it is a link to itself
            raise FileError(path, _not_regular(path.lstat().st_mode))


def _not_regular(mode: int) -> str:
    return f"it is {IRREGULAR.get(stat.S_IFMT(mode), 'a special file')}, expected a regular file"


def read_plain(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a file of a folder that may come from other people: links are refused; raises as `open_plain` does."""
    with open_plain(path, most) as file:
        return _content(path, file, most)


def read_given(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a file that the user has named, which may be a link to a regular file; raises as `open_plain` does."""
    with open_plain(path, most, follow=0) as file:
        return _content(path, file, most)


def _content(path: Path, file: BinaryIO, most: int) -> bytes:
    try:
        content = file.read(min(most, os.fstat(file.fileno()).st_size) + 1)
        while len(content) <= most and (more := file.read(MIB)):  # it grows meanwhile
            content += more
    except OSError as error:
        raise FileError(path, f"it cannot be read: {error.strerror}") from error
    except MemoryError as error:
        raise FileError(path, "it needs more memory than there is") from error
    if len(content) > most:
        raise FileError(path, f"it grew to more than {most} bytes, expected at most that")
    return content


def read_lines(path: Path, size: int | None = None, most: int = MOST_BYTES) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of each complete line of a file in a folder that may come from other people.

    An incomplete last line is ignored.

    Args:
        path: the file.
        size: number of bytes to read; None for all.
        most: maximum size of the file in bytes.

    Raises:
        FileError: a line is longer than `LONGEST_LINE`, or contains zero bytes, which a loss of power may leave; also
            as `open_plain` does.
    """
    end = 0
    with open_plain(path, most) as file:
        for number in count(1):
            try:
                line = file.readline(LONGEST_LINE + 1)
            except OSError as error:
                raise FileError(path, f"it cannot be read: {error.strerror}") from error
            end += len(line)
            if len(line) > LONGEST_LINE:
                raise FileError(path, f"it has more than {LONGEST_LINE} bytes, expected at most that", number)
            if not line.endswith(b"\n") or (size is not None and end > size):
                return
            if b"\0" in line:
                problem = "it holds zero bytes, which a loss of power may leave in place of lines"
                raise FileError(path, f"{problem}; delete it and all lines after it", number)
            yield number, line


def read_json(path: Path, most: int = MOST_OF_JSON) -> Any:
    """Read a JSON file of a folder that may come from other people.

    Raises:
        FileError: it is not JSON, or exceeds the limits of `parse_json`; also as `read_plain` does.
    """
    content = read_plain(path, most)
    try:
        return parse_json(content)
    except JSONError as error:
        raise FileError(path, f"it is not JSON: {error}") from error


def finite(number: str) -> float:
    """Read a number of JSON; raises JSONError if it is too large for a float, or none, such as ``NaN``."""
    if not number[-1].isdecimal():
        raise JSONError(f"{number} is not a number in JSON")
    found = float(number)
    if not math.isfinite(found):
        raise JSONError(f"a number is too large: {number:.30}")
    return found


def parse_json(
    content: bytes | str,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
    number: Callable[[str], float] = finite,
) -> Any:
    """Parse JSON, which may begin with a byte order mark.

    Args:
        content: text, or its encoding in UTF-8.
        pairs: makes an object of its names and values; by default a dictionary, in which the last of equal names wins.
        number: reads fractions, whole numbers of more than 64 bits, and the words ``NaN``, ``Infinity`` and
            ``-Infinity``; `float` accepts all of them.

    Raises:
        JSONError: the content is not JSON, is nested more deeply than Python's recursion limit, or needs more memory
            than there is.
    """
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        whole = partial(_whole, number)
        return json.loads(text, object_pairs_hook=pairs, parse_int=whole, parse_float=number, parse_constant=number)
    except RecursionError as error:
        raise JSONError("it is nested too deeply") from error
    except MemoryError as error:
        raise JSONError("it needs more memory than there is") from error
    except UnicodeDecodeError as error:
        raise JSONError("not UTF-8 text", f"byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise JSONError(error.msg, f"line {error.lineno}, column {error.colno}", error.pos) from error


def numbers_in(value: Any) -> Iterator[float]:
    """Yield all numbers in JSON-ready data, in no particular order."""
    rest = [value]
    while rest:
        each = rest.pop()
        if isinstance(each, dict):
            rest.extend(each.values())
        elif isinstance(each, list):
            rest.extend(each)
        elif isinstance(each, int | float):
            yield each


def _whole(number: Callable[[str], float], digits: str) -> float:
    if len(digits) < DIGITS or (len(digits) < 2 * DIGITS and int(digits).bit_length() <= MOST_BITS):
        return int(digits)
    return number(digits)


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


def store_bytes(path: Path, content: bytes) -> None:
    """Write a file as `write_bytes` does, but in place of a pipe, device or link that has its name."""
    temporary = temporary_name(path)
    try:
        with suppress(FileNotFoundError):
            temporary.unlink()
        with temporary.open("xb") as file:  # a link of that name is not followed
            file.write(content)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


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


def is_file(name: str) -> bool:
    """Whether a regular file, or a link to one, with this name exists and can be accessed."""
    return exists(name) and Path(name).is_file()


def check_name(name: str) -> None:
    """Check that the system accepts a path, whether or not there is a file; raises ValueError."""
    try:
        os.lstat(name)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ValueError("it is too long") from error


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
