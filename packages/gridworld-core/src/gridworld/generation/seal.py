"""Seals: one number that tells whether tasks are those that were promised."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable

from gridworld.task_spec import TaskSpecification

__all__ = ["is_seal", "seal"]

SEAL = re.compile(r"[0-9a-fA-F]{64}")


def seal(tasks: Iterable[TaskSpecification]) -> str:
    """The SHA-256 of what tasks say, certificates included: 64 hexadecimal digits.

    Names of files and folders, their order and the layout of the JSON do not count.
    """
    contents = sorted(json.dumps(task.to_dict(), sort_keys=True, ensure_ascii=True) for task in tasks)
    return hashlib.sha256("\n".join(contents).encode("ascii")).hexdigest()


def is_seal(text: str) -> bool:
    """Whether a text can be a seal."""
    return SEAL.fullmatch(text) is not None
