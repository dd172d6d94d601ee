"""Kinds of record folders, and how to create and safely read them.

Each folder has a file, named after its kind, that describes the record; it is written last when the folder is created.
Folders may come from other people, so only regular files are read, under names that stay inside the folder.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import chain, count
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import ArgumentError, GridworldError, TaskError
from gridworld.plugins.loading import FILE_VERSION
from gridworld.support.files import (
    NO_TASKS,
    FileError,
    MissingFileError,
    expand_user,
    is_file,
    parse_json,
    read_json,
    read_plain,
    rename_new,
    safe_file_name,
    temporary_name,
    write_bytes,
    write_text,
)
from gridworld.support.wording import listed, nearest, shorten
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import RULES_VERSION
from multinet_eval.record.ownership import is_own, sign
from multinet_eval.record.plan import task_hash
from multinet_eval.settings.defaults import RUNS, RUNS_VARIABLE
from multinet_eval.support.output import json_text

DIGEST = re.compile(r"[0-9a-f]{16,64}")
DEPTH = 2
"""Number of folder levels in a record: its own folder and those in it."""


def refuse_special_files(folder: Path, depth: int = DEPTH) -> None:
    """Reject links, pipes, sockets and devices in a folder; the folder itself may be a link.

    Raises:
        OSError: the folder contains such an entry, which the message names, or cannot be read.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth > 1:
                    refuse_special_files(Path(entry.path), depth - 1)
            elif not entry.is_file(follow_symlinks=False) and os.path.lexists(entry.path):
                raise _not_plain(entry.path, entry.is_symlink())


def read_kept(folder: Path, digest: object, suffix: str) -> bytes:
    """Read a file that is named after the digest of its content.

    Args:
        folder: its folder.
        digest: BLAKE2b with 8 bytes, in hexadecimal digits.
        suffix: the ending of its name.

    Raises:
        FileError: the file is missing, cannot be read, or has another content.
        ValueError: the digest is malformed, for example a path.
    """
    path = folder / f"{checked_digest(digest)}{suffix}"
    content = read_plain(path)
    if blake2b(content, digest_size=8).hexdigest() != digest:
        raise FileError(path, "its content has been changed")
    return content


def checked_digest(digest: object) -> str:
    """Return a digest, which is safe as a file name; raises ValueError for any other value."""
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        raise ValueError(f"expected a digest in hexadecimal digits, got {str(digest)[:80]!r}")
    return digest


def _not_plain(path: str, is_link: bool) -> OSError:
    kind = "a link" if is_link else "no plain file"
    return OSError(errno.EINVAL, f"it is {kind}, expected a file: replace it by a file, or remove it", path)


MOST_TOLD = 3
"""Maximum number of folders that a message suggests."""
TASKS = "tasks"
"""Name of the folder that holds tasks, each named after its hash."""


class RunError(GridworldError):
    """A record cannot be read, written or resumed."""


class TakenOverError(RunError):
    """Another process is now playing the run."""


@attrs.frozen
class RecordKind:
    """A kind of record."""

    name: str
    file: str
    """Name of the file that describes the record, unique among the kinds."""
    read_with: str
    """Command that reads the folder."""
    resume_with: str | None = None
    """Command that resumes the record; None if resuming needs more arguments."""


RUN = RecordKind("run", "run.json", "multinet runs show", "multinet runs resume")
"""A model played through a suite: `multinet_eval.record.run_directory`."""
PROBING = RecordKind("probing", "probe.json", "multinet probe --resume", "multinet probe --resume")
"""Answers to questions about states of tasks: `multinet_eval.probing.probe_directory`."""
DIAGNOSIS = RecordKind("diagnosis", "diagnosis.json", "multinet diagnose --resume", "multinet diagnose --resume")
"""One run for each way of playing: `multinet_eval.probing.diagnosis_runs`."""
EXPERIMENT = RecordKind("experiment", "experiment.json", "multinet runs list --runs")
"""One run for each condition: `multinet_eval.experiments.experiment_folder`."""
KINDS = (RUN, PROBING, DIAGNOSIS, EXPERIMENT)


class NotRecordedError(RunError, ArgumentError):
    """A folder does not contain the expected record.

    Args:
        path: the folder.
        expected: the kind of record.
    """

    def __init__(self, path: Path, expected: RecordKind) -> None:
        super().__init__(f"{path} is not a recorded {expected.name}: {_why_not(path, expected)}")


def _why_not(path: Path, expected: RecordKind) -> str:
    """Explain why a folder is not such a record, with suggestions."""
    if not path.exists():
        others = {
            each.name: each
            for folder in (Path(RUNS), runs_folder(), path.parent)
            for each in _holding(folder, expected)
        }
        meant = nearest(path.name, others)
        return "there is no such folder" + ("" if meant is None else f" (did you mean {others[meant]}?)")
    reason, found = f"it has no {expected.file}", kind_of(path)
    if found is not None:
        return f"{reason}; it holds a recorded {found.name}, which '{found.read_with} {path}' reads"
    if inside := _holding(path, expected):
        more = ["others"] if len(inside) > MOST_TOLD else []
        return f"{reason}; {expected.name}s in it: {listed([*map(str, inside[:MOST_TOLD]), *more])}"
    return reason


def _holding(folder: Path, expected: RecordKind) -> list[Path]:
    """List records of a kind in a folder, the latest name first; empty if the folder cannot be read."""
    try:
        return [path for path, kind in reversed(records_in(folder)) if kind is expected]
    except RunError:
        return []


class NotEmptyError(RunError, ArgumentError):
    """The folder for a new record is not empty.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        found = kind_of(path)
        advice = "" if found is None or found.resume_with is None else f"; '{found.resume_with} {path}' resumes it"
        super().__init__(f"{path} is not empty, expected a new folder{advice}")


class NotAFolderError(RunError, ArgumentError):
    """The path for a new record's folder is a file, or lies inside one.

    Args:
        path: the folder.
        file: the file, at the path or above it.
    """

    def __init__(self, path: Path, file: Path) -> None:
        way = "" if file == path else f", so there cannot be a folder {path}"
        super().__init__(f"{file} is a file, expected a new folder{way}")


def kind_of(path: Path) -> RecordKind | None:
    """Return the kind of record in a folder, possibly damaged; None without a record or access to the folder."""
    return next((kind for kind in KINDS if is_file(str(path / kind.file))), None)


def is_run(path: Path) -> bool:
    """Whether a folder contains a recorded run, possibly damaged."""
    return is_file(str(path / RUN.file))


def records_in(folder: Path) -> list[tuple[Path, RecordKind]]:
    """List the records in a folder by name; empty for a missing folder; raises RunError for an unreadable one."""
    try:
        paths = sorted(folder.iterdir()) if folder.exists() else []
    except OSError as error:
        raise RunError(f"cannot read {folder}: {error.strerror}") from error
    return [(path, kind) for path in paths if (kind := kind_of(path)) is not None]


def runs_folder() -> Path:
    """Return the default folder for records: ``$MULTINET_RUNS``, or ``runs``."""
    return Path(expand_user(os.environ.get(RUNS_VARIABLE) or RUNS))


@contextmanager
def reserved_folder(suite: str, model: str, within: Path = Path(RUNS)) -> Iterator[Path]:
    """Create an empty folder with a new name, ``<time>-<suite>-<model>``, and remove it if it stays empty.

    A number is added if the name is taken, so that processes that start in the same second get different folders. If no
    folder can be created, only the name is returned.
    """
    time = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    name = safe_file_name(f"{time}-{suite}-{model}".replace("/", "-"))
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    was_missing = not os.path.lexists(within)
    with suppress(OSError):  # reported when the record is written
        within.mkdir(parents=True, exist_ok=True)
    path = next(path for path in map(within.joinpath, names) if _reserve(path))
    try:
        yield path
    finally:
        with suppress(OSError):
            with suppress(FileNotFoundError):  # a record of no use was removed
                path.rmdir()
            if was_missing:
                within.rmdir()


def _reserve(path: Path) -> bool:
    """Create a folder if possible; return False if it exists."""
    try:
        path.mkdir()
    except FileExistsError:
        return False
    except OSError:
        pass
    return True


def require_new(path: Path, leftovers: Collection[str] = ()) -> None:
    """Check that a folder for a new record is missing or empty.

    Args:
        path: the folder.
        leftovers: names of subfolders to ignore, since a killed process may leave them.

    Raises:
        NotEmptyError: the folder is not empty.
        NotAFolderError: the path is a file, or lies inside one.
        RunError: the folder cannot be read.
    """
    try:
        there = next((place for place in (path, *path.parents) if place.exists()), None)
        if there is not None and not there.is_dir():
            raise NotAFolderError(path, there)
        found = list(path.iterdir()) if there == path else []
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    temporary = tuple(f".{kind.file}." for kind in KINDS)
    for each in found:
        is_left = each.name == NO_TASKS or each.name.startswith(temporary)
        if not is_left and not (each.name in leftovers and each.is_dir()):
            raise NotEmptyError(path)


def begin_record(
    path: Path, kind: RecordKind, says: Mapping[str, Any], files: Mapping[str, bytes], folders: Collection[str] = ()
) -> None:
    """Create the folder of a new record; if several processes create the same one, only one succeeds.

    Args:
        path: the folder.
        kind: the kind of record.
        says: the contents of its file without the version, JSON-ready.
        files: contents of initial files by their paths in the folder.
        folders: names of initial folders in it.

    Raises:
        NotEmptyError: the folder exists and is not empty.
        NotAFolderError: the path names a file.
        RunError: the folder cannot be written.
    """
    require_new(path, folders)
    try:
        path.mkdir(parents=True, exist_ok=True)
        for name in folders:
            (path / name).mkdir(exist_ok=True)
        (path / NO_TASKS).touch()
        for place, content in files.items():
            write_bytes(path / place, content)
        temporary = temporary_name(path / kind.file)
        write_text(temporary, record_text(says, kind))
        rename_new(temporary, path / kind.file)
    except FileExistsError:
        raise NotEmptyError(path) from None
    except OSError as error:
        raise RunError(f"cannot record the {kind.name} in {path}: {error.strerror}") from error


RECORDS_VERSION = f"6.{RULES_VERSION}"
"""Version of all records: of the form of their files, and of the rules under which they were played.

Increase the first number for every change to a file of a record.
"""


MAC = "mac"
"""Name of the member that tells one's own records from those of other people (`multinet_eval.record.ownership`)."""


def record_text(says: Mapping[str, Any], kind: RecordKind) -> str:
    """Write the file that describes a record of one's own, with the version of records."""
    data = {"version": RECORDS_VERSION, **says}
    mac = sign(_canonical(parse_json(json_text(data))), kind.name)
    return json_text(data if mac is None else {**data, MAC: mac}) + "\n"


def _canonical(data: Any) -> bytes:
    """Return the same bytes for the same JSON, however it is written."""
    return json.dumps(data, sort_keys=True).encode()


def read_record(path: Path, kind: RecordKind) -> dict[str, Any]:
    """Read what the file that describes a record says; raises as `read_signed` does."""
    return read_signed(path, kind)[0]


def read_signed(path: Path, kind: RecordKind) -> tuple[dict[str, Any], bool]:
    """Read what the file that describes a record says, and whether it is one's own, unchanged.

    Args:
        path: the folder.
        kind: the kind of record.

    Raises:
        NotRecordedError: the file is missing.
        RunError: the file cannot be read or has another version, or the folder holds links or other special files.
    """
    file = path / kind.file
    try:
        refuse_special_files(path)
        data = read_json(file)
    except (MissingFileError, FileNotFoundError, NotADirectoryError):
        raise NotRecordedError(path, kind) from None
    except OSError as error:
        raise RunError(f"cannot read {error.filename}: {error.strerror}") from error
    except FileError as error:
        raise RunError(str(error)) from error
    if not isinstance(data, dict):
        raise RunError(f"{file} is damaged: expected an object")
    mac = data.pop(MAC, None)
    own = is_own(_canonical(data), mac, kind.name)
    version = data.pop("version", None)
    if version is None:
        raise RunError(f"{file} is damaged: it has no version")
    if version != RECORDS_VERSION:
        raise RunError(f"{file} has version {shorten(str(version))}, and this release reads version {RECORDS_VERSION}")
    return data, own


def task_files(tasks: Iterable[TaskSpecification]) -> dict[str, bytes]:
    """Return the file contents of tasks, by path in the folder."""
    texts = {task_hash(task): json.dumps(task.to_dict(), indent=2, ensure_ascii=False) + "\n" for task in tasks}
    return {f"{TASKS}/{digest}.json": text.encode("utf-8", "backslashreplace") for digest, text in texts.items()}


def read_task(path: Path, digest: str, played_with: Mapping[str, str]) -> TaskSpecification:
    """Read a task from a record.

    Args:
        path: the folder.
        digest: the hash of the task.
        played_with: recorded versions of distributions; an error lists those that are missing here.

    Raises:
        RunError: the task is missing, was changed, or needs a missing plugin.
    """
    try:
        file = path / TASKS / f"{checked_digest(digest)}.json"
    except ValueError as error:
        raise RunError(f"{path / TASKS}: {error}") from error
    try:
        task = TaskSpecification.from_json(file)
    except OSError as error:
        raise RunError(f"{file}: the task cannot be read: {error.strerror}") from error
    except TaskError as error:
        problems = "; ".join(map(str, error.problems))
        raise RunError(f"{file}: the task cannot be read: {problems}{_missing(played_with)}") from error
    except GridworldError as error:  # of a plugin
        raise RunError(f"{file}: the task cannot be read: {error}") from error
    if task_hash(task) != digest:
        raise RunError(f"{file}: the task is not the one that was played; its file has been changed")
    return task


def _missing(played_with: Mapping[str, str]) -> str:
    """List distributions that are not installed here, as the end of a message."""
    from multinet_eval.record.fingerprint import missing_distributions  # rarely needed

    missing = missing_distributions(played_with)
    verb = "are" if len(missing) > 1 else "is"
    files = "; give plugins in files by --plugin FILE" if any(FILE_VERSION in each for each in missing) else ""
    return f"; it was played with {listed(missing)}, which {verb} not installed here{files}" if missing else ""
