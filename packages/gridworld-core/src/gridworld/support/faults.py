"""Turns an exception into a `PluginFault` that names its owner and the place in the owner's code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType, TracebackType

from gridworld.errors import InvalidAction, PluginFault, TaskError, describe_error

__all__ = ["attributing", "describe_raised", "fault"]


@contextmanager
def attributing(owner_of: Callable[[BaseException], str], when: str) -> Iterator[None]:
    """Turn every exception raised inside into a `PluginFault`, except for those that a caller is to blame for.

    Args:
        owner_of: returns the owner of an exception, such as ``backend 'minigrid'``.
        when: what was being done, such as ``at step 3``.

    Raises:
        PluginFault: in place of what was raised, unless that is one already.
        TaskError, InvalidAction: as they were raised.
    """
    try:
        yield
    except (InvalidAction, PluginFault, TaskError):
        raise
    except (Exception, SystemExit) as error:
        raise fault(owner_of(error), when, error) from error


def fault(owner: str, when: str, error: BaseException) -> PluginFault:
    """The fault of one owner."""
    return PluginFault(f"{owner} failed {when}: {describe_raised(error)}")


def describe_raised(error: BaseException) -> str:
    """``Type: message (file.py, line 7, in function)`` of an error that came out of code that the toolkit called.

    The place is the innermost one in that code; libraries that it uses and the toolkit itself are left out. The file's
    folder is, too, so that an error reads the same on every machine.
    """
    place = _place_in_called_code(error.__traceback__)
    if place is None:
        return describe_error(error)
    frame, line = place
    file = Path(frame.f_code.co_filename).name
    return f"{describe_error(error)} ({file}, line {line}, in {frame.f_code.co_name})"


def _place_in_called_code(trace: TracebackType | None) -> tuple[FrameType, int] | None:
    """The innermost frame, with its line, of the package that the toolkit has called last."""
    frames = [frame for frame in _frames(trace) if _package(frame[0]) not in sys.stdlib_module_names]
    catching = next((_package(frame) for frame, _ in frames if frame.f_globals is not globals()), "")
    toolkit = {_package_of(__name__), catching}
    called, place = "", None
    for (caller, _), (frame, line) in pairwise(frames):
        package = _package(frame)
        if _package(caller) in toolkit and package not in toolkit:
            called = package
        if package == called:
            place = frame, line
    return place


def _frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """The frames that have a file, the outermost first."""
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith("<"):
            yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _package(frame: FrameType) -> str:
    return _package_of(frame.f_globals.get("__name__", ""))


def _package_of(module: str) -> str:
    return module.partition(".")[0]
