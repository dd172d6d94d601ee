"""`Derived`: values that follow from the steps of a run's episodes, kept so that they are computed once.

A file ``derived.NAME.jsonl`` in the run's folder begins with a MAC; each of its other lines is a JSON object with the
digest of what is recorded of an episode (`record_digest`) and the value. Such a file is believed only if this user has
written it on this machine, with the same version of what computes the values (`ownership`); any other file counts as
missing, and is replaced. Nothing depends on these files but speed: `verify` does not read them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from gridworld.support.files import MIB, FileError, open_plain, read_plain, store_bytes
from multinet_eval.record.lines import MOST_OF_AN_ATTEMPT
from multinet_eval.record.ownership import is_own, sign
from multinet_eval.record.run_directory import Attempt, RunDirectory

Value = TypeVar("Value")

LARGEST_FILE = 1024 * MIB
BLOCK = MIB


class Records:
    """The attempts at the episodes of a run that have begun, at one moment, and the digest of each of these records.

    Args:
        directory: the run.

    Raises:
        RunError: the folder cannot be read.
    """

    def __init__(self, directory: RunDirectory) -> None:
        self.attempts = directory.all_attempts()
        """Attempts by number of the episode, in order."""
        self._digests: dict[int, str | None] = {}

    def digest(self, number: int) -> str | None:
        """Return the digest of an episode's record; None if there is none, or it cannot be read."""
        if number not in self._digests and number in self.attempts:
            self._digests[number] = record_digest(self.attempts[number])
        return self._digests.get(number)

    def lasts(self, number: int) -> bool:
        """Whether the record of an episode still has the digest that it had first."""
        found = self.digest(number)
        return found is not None and found == record_digest(self.attempts[number])


class _Entry(msgspec.Struct, Generic[Value]):
    record: str
    value: Value


class Derived(Generic[Value]):
    """Values of episodes that have begun, by number.

    Args:
        run: folder of the run.
        records: its episodes.
        name: name of the kind of values.
        kind: their type, which msgspec can write and read.
        maker: everything else that the values depend on, such as versions; values of another maker are not read. None
            if that is not known: nothing is read and written.
    """

    def __init__(self, run: Path, records: Records, name: str, kind: Any, maker: str | None) -> None:
        self._path = run / f"derived.{name}.jsonl"
        self._label = None if maker is None else f"derived {name} {maker}"
        self._entry: Any = _Entry[kind]
        self._records = records
        self._values = {} if self._label is None else self._read(self._label)
        self._new: dict[int, Value] = {}

    def get(self, number: int) -> Value | None:
        """Return the value of an episode; None if it is not known."""
        return self._values.get(self._records.digest(number) or "")

    def put(self, number: int, value: Value) -> None:
        """Add a value, which `save` writes."""
        self._new[number] = value

    def save(self) -> None:
        """Write all values if any is new; nothing happens where that is not possible.

        A new value of an episode whose record has changed meanwhile is left out: it may belong to either.
        """
        if self._label is None or not self._new:
            return
        new = {number: value for number, value in self._new.items() if self._records.lasts(number)}
        content = bytearray()
        for number in self._records.attempts:
            value = new[number] if number in new else self.get(number)
            if value is not None:
                content += msgspec.json.encode(self._entry(self._records.digest(number), value)) + b"\n"
        mac = sign(content, self._label) if len(content) < LARGEST_FILE - BLOCK else None
        if mac is not None:
            with suppress(OSError):
                store_bytes(self._path, mac.encode() + b"\n" + content)

    def _read(self, label: str) -> dict[str, Value]:
        try:
            mac, _, content = read_plain(self._path, LARGEST_FILE).partition(b"\n")
            if not is_own(content, mac.decode("ascii", "replace"), label):
                return {}
            entries = msgspec.json.Decoder(self._entry).decode_lines(content)
        except (FileError, msgspec.MsgspecError):
            return {}
        return {each.record: each.value for each in entries}


def record_digest(attempts: Sequence[Attempt]) -> str | None:
    """Return the digest of all valid bytes of the attempts at an episode; None if a file cannot be read."""
    digest = hashlib.blake2b(digest_size=16)
    try:
        for part in (part for attempt in attempts for part in attempt.parts):
            size = 0
            with open_plain(part.path, MOST_OF_AN_ATTEMPT) as file:
                most = MOST_OF_AN_ATTEMPT if part.size is None else part.size
                while block := file.read(min(BLOCK, most - size)):
                    digest.update(block)
                    size += len(block)
            digest.update(f"\n{part.path.name} {size}\n".encode())
    except (FileError, OSError):
        return None
    return digest.hexdigest()
