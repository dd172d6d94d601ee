"""Turns an exception into a `PluginFault` that names its owner and the place in the owner's code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType

from gridworld.errors import InvalidAction, PluginFault, TaskError, describe_error
from gridworld.support.tracebacks import frames_of, package_of

__all__ = ["attributing", "describe_raised", "fault"]


@contextmanager
def attributing(owner_of: Callable[[BaseException], str | None], when: str) -> Iterator[None]:
    """Turn every exception raised inside into a `PluginFault`, except for those that a caller is to blame for.

    Args:
        owner_of: returns the owner of an exception, such as ``backend 'minigrid'``; None if it has none.
        when: what was being done, such as ``at step 3``.

    Raises:
        PluginFault: in place of what was raised, unless that is one already.
        TaskError, InvalidAction, and what has no owner: as they were raised.
    """
    try:
        yield
    except (InvalidAction, PluginFault, TaskError):
        raise
    except (Exception, SystemExit) as error:
        owner = owner_of(error)
        if owner is None:
            raise
        raise fault(owner, when, error) from error


def fault(owner: str, when: str, error: BaseException) -> PluginFault:
    """The fault of one owner."""
    return PluginFault(f"{owner} failed {when}: {describe_raised(error)}")


def describe_raised(error: BaseException) -> str:
    """``Type: message (file.py, line 7, in function)`` of an error that came out of code that the toolkit called.

    The place is the innermost one in that code; libraries that it uses and the toolkit itself are left out. The file's
    folder is, too, so that an error reads the same on every machine.
    """
    place = _place_in_called_code(error)
    if place is None:
        return describe_error(error)
    frame, line = place
    file = Path(frame.f_code.co_filename).name
    return f"{describe_error(error)} ({file}, line {line}, in {frame.f_code.co_name})"


def _place_in_called_code(error: BaseException) -> tuple[FrameType, int] | None:
    """The innermost frame, with its line, of the package that the toolkit has called last."""
    with_file = (each for each in frames_of(error) if not each[0].f_code.co_filename.startswith("<"))
    frames = [each for each in with_file if package_of(each[0]) not in sys.stdlib_module_names]
    catching = next((package_of(frame) for frame, _ in frames if frame.f_globals is not globals()), "")
    toolkit = {__name__.partition(".")[0], catching}
    called, place = "", None
    for (caller, _), (frame, line) in pairwise(frames):
        package = package_of(frame)
        if package_of(caller) in toolkit and package not in toolkit:
            called = package
        if package == called:
            place = frame, line
    return place
