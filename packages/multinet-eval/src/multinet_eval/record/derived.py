"""`Derived`: values that follow from the steps of a run's episodes, kept so that they are computed once.

A file ``derived.NAME.jsonl`` in the run's folder begins with a MAC; each of its other lines is a JSON object with the
digest of what is recorded of an episode (`record_digest`) and the value. Such a file is believed only if this user has
written it on this machine, with the same version of what computes the values (`ownership`); any other file counts as
missing, and is replaced. Nothing depends on these files but speed: `verify` does not read them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from gridworld.support.files import MIB, FileError, open_plain, read_plain, store_bytes
from multinet_eval.record.lines import MOST_OF_AN_ATTEMPT
from multinet_eval.record.ownership import is_own, sign
from multinet_eval.record.run_directory import Attempt

Value = TypeVar("Value")

LARGEST_FILE = 1024 * MIB
BLOCK = MIB


class _Entry(msgspec.Struct, Generic[Value]):
    record: str
    value: Value


class Derived(Generic[Value]):
    """Values of episodes that have begun, by number.

    Args:
        run: folder of the run.
        attempts: the attempts at each episode.
        name: name of the kind of values.
        kind: their type, which msgspec can write and read.
        maker: everything else that the values depend on, such as versions; values of another maker are not read.
    """

    def __init__(self, run: Path, attempts: Mapping[int, Sequence[Attempt]], name: str, kind: Any, maker: str) -> None:
        self._path = run / f"derived.{name}.jsonl"
        self._label = f"derived {name} {maker}"
        self._entry: Any = _Entry[kind]
        self._attempts = attempts
        self._digests = {number: record_digest(each) for number, each in attempts.items()}
        self._values = self._read()
        self._new: dict[int, Value] = {}

    def get(self, number: int) -> Value | None:
        """Return the value of an episode; None if it is not known."""
        return self._values.get(self._digests.get(number) or "")

    def put(self, number: int, value: Value) -> None:
        """Add a value, which `save` writes."""
        self._new[number] = value

    def save(self) -> None:
        """Write all values if any is new; nothing happens where that is not possible.

        A new value of an episode that has changed since its digest was computed is left out: it may belong to either.
        """
        if not self._new:
            return
        for number, value in self._new.items():
            digest = self._digests[number]
            if digest is not None and record_digest(self._attempts[number]) == digest:
                self._values[digest] = value
        digests = [each for each in self._digests.values() if each is not None and each in self._values]
        content = b"".join(msgspec.json.encode(self._entry(each, self._values[each])) + b"\n" for each in digests)
        mac = sign(content, self._label)
        if mac is not None:
            with suppress(OSError):
                store_bytes(self._path, mac.encode() + b"\n" + content)

    def _read(self) -> dict[str, Value]:
        try:
            mac, _, content = read_plain(self._path, LARGEST_FILE).partition(b"\n")
            if not is_own(content, mac.decode("ascii", "replace"), self._label):
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
