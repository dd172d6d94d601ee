"""`RunDirectory`: a recorded run on disk, as plain files that only ever grow.

* ``run.json``: the `Manifest`, rewritten when repetitions are added or options change;
* ``tasks/``, ``texts/``, ``scenes/``, ``frames/``: tasks, first prompts, scenes to draw episodes with, and pictures of
  other simulators; each file is written once and named by the digest of its content;
* ``sessions/S.json``: the parts of earlier sessions' files that session S takes over (`multinet_eval.record.lock`);
* ``episodes/N.jsonl``: the lines of episode N (`multinet_eval.record.events`); a second attempt is
  ``N.2.jsonl``, and the part of attempt A that session S writes is ``N.A.S.jsonl``;
* ``results.json``: the results, written last;
* ``lock``: names the process that plays the run (`multinet_eval.record.lock`).

Each file of an episode has one writer; only the newest session writes ``run.json`` and ``results.json``. Progress
follows from the episodes and is stored nowhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import attrs
import cattrs

from gridworld.errors import Problem
from gridworld.runner.record import EpisodeEnd
from gridworld.support.checks import describe_structure_error
from gridworld.support.files import (
    LONGEST_LINE,
    FileError,
    JSONError,
    open_plain,
    parse_json,
    read_plain,
    replacing,
    store_bytes,
    write_text,
)
from gridworld.support.wording import counted
from gridworld.task_spec import TaskSpecification
from gridworld.world.digest import text_digest
from multinet_eval.record.events import EpisodeRecord, read_episode
from multinet_eval.record.lines import MOST_OF_AN_ATTEMPT, RecordedLine, recorded_lines
from multinet_eval.record.lock import SESSIONS, claim_session, newest_claim
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.record_folders import (
    RUN,
    TASKS,
    RunError,
    TakenOverError,
    begin_record,
    read_kept,
    read_signed,
    read_task,
    record_text,
    task_files,
)

RESULTS, EPISODES = "results.json", "episodes"
FRAMES, SCENES, TEXTS = "frames", "scenes", "texts"
SUFFIXES = {FRAMES: ".png", SCENES: ".json", TEXTS: ".txt"}
"""Suffix of files named after their digests, by folder."""
BLOCK = 8192
"""Number of bytes to read first at the end of a file."""
EPISODE_NAME = re.compile(r"(0|[1-9][0-9]{0,17})(?:\.([1-9][0-9]{0,8})(?:\.([1-9][0-9]{0,8}))?)?\.jsonl")


@attrs.frozen
class AttemptPart:
    """A file written by one session for one attempt at an episode."""

    path: Path
    session: int
    size: int | None
    """Number of valid bytes; None for all complete lines."""

    @property
    def is_torn(self) -> bool:
        """Whether the whole file counts but its last line is incomplete; raises as `fixed` does."""
        return self.size is None and self.fixed().size != self.path.stat().st_size

    def fixed(self) -> AttemptPart:
        """Return a copy whose size is fixed at the last complete line; raises FileError, or OSError while reading."""
        with open_plain(self.path, MOST_OF_AN_ATTEMPT) as file:
            length = whole_size(file.fileno())
        return attrs.evolve(self, size=length if self.size is None else min(length, self.size))

    def lines(self) -> Iterator[RecordedLine]:
        """Yield the complete lines; raises as `recorded_lines` does."""
        return recorded_lines(self.path, self.size)


@attrs.frozen
class Attempt:
    """An attempt at an episode, in one or more sessions."""

    number: int
    """Number of the attempt, from 1."""
    parts: tuple[AttemptPart, ...]
    """Files of the attempt by session; at least one."""

    def lines(self) -> Iterator[RecordedLine]:
        """Yield the complete lines; raises as `recorded_lines` does."""
        return chain.from_iterable(part.lines() for part in self.parts)

    @property
    def path(self) -> Path:
        """Last file of the attempt, for messages."""
        return self.parts[-1].path

    @property
    def is_torn(self) -> bool:
        """Whether the last line of the attempt is incomplete; raises as `AttemptPart.fixed` does."""
        return self.parts[-1].is_torn

    def last_line(self) -> RecordedLine | None:
        """Return the last complete line; None if there is none; raises FileError."""
        for part in reversed(self.parts):
            if text := last_line(part.path, part.size):
                return RecordedLine(part.path, None, text)
        return None


class RunDirectory:
    """A recorded run.

    Args:
        path: its folder, made by `create`.

    Raises:
        RunError: the folder contains no run, or one that cannot be read.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        """Path of the folder as given, for messages."""
        self.root = self.path.absolute()
        """Absolute path of the folder, since a model may change the working directory."""
        self.manifest, self.is_own = _read_manifest(self.path)
        """What the run is, and whether this user has recorded it (`multinet_eval.record.ownership`)."""
        self._folders: set[str] = set()
        """Folders known to exist."""
        self._kept: set[tuple[str, str]] = set()
        """Folder and name of each file known to exist."""
        self._session = 0
        """Session number of this process; 0 if it only reads."""
        self._latest: dict[int, int] = {}
        """Number of the latest attempt at each episode, while a session is open."""

    @classmethod
    def create(
        cls, path: Path, manifest: Manifest, tasks: Iterable[TaskSpecification], texts: Iterable[str] = ()
    ) -> RunDirectory:
        """Make the folder of a new run, with the texts of the manifest's files; raises as `begin_record` does."""
        kept = {
            f"{TEXTS}/{text_digest(text)}{SUFFIXES[TEXTS]}": text.encode("utf-8", "surrogatepass") for text in texts
        }
        folders = (EPISODES, TASKS, *([TEXTS] if kept else []))
        begin_record(path, RUN, manifest.to_dict(), {**task_files(tasks), **kept}, folders)
        return cls(path)

    def begin_session(self, so_far: Mapping[int, Sequence[Attempt]]) -> None:
        """Begin a session, which may write; the caller must hold the lock.

        Args:
            so_far: the valid record of earlier sessions (`recorded_so_far`).

        Raises:
            RunError: another process begins a session at the same time, or the folder cannot be written.
        """
        for number, attempts in so_far.items():
            begun = [each.number for each in attempts if any(part.size for part in each.parts)]
            self._latest[number] = max(begun, default=0)
        parts = [part for attempts in so_far.values() for each in attempts for part in each.parts]
        sizes = {part.path.relative_to(self.root).as_posix(): part.size or 0 for part in parts}
        self._session = claim_session(self.root, sizes, max((part.session for part in parts), default=0)).number

    def update(self, manifest: Manifest) -> None:
        """Write a manifest with a longer plan or other options, in a session; the run is one's own from then on.

        Raises:
            RunError: the manifest on disk has changed, another session has begun, or the file cannot be written.
        """
        file = self.root / RUN.file
        self._check_newest()
        if _read_manifest(self.root) != (self.manifest, self.is_own):
            raise RunError(f"{file} has been changed by another process meanwhile: start again")
        if manifest == self.manifest and self.is_own:
            return
        try:
            write_text(file, record_text(manifest.to_dict(), RUN))
        except OSError as error:
            raise RunError(f"cannot write {file}: {error.strerror}") from error
        self.manifest, self.is_own = manifest, True

    def tasks(self) -> dict[str, TaskSpecification]:
        """Read all tasks of the plan by their hashes; raises RunError if a task is missing or was changed."""
        return {digest: self.task(digest) for digest in sorted({each.task for each in self.manifest.plan})}

    def task(self, digest: str) -> TaskSpecification:
        """Read the task with a hash; raises RunError if the task is missing or was changed."""
        return read_task(self.root, digest, self.manifest.played_with)

    def keep(self, folder: str, name: str, content: bytes) -> None:
        """Write a file named after its digest, once; raises OSError.

        A file with different content, which a power loss may leave, is replaced.
        """
        if (folder, name) in self._kept:
            return
        path = self.root / folder / name
        if folder not in self._folders:
            path.parent.mkdir(exist_ok=True)
            self._folders.add(folder)
        if not _holds(path, content):
            store_bytes(path, content)
        self._kept.add((folder, name))

    def text(self, digest: str) -> str:
        """Read a stored text; raises RunError if it is missing or was changed."""
        return self._read_kept(TEXTS, digest).decode("utf-8", "surrogatepass")

    def frame(self, digest: object) -> bytes:
        """Read a stored picture (PNG); raises RunError if it is missing or was changed."""
        return self._read_kept(FRAMES, digest)

    def scene(self, digest: object) -> dict[str, Any]:
        """Read a stored scene (JSON); raises RunError if it is missing or was changed."""
        content = self._read_kept(SCENES, digest)
        try:
            found: dict[str, Any] = parse_json(content)
        except JSONError as error:
            raise RunError(f"{self.path / SCENES / str(digest)}.json: it is not JSON: {error}") from error
        return found

    def _read_kept(self, folder: str, digest: object) -> bytes:
        try:
            return read_kept(self.root / folder, digest, SUFFIXES[folder])
        except FileError as error:
            raise RunError(str(error)) from error
        except ValueError as error:
            raise RunError(f"{self.path / folder}: {error}") from error

    def attempts(self, number: int) -> list[Attempt]:
        """List the attempts at an episode, the latest last; raises RunError if they cannot be read."""
        return self.all_attempts().get(number, [])

    def all_attempts(self) -> dict[int, list[Attempt]]:
        """List the attempts at all episodes, by episode number; raises RunError if they cannot be read."""
        return all_attempts(self.root)

    def recorded_so_far(self) -> dict[int, list[Attempt]]:
        """List the attempts at all episodes, each fixed at its last complete line; raises RunError."""
        try:
            return {
                number: [attrs.evolve(each, parts=tuple(part.fixed() for part in each.parts)) for each in attempts]
                for number, attempts in self.all_attempts().items()
            }
        except FileError as error:
            raise RunError(str(error)) from error
        except OSError as error:
            raise RunError(f"cannot read {error.filename}: {error.strerror}") from error

    def episodes(
        self, chosen: Mapping[int, Sequence[Attempt]] | None = None
    ) -> Iterator[tuple[int, list[EpisodeRecord]]]:
        """Yield the number of each begun episode, in order, and the records of its attempts.

        Episodes are read one by one, since a whole run may not fit into memory.

        Args:
            chosen: the attempts to read; by default all.

        Raises:
            RunError: a file cannot be read; the message names the file and line.
        """
        for number, attempts in (self.all_attempts() if chosen is None else chosen).items():
            read = [lines for lines in map(read_attempt, attempts) if lines is not None]
            if read:
                yield number, read

    def latest(self, attempts: Sequence[Attempt]) -> EpisodeRecord | None:
        """Read the latest attempt that has a header; None if none has one; raises as `read_attempt` does."""
        return next((lines for each in reversed(attempts) if (lines := read_attempt(each)) is not None), None)

    def ends(self) -> dict[int, EpisodeEnd | None]:
        """Read the end of each begun episode, by number, without its final state; None for an unfinished one.

        Only the last line of each file is read, so that many runs can be listed quickly.

        Raises:
            RunError: a last line cannot be read; the message names the file.
        """
        found: dict[int, EpisodeEnd | None] = {}
        for number, attempts in self.all_attempts().items():
            for each in reversed(attempts):
                begun, end = _begun_and_end(each)
                if begun:
                    found[number] = end
                    break
        return found

    def attempt_path(self, number: int, is_new: bool) -> Path:
        """Return the path of this session's file for the latest attempt at an episode, or for a new one."""
        attempt = self._latest[number] = self._latest.get(number, 0) + is_new
        name = f"{number}" if attempt == 1 else f"{number}.{attempt}"
        if self._session > 1:
            name = f"{number}.{attempt}.{self._session}"
        return self.root / EPISODES / f"{name}.jsonl"

    def results(self) -> str | None:
        """Read the text of the results; None if it is missing or cannot be read."""
        try:
            return read_plain(self.root / RESULTS).decode()
        except (FileError, ValueError):
            return None

    def write_results(self, text: str) -> None:
        """Write the results and sync them; raises RunError, also if another session has begun."""
        self._check_newest()
        try:
            with replacing(self.root / RESULTS) as place, place.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise RunError(f"cannot write {self.path / RESULTS}: {error.strerror}") from error

    def _check_newest(self) -> None:
        """Check that no session has begun after this process's own."""
        if self._session and newest_claim(self.root).number != self._session:
            raise TakenOverError(f"another process has taken over the run {self.path}")


def read_attempt(attempt: Attempt) -> EpisodeRecord | None:
    """Read an attempt; None without a header; raises RunError naming a line that cannot be read."""
    try:
        lines = attempt.lines()
        first = next(lines, None)
        return None if first is None else read_episode(chain([first], lines))
    except FileError as error:
        raise RunError(str(error)) from error


def _holds(path: Path, content: bytes) -> bool:
    try:
        return read_plain(path, len(content)) == content
    except FileError:
        return False


def all_attempts(run: Path) -> dict[int, list[Attempt]]:
    """List the attempts in a run's folder by episode number, both sorted, ignoring invalid files.

    Raises:
        RunError: the folder, or the claim of the newest session, cannot be read.
    """
    folder = run / EPISODES
    try:
        matches = [(EPISODE_NAME.fullmatch(path.name), path) for path in folder.iterdir()]
    except OSError as error:
        raise RunError(f"cannot read {folder}: {error.strerror}") from error
    names = sorted((int(match[1]), int(match[2] or 1), int(match[3] or 1), path) for match, path in matches if match)
    claim = newest_claim(run)  # after the files, so that the session of each is known
    found: dict[int, dict[int, list[AttemptPart]]] = {}
    for number, attempt, session, path in names:
        size = claim.size_of(f"{EPISODES}/{path.name}", session)
        if size != 0:
            found.setdefault(number, {}).setdefault(attempt, []).append(AttemptPart(path, session, size))
    return {
        number: [Attempt(attempt, tuple(parts)) for attempt, parts in attempts.items()]
        for number, attempts in found.items()
    }


def stray_files(run: Path) -> Iterator[Problem]:
    """Report files among a run's episodes that have an unexpected name or belong to an unrecorded session."""
    for path in sorted((run / EPISODES).glob("*.jsonl")):
        match = EPISODE_NAME.fullmatch(path.name)
        if match is None:
            yield Problem(str(path), "its name is not that of an episode's file")
        elif match[3] and not (run / SESSIONS / f"{match[3]}.json").is_file():
            yield Problem(str(path), f"{SESSIONS}/{match[3]}.json, the claim of its session, is missing")


def _begun_and_end(attempt: Attempt) -> tuple[bool, EpisodeEnd | None]:
    """Read from the last complete line whether an attempt has begun, and its end, if any."""
    try:
        line = attempt.last_line()
        return line is not None, line.to_bare_end() if line is not None and line.kind == "end" else None
    except FileError as error:
        raise RunError(str(error)) from error


def last_line(path: Path, size: int | None = None) -> bytes:
    """Return the last complete line in the first `size` bytes of a file, with its line feed; empty if none.

    Raises:
        FileError: the line is longer than `LONGEST_LINE`; also as `open_plain` does.
    """
    block = BLOCK
    with open_plain(path, MOST_OF_AN_ATTEMPT) as file:
        length = file.seek(0, os.SEEK_END)
        length = length if size is None else min(length, size)
        while block < 4 * LONGEST_LINE:
            file.seek(max(0, length - block))
            text = file.read(min(block, length))
            whole = text[: text.rfind(b"\n") + 1]
            begin = whole.rfind(b"\n", 0, -1) + 1
            if begin or block >= length:
                return whole[begin:]
            block *= 4
    raise FileError(path, f"its last line has more than {LONGEST_LINE} bytes, expected at most that")


def whole_size(descriptor: int) -> int:
    """Return the end offset of the last complete line of an open file."""
    begin = os.fstat(descriptor).st_size
    while begin:
        begin, block_end = max(0, begin - BLOCK), begin
        newline = os.pread(descriptor, block_end - begin, begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
    return 0


def _read_manifest(path: Path) -> tuple[Manifest, bool]:
    data, is_own = read_signed(path, RUN)
    try:
        manifest = Manifest.from_dict(data)
    except cattrs.BaseValidationError as error:
        raise RunError(f"{path / RUN.file} is damaged: {describe_structure_error(error, 'run')}") from error
    problem = next(manifest_problems(manifest), None)
    if problem is not None:
        raise RunError(f"{path / RUN.file} is damaged: {problem}")
    return manifest, is_own


def manifest_problems(manifest: Manifest) -> Iterator[str]:
    """Report contradictions within a manifest."""
    settings, tilings = manifest.settings, manifest.settings.tilings
    if len(manifest.grounds) != len(tilings):
        yield f"grounds: found {len(manifest.grounds)}, expected one for each of {counted(len(tilings), 'tiling')}"
    for number, planned in enumerate(manifest.plan):
        if planned.tiling not in tilings:
            yield f"plan[{number}].tiling: found '{planned.tiling}', expected one of the settings"
    if settings.epochs > len(manifest.plan):
        yield f"settings.epochs: found {settings.epochs}, but the plan has {counted(len(manifest.plan), 'episode')}"
    yield from _malformed_conditions(manifest)
    if manifest.sequential is not None:
        yield from (f"sequential.{each}" for each in manifest.sequential.problems(manifest))


def _malformed_conditions(manifest: Manifest) -> Iterator[str]:
    for name, part in (("fingerprint", manifest.fingerprint), ("circumstances", manifest.circumstances)):
        versions = part.get("versions", {})
        if not isinstance(versions, dict) or not all(isinstance(each, str) for each in versions.values()):
            yield f"{name}.versions: expected names and versions"
    if type(manifest.fingerprint.get("prompt_version")) is not int:
        yield "fingerprint.prompt_version: expected a whole number"
    if not isinstance(manifest.fingerprint.get("model", {}), dict):
        yield "fingerprint.model: expected an object"
