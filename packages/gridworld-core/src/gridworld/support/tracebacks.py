"""Where in the code an error was raised."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType

__all__ = ["frames_of", "package_of"]


def frames_of(error: BaseException | None) -> Iterator[tuple[FrameType, int]]:
    """The frames of an error's traceback, each with its line, the outermost first; none of no error."""
    trace = None if error is None else error.__traceback__
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def package_of(frame: FrameType) -> str:
    """The outermost package of a frame's module; empty for code that has none."""
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]
