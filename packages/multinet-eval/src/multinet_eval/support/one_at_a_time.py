"""`OneAtATime`: for what cannot be used by several threads at once, and does not wait."""

from __future__ import annotations

import threading
from typing import Any

from gridworld.errors import ArgumentError

__all__ = ["OneAtATime"]


class OneAtATime:
    """A context that one thread can be in. It can be copied and pickled; nobody is in the copy.

    Args:
        refusal: the message to whoever comes while another is in it.
    """

    def __init__(self, refusal: str) -> None:
        self._refusal = refusal
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise ArgumentError(self._refusal)

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return OneAtATime, (self._refusal,)
