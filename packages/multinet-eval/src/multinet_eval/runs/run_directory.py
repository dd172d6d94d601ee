"""`RunDirectory`: a recorded run on disk, as plain files that only ever grow.

* ``run.json``: the `Manifest`; written once, and anew when repetitions are added;
* ``tasks/``, ``texts/``, ``scenes/``, ``frames/``: tasks, first prompts, scenes to draw episodes with, and pictures of
  simulators that are not ours; each file is written once, and its name is the digest of what it holds;
* ``episodes/N.jsonl``: the lines of episode N (`multinet_eval.runs.episode_lines`); a second attempt is ``N.2.jsonl``;
* ``results.json``: the results, written last.

How far a run has come follows from its episodes, and is stored nowhere.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, takewhile
from pathlib import Path
from typing import Any

import cattrs

from gridworld.runner.record import EpisodeEnd, RecordingError
from gridworld.support.files import replacing, write_bytes, write_text
from gridworld.support.structuring import describe_structure_error
from gridworld.task_spec import TaskSpecification
from multinet_eval.json_text import json_text
from multinet_eval.runs.episode_lines import EpisodeLines, read_lines
from multinet_eval.runs.manifest import MANIFEST_VERSION, Manifest
from multinet_eval.runs.record_folders import RUN, TASKS, RunError, begin_record, read_record, read_task, task_files

__all__ = ["AttemptFile", "RunDirectory", "attempt_files", "is_run"]

RESULTS, EPISODES, TEXTS = "results.json", "episodes", "texts"
FRAMES = "frames"
BLOCK = 8192
"""How much is read of a file's end at first, in bytes."""
CUT_OFF = "cut it off with all that follows, and resuming goes on from there"
"""What to do about a damaged line."""
EPISODE_NAME = re.compile(r"([0-9]+)(?:\.([0-9]+))?\.jsonl")


def is_run(path: Path) -> bool:
    """Whether a folder holds a recorded run."""
    return (path / RUN.file).is_file()


class AttemptFile:
    """The file of one attempt at an episode, to which lines are added.

    Args:
        path: the file; what follows its last whole line is cut off.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._end = _cut_torn_line(self._descriptor)

    @property
    def empty(self) -> bool:
        """Whether it has no line."""
        return self._end == 0

    def add(self, line: bytes) -> None:
        """Write a line at once; raises OSError, and leaves no part of a line behind."""
        try:
            written = os.write(self._descriptor, line)
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
        except OSError:
            os.ftruncate(self._descriptor, self._end)
            raise
        self._end += len(line)

    def sync(self) -> None:
        """Wait until all that was written outlives a loss of power; raises OSError."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


class RunDirectory:
    """A recorded run.

    Args:
        path: its folder, made by `create`.

    Raises:
        RunError: it holds no run, or one that cannot be read.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        """Its folder as it was named, by which it is told of."""
        self.root = self.path.absolute()
        """The same for reading and writing, from wherever: a model may change the working directory."""
        self.manifest = _read_manifest(self.path)
        self._folders: set[str] = set()
        """Those that are known to exist."""
        self._kept: set[tuple[str, str]] = set()
        """Folder and name of each file that is known to exist."""

    @classmethod
    def create(cls, path: Path, manifest: Manifest, tasks: Iterable[TaskSpecification]) -> RunDirectory:
        """Make the folder of a new run; of several processes that make the same one, one succeeds.

        Raises:
            RunError: the folder exists and is not empty, or it cannot be written.
        """
        begin_record(path, RUN, manifest.to_dict(), task_files(tasks), (EPISODES, TASKS))
        return cls(path)

    def update(self, manifest: Manifest) -> None:
        """Take on a manifest with a longer plan, or confirm the one that was read; only for whoever holds the lock.

        Raises:
            RunError: the one on disk is no longer the one that was read, or it cannot be written.
        """
        file = self.root / RUN.file
        if _read_manifest(self.root) != self.manifest:
            raise RunError(f"{file} has been changed by another process meanwhile: start again")
        if manifest == self.manifest:
            return
        try:
            write_text(file, json_text(manifest.to_dict()) + "\n")
        except OSError as error:
            raise RunError(f"cannot write {file}: {error.strerror}") from error
        self.manifest = manifest

    def tasks(self) -> dict[str, TaskSpecification]:
        """Hash to task, of all tasks of the plan.

        Raises:
            RunError: one is missing or has been changed.
        """
        return {digest: self.task(digest) for digest in sorted({each.task for each in self.manifest.plan})}

    def task(self, digest: str) -> TaskSpecification:
        """The task with a hash; raises RunError if it is missing or has been changed."""
        return read_task(self.root, digest, self.manifest.played_with)

    def keep(self, folder: str, name: str, content: bytes) -> None:
        """Keep a file that is named by its digest, once; several threads may do so.

        One that is there with another content, as a loss of power may leave it, is written anew.

        Raises:
            OSError: it cannot be read or written.
        """
        if (folder, name) in self._kept:
            return
        path = self.root / folder / name
        if folder not in self._folders:
            path.parent.mkdir(exist_ok=True)
            self._folders.add(folder)
        if not path.exists() or path.read_bytes() != content:
            write_bytes(path, content)
        self._kept.add((folder, name))

    def text(self, digest: str) -> str:
        """A kept text; raises RunError if it is missing."""
        path = self.root / TEXTS / f"{digest}.txt"
        try:
            return path.read_bytes().decode("utf-8", "surrogatepass")
        except OSError as error:
            raise RunError(f"{path}: {error.strerror}") from error

    def attempts(self, number: int) -> list[Path]:
        """The files of an episode, one for each attempt, the latest last."""
        return list(takewhile(Path.exists, (self._attempt_path(number, attempt) for attempt in count(1))))

    def _attempt_path(self, number: int, attempt: int) -> Path:
        return self.root / EPISODES / (f"{number}.jsonl" if attempt == 1 else f"{number}.{attempt}.jsonl")

    def all_attempts(self) -> dict[int, list[Path]]:
        """The same for every episode, by its number; raises RunError if their folder cannot be read."""
        found: dict[int, list[Path]] = {}
        for number, _, path in attempt_files(self.root):
            found.setdefault(number, []).append(path)
        return found

    def episodes(self) -> Iterator[tuple[int, list[EpisodeLines]]]:
        """Number of each episode that has begun, in order, and what is recorded of each attempt at it.

        An episode is read when it is asked for, since a whole run may be more than fits into memory.

        Raises:
            RunError: a file cannot be read; its place is named.
        """
        for number, paths in sorted(self.all_attempts().items()):
            attempts = [lines for lines in map(self.read, paths) if lines is not None]
            if attempts:
                yield number, attempts

    def read(self, path: Path) -> EpisodeLines | None:
        """What a file of an episode says; None where not even the header was written.

        Raises:
            RunError: it cannot be read; the line is named.
        """
        try:
            lines = parsed_lines(path)
            first = next(lines, None)
            return None if first is None else read_lines(chain([first], lines), str(path))
        except OSError as error:
            raise RunError(f"cannot read {path}: {error.strerror}") from error
        except RecordingError as error:
            raise RunError(str(error)) from error

    def latest(self, attempts: Sequence[Path]) -> EpisodeLines | None:
        """What is recorded of the latest of some attempts at an episode; None where not even a header was written.

        Raises:
            RunError: its file cannot be read; the line is named.
        """
        for path in reversed(attempts):
            lines = self.read(path)
            if lines is not None:
                return lines
        return None

    def ends(self) -> dict[int, EpisodeEnd | None]:
        """Number of an episode to how it ended, None where it was left, for all that have begun.

        Nothing is read but the last line of each file, so that many runs can be looked over in a moment.

        Raises:
            RunError: such a line cannot be read; its file is named.
        """
        found = {}
        for number, paths in sorted(self.all_attempts().items()):
            for path in reversed(paths):
                last = _read_last_line(path)
                if last is not None:
                    found[number] = _end_in(last, path)
                    break
        return found

    def frame(self, digest: str) -> bytes:
        """A kept picture, PNG; raises RunError if it is missing."""
        path = self.root / FRAMES / f"{digest}.png"
        try:
            return path.read_bytes()
        except OSError as error:
            raise RunError(f"{path}: {error.strerror}") from error

    def open_attempt(self, number: int, fresh: bool) -> AttemptFile:
        """The file for the lines of an episode: that of the latest attempt or, if `fresh`, of a new one.

        An attempt of which nothing was written, not even its header, is none.

        Raises:
            OSError: it cannot be written.
        """
        attempts = self.attempts(number)
        for path in reversed(attempts):
            latest = AttemptFile(path)
            if latest.empty == fresh:
                return latest
            latest.close()
            if fresh:
                break
        return AttemptFile(self._attempt_path(number, len(attempts) + 1))

    def results(self) -> str | None:
        """The text of the results; None where there are none, or they cannot be read."""
        try:
            return (self.root / RESULTS).read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    def write_results(self, text: str) -> None:
        """Write the results, so that they outlive a loss of power; raises OSError."""
        with replacing(self.root / RESULTS) as place, place.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())


def attempt_files(run: Path) -> list[tuple[int, int, Path]]:
    """The files of all attempts in a run's folder: number of the episode, number of the attempt, path; sorted.

    Raises:
        RunError: the folder cannot be read.
    """
    folder = run / EPISODES
    try:
        matches = [(EPISODE_NAME.fullmatch(path.name), path) for path in folder.iterdir()]
    except OSError as error:
        raise RunError(f"cannot read {folder}: {error.strerror}") from error
    return sorted((int(match[1]), int(match[2] or 1), path) for match, path in matches if match)


def parsed_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Number and JSON of each whole line of a file; a torn last line is left out.

    Raises:
        OSError: it cannot be read.
        RecordingError: a line is no JSON, or a loss of power has taken it.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            if b"\0" in line:
                raise RecordingError(
                    f"{path}, line {number}: it holds zero bytes, as a loss of power may leave them in place of lines; "
                    + CUT_OFF
                )
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise RecordingError(f"{path}, line {number}: it is not JSON: {error}; {CUT_OFF}") from error


def _read_last_line(path: Path) -> dict[str, Any] | None:
    """The last whole line of an episode's file; None where there is none."""
    try:
        line = last_line(path)
        found = json.loads(line) if line else None
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{path}, last line: {error}") from error
    if found is None or (isinstance(found, dict) and len(found) == 1):
        return found
    raise RunError(f"{path}, last line: expected an object with one key")


def _end_in(line: Mapping[str, Any], path: Path) -> EpisodeEnd | None:
    try:
        return EpisodeEnd.from_dict(line["end"]) if "end" in line else None
    except RecordingError as error:
        raise RunError(f"{path}, last line: {error}") from error


def last_line(path: Path) -> bytes:
    """The last whole line of a file, with its end; empty where there is none; raises OSError."""
    size = BLOCK
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        while True:
            file.seek(max(0, length - size))
            text = file.read(size)
            whole = text[: text.rfind(b"\n") + 1]
            begin = whole.rfind(b"\n", 0, -1) + 1
            if begin or size >= length:
                return whole[begin:]
            size *= 4


def _cut_torn_line(descriptor: int) -> int:
    """Cut off what follows the last whole line; returns where that ends."""
    size = begin = os.fstat(descriptor).st_size
    end = 0
    while begin and not end:
        begin, block_end = max(0, begin - BLOCK), begin
        newline = os.pread(descriptor, block_end - begin, begin).rfind(b"\n")
        end = 0 if newline < 0 else begin + newline + 1
    if end < size:
        os.ftruncate(descriptor, end)
    return end


def _read_manifest(path: Path) -> Manifest:
    data = read_record(path, RUN, MANIFEST_VERSION)
    try:
        return Manifest.from_dict(data)
    except cattrs.BaseValidationError as error:
        raise RunError(f"{path / RUN.file} is damaged: {describe_structure_error(error, 'run')}") from error
