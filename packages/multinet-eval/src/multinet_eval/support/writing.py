"""What a place that cannot be written is called in messages, wherever something is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gridworld.errors import GridworldError

__all__ = ["writing_to"]


@contextmanager
def writing_to(place: object) -> Iterator[None]:
    """Let what is written inside fail with a message that names the place.

    Raises:
        GridworldError: an `OSError` was raised inside.
    """
    try:
        yield
    except OSError as error:
        raise GridworldError(f"cannot write {place}: {error.strerror or error}") from error
