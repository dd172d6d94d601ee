"""What tasks and suites are told apart by, whatever their files and folders are called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from gridworld.task_spec import TaskSpecification

__all__ = ["suite_hash", "task_hash"]

DIGEST_SIZE = 16
"""Of the hashes, in bytes."""


def task_hash(task: TaskSpecification) -> str:
    """The hash of what a task says, however its file is written: 32 hexadecimal digits (BLAKE2b)."""
    return _hash(json.dumps(task.to_dict(), sort_keys=True, ensure_ascii=True))


def suite_hash(tasks: Iterable[TaskSpecification]) -> str:
    """The hash of the tasks of a suite in their order: 32 hexadecimal digits (BLAKE2b)."""
    return _hash("\n".join(map(task_hash, tasks)))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=DIGEST_SIZE).hexdigest()
