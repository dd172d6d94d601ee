"""`starting`: turns the system's refusal of one more thread or process into a message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gridworld.errors import GridworldError

__all__ = ["starting"]

NO_THREAD = "can't start new thread"
"""Python's text for a thread that the system does not let start; it has no exception of its own."""


@contextmanager
def starting(what: str) -> Iterator[None]:
    """Name what is started inside, where it cannot be.

    Args:
        what: such as ``a worker process``.

    Raises:
        GridworldError: the system allows no more threads or processes.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and str(error) != NO_THREAD:
            raise
        why = error.strerror if isinstance(error, OSError) else error
        raise GridworldError(
            f"cannot start {what}: {why}; the system allows no more threads and processes here: end others, or ask for "
            "fewer --workers"
        ) from error
