"""Turns an exception into a `PluginFault` that names its owner and the place in the owner's code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

from gridworld.errors import InvalidAction, PluginFault, TaskError, describe_error
from gridworld.support.tracebacks import TOOLKIT_PACKAGES, codes_in, frames_of, functions_of, package_of

__all__ = ["attributing", "definition_of", "describe_raised", "fault", "uncalled"]


@contextmanager
def attributing(
    owner_of: Callable[[BaseException], str | None], when: str, hooks: Callable[[], Iterable[object]] = tuple
) -> Iterator[None]:
    """Turn every exception raised inside into a `PluginFault`, except for those that a caller is to blame for.

    Args:
        owner_of: returns the owner of an exception, such as ``backend 'minigrid'``; None if it has none.
        when: what was being done, such as ``at step 3``.
        hooks: returns the functions and classes of owners, to find one that could not even be called.

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
        raise fault(owner, when, error, hooks) from error


def fault(owner: str, when: str, error: BaseException, hooks: Callable[[], Iterable[object]] = tuple) -> PluginFault:
    """The fault of one owner; `hooks` as in `attributing`."""
    return PluginFault(f"{owner} failed {when}: {describe_raised(error, hooks)}")


def describe_raised(error: BaseException, hooks: Callable[[], Iterable[object]] = tuple) -> str:
    """``Type: message (file.py, line 7, in function)`` of an error that came out of code that the toolkit called.

    The place is the innermost one in that code; libraries that it uses and the toolkit itself are left out. The file's
    folder is, too, so that an error reads the same on every machine. Of a function that does not take what it was
    called with it is that of the definition, if it is one of `hooks` or inside of one.
    """
    codes = uncalled(error, hooks())
    if len(codes) == 1:
        return f"{describe_error(error)} {_place(codes.pop())}"
    place = _place_in_called_code(error)
    if place is None:
        return describe_error(error)
    frame, line = place
    return f"{describe_error(error)} {_place(frame.f_code, line)}"


def definition_of(hook: object) -> str:
    """``(file.py, line 7, in function)`` of a function's definition; empty for what is written in no Python."""
    functions = functions_of(hook)
    return _place(functions[0].__code__) if functions else ""


def _place(code: CodeType, line: int | None = None) -> str:
    return f"({Path(code.co_filename).name}, line {line or code.co_firstlineno}, in {code.co_name})"


def uncalled(error: BaseException, hooks: Iterable[object]) -> set[CodeType]:
    """The functions, in hooks, that the toolkit called with wrong arguments: those named in ``move() takes 1 ...``."""
    name, called, _ = describe_error(error).removeprefix("TypeError: ").partition("() ")
    if not called or any(package_of(frame) not in TOOLKIT_PACKAGES for frame, _ in _own_frames(error)):
        return set()
    functions = [function for hook in hooks for function in functions_of(hook)]
    codes = {code for function in functions for code in codes_in(function.__code__)}
    return {code for code in codes if code.co_qualname == name}


def _own_frames(error: BaseException) -> list[tuple[FrameType, int]]:
    """The frames of files, save those of the standard library."""
    with_file = (each for each in frames_of(error) if not each[0].f_code.co_filename.startswith("<"))
    return [each for each in with_file if package_of(each[0]) not in sys.stdlib_module_names]


def _place_in_called_code(error: BaseException) -> tuple[FrameType, int] | None:
    """The innermost frame, with its line, of the package that the toolkit has called last."""
    frames = _own_frames(error)
    catching = next((package_of(frame) for frame, _ in frames if frame.f_globals is not globals()), "")
    outside = any(package_of(frame) not in {*TOOLKIT_PACKAGES, catching} for frame, _ in frames)
    toolkit = {*(TOOLKIT_PACKAGES if outside else (__name__.partition(".")[0],)), catching}
    called, place = "", None
    for (caller, _), (frame, line) in pairwise(frames):
        package = package_of(frame)
        if package_of(caller) in toolkit and package not in toolkit:
            called = package
        if package == called:
            place = frame, line
    return place
