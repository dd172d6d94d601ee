"""The files that a run keeps beside its episodes: whether they hold what they are called by, and which are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from gridworld.errors import Problem
from multinet_eval.record.record_folders import TASKS
from multinet_eval.record.run_directory import FRAMES, SCENES, SUFFIXES, TEXTS
from multinet_eval.support.plain_files import read_plain
from multinet_eval.verify.replayed_attempt import RecordedLine

__all__ = ["KeptFile", "changed_files", "files_named", "kept_files", "stray_tasks"]


class KeptFile(NamedTuple):
    """A file that is named by the digest of what it holds."""

    folder: str
    digest: str

    @property
    def place(self) -> str:
        """Its path in the run's folder."""
        return f"{self.folder}/{self.digest}{SUFFIXES[self.folder]}"


def kept_files(run: Path) -> Iterator[KeptFile]:
    """The kept files of a run, sorted, by what they are called."""
    for folder, suffix in SUFFIXES.items():
        for file in sorted((run / folder).glob(f"*{suffix}")):
            yield KeptFile(folder, file.stem)


def changed_files(run: Path) -> Iterator[Problem]:
    """The kept files of a run that do not hold what they are called by."""
    for kept in kept_files(run):
        file = run / kept.place
        try:
            found = blake2b(read_plain(file), digest_size=8).hexdigest()
        except OSError as error:
            yield Problem(str(file), f"it cannot be read: {error.strerror}")
            continue
        if found != kept.digest:
            yield Problem(str(file), f"its content has been changed: it has the digest {found}")


def stray_tasks(run: Path, planned: Iterable[str]) -> Iterator[Problem]:
    """The files of tasks in a run's folder that its plan does not name.

    Args:
        run: the folder.
        planned: the hashes of the tasks of the plan.
    """
    known = set(planned)
    for file in sorted((run / TASKS).glob("*.json")):
        if file.stem not in known:
            yield Problem(str(file), "there is no such task in the plan")


def files_named(line: RecordedLine) -> Iterator[tuple[str, KeptFile]]:
    """The kept files that a line of an episode names: where in the line, and the file."""
    match line.kind, line.content:
        case "header", {"scene": str(digest)}:
            yield "header.scene", KeptFile(SCENES, digest)
        case ("request" | "fault") as kind, content:
            yield from _texts_named(kind, content.get("prompt"))
            if "frame" in content:
                yield f"{kind}.frame", KeptFile(FRAMES, str(content["frame"]))


def _texts_named(kind: str, prompt: Any) -> Iterator[tuple[str, KeptFile]]:
    """The kept texts that a prompt names, as `multinet_eval.record.prompt_lines` writes them."""
    for number, text in enumerate(prompt if isinstance(prompt, list) else ()):
        for part, place in enumerate(text if isinstance(text, list) else ()):
            if isinstance(place, dict):
                yield f"{kind}.prompt[{number}][{part}].text", KeptFile(TEXTS, str(place.get("text")))
