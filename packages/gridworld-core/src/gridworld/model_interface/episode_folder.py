"""Folders in which questions are written for somebody else: one for each run, and in it one for each episode."""

from __future__ import annotations

import secrets
import time
from itertools import chain, count
from pathlib import Path

from gridworld.model_interface.base import EpisodeInfo
from gridworld.support.file_names import safe_file_name

__all__ = ["EpisodeFolder", "new_run_id"]


def new_run_id() -> str:
    """When it is, in UTC, and four random bytes: two runs never have the same."""
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{secrets.token_hex(4)}"


class EpisodeFolder:
    """The folder of one episode, made with its first question: nobody else writes questions there.

    Args:
        run_folder: the folder of its run; it is made if it is not there.
        info: the episode.
    """

    def __init__(self, run_folder: Path, info: EpisodeInfo) -> None:
        self._run_folder = run_folder
        self.info = info
        self._path: Path | None = None
        self._next_number = 0

    def next_question(self) -> tuple[Path, str]:
        """The folder, and the number of the next question in it, ``0000`` first.

        Raises:
            OSError: the folder cannot be made.
        """
        self._path = self._path or self._make()
        number, self._next_number = f"{self._next_number:04d}", self._next_number + 1
        return self._path, number

    def _make(self) -> Path:
        """A folder that was not there before, also not for an episode of the same task and seed."""
        self._run_folder.mkdir(parents=True, exist_ok=True)
        name = f"{safe_file_name(self.info.task_id)}-seed{self.info.seed}"
        candidates = chain([name], (f"{name}-{number}" for number in count(2)))
        return next(path for path in map(self._run_folder.joinpath, candidates) if _claim(path))


def _claim(path: Path) -> bool:
    """Make a folder; False if it is there already."""
    try:
        path.mkdir()
    except FileExistsError:
        return False
    return True
