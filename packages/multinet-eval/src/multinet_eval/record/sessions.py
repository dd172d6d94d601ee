"""Fencing: each session, a process that plays a run, writes files of its own.

A session claims its number with ``sessions/N.json``, which says how many bytes of each file of earlier sessions it
takes over. A process that continues after another one took over the run appends to its own files only, and nobody reads
what it appends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from gridworld.support.files import rename_new, temporary_name, write_text
from multinet_eval.record.record_folders import RunError
from multinet_eval.support.output import compact_json
from multinet_eval.support.plain_files import read_plain

SESSIONS = "sessions"
"""Folder of the claims."""
NUMBER = re.compile(r"[1-9][0-9]{0,8}")


@attrs.frozen
class Claim:
    """Claim of one session, by which it writes."""

    number: int
    """From 1; 0 where no session is recorded."""
    takes_over: Mapping[str, int]
    """File of an earlier session, by its path in the run's folder, to the number of bytes of it that count."""

    def size_of(self, name: str, session: int) -> int | None:
        """Number of bytes that count of a file, by its path in the run's folder and its session; None for all."""
        return None if session >= self.number else self.takes_over.get(name, 0)


def newest_claim(run: Path) -> Claim:
    """Claim of the session that began last; number 0 in a folder without any, where the first files are whole.

    Raises:
        RunError: its file cannot be read, or is damaged.
    """
    numbers = [int(path.stem) for path in (run / SESSIONS).glob("*.json") if NUMBER.fullmatch(path.stem)]
    return _read(run / SESSIONS / f"{max(numbers)}.json") if numbers else Claim(0, {})


def claim_session(run: Path, takes_over: Mapping[str, int], latest: int) -> Claim:
    """Begin the next session; of several processes that do so, one succeeds.

    Args:
        run: the folder of the run.
        takes_over: number of bytes that count of each file of earlier sessions.
        latest: the highest number of a session that has written a file; 0 for none.

    Raises:
        RunError: another process has begun one meanwhile, or the file cannot be written.
    """
    claim = Claim(max(newest_claim(run).number, latest) + 1, dict(takes_over))
    if not NUMBER.fullmatch(str(claim.number)):
        raise RunError(f"{run / SESSIONS} is damaged: there is no number after {claim.number - 1}")
    path = run / SESSIONS / f"{claim.number}.json"
    temporary = temporary_name(path)
    try:
        if not path.parent.is_dir():
            path.parent.mkdir()
        write_text(temporary, compact_json(attrs.asdict(claim)) + "\n")
        try:
            rename_new(temporary, path)
        except FileExistsError:
            raise RunError(f"another process has begun to play {run}: wait for it, or use --take-over") from None
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
    return claim


def _read(path: Path) -> Claim:
    try:
        found: Any = json.loads(read_plain(path))
        sizes = found["takes_over"]
        if found["number"] != int(path.stem) or not all(type(size) is int and size >= 0 for size in sizes.values()):
            raise ValueError("expected its number, and sizes of files in bytes")
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise RunError(f"{path} is damaged: {error}") from error
    return Claim(found["number"], sizes)
