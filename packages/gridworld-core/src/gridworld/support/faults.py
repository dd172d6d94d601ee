"""Attribution of exceptions: a `PluginFault` names the owner of the failing code and the location in that code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType

from gridworld.errors import InvalidAction, PluginFault, TaskError, describe_error

TOOLKIT_PACKAGES = frozenset(
    (
        "gridworld",
        "gridworld_generators",
        "gridworld_minigrid",
        "gridworld_multigrid",
        "multinet_adapters",
        "multinet_eval",
        "multinet_report",
    )
)
"""Import packages of the toolkit's distributions."""


@contextmanager
def attributing(
    owner_of: Callable[[BaseException], str | None], when: str, hooks: Callable[[], Iterable[object]] = tuple
) -> Iterator[None]:
    """Turn every exception raised in the block into a `PluginFault`, except errors of the caller.

    Args:
        owner_of: returns the owner of an exception, such as ``backend 'minigrid'``; None for an exception without one.
        when: the moment, for the message, such as ``at step 3``.
        hooks: functions and classes of owners, searched for one that could not even be called.

    Raises:
        PluginFault: in place of an exception with an owner.
        TaskError, InvalidAction, and any exception without an owner: unchanged.
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
    """Make the `PluginFault` for a given owner; arguments as in `attributing`."""
    return PluginFault(f"{owner} failed {when}: {describe_raised(error, hooks)}")


def describe_raised(error: BaseException, hooks: Callable[[], Iterable[object]] = tuple) -> str:
    """Describe an error from code that the toolkit called: ``Type: message (file.py, line 7, in function)``.

    The location is the innermost one in that code, not in the libraries it uses or in the toolkit. Folders are omitted,
    so that messages are the same on every machine. If a function in `hooks` does not accept its arguments, the location
    is its definition.
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
    """Return where a function is defined, ``(file.py, line 7, in function)``; empty for code not in Python."""
    functions = functions_of(hook)
    return _place(functions[0].__code__) if functions else ""


def _place(code: CodeType, line: int | None = None) -> str:
    return f"({Path(code.co_filename).name}, line {line or code.co_firstlineno}, in {code.co_name})"


def uncalled(error: BaseException, hooks: Iterable[object]) -> set[CodeType]:
    """Return the functions in `hooks` that the toolkit called with wrong arguments, as in ``move() takes 1 ...``."""
    name, called, _ = describe_error(error).removeprefix("TypeError: ").partition("() ")
    if not called or any(package_of(frame) not in TOOLKIT_PACKAGES for frame, _ in _own_frames(error)):
        return set()
    functions = [function for hook in hooks for function in functions_of(hook)]
    codes = {code for function in functions for code in codes_in(function.__code__)}
    return {code for code in codes if code.co_qualname == name}


def _own_frames(error: BaseException) -> list[tuple[FrameType, int]]:
    """Return the frames of an error, with their lines, that come from files outside the standard library."""
    with_file = (each for each in frames_of(error) if not each[0].f_code.co_filename.startswith("<"))
    return [each for each in with_file if package_of(each[0]) not in sys.stdlib_module_names]


def _place_in_called_code(error: BaseException) -> tuple[FrameType, int] | None:
    """Find the innermost frame, with its line, in the package that the toolkit called last."""
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


def frames_of(error: BaseException | None) -> Iterator[tuple[FrameType, int]]:
    """Yield the frames of an error's traceback with their lines, outermost first; empty for None."""
    trace = None if error is None else error.__traceback__
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def package_of(frame: FrameType) -> str:
    """Return the top-level package of a frame's module, or an empty string."""
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those of all functions defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def functions_of(called: object) -> list[FunctionType]:
    """Return the functions that run when a function, method, partial or object is called; all methods of a class."""
    if isinstance(called, partial):
        return functions_of(called.func)
    if isinstance(called, MethodType):
        return functions_of(called.__func__)
    if isinstance(called, FunctionType):
        return [called]
    methods = vars(called).values() if isinstance(called, type) else (vars(type(called)).get("__call__"),)
    return [method for method in methods if isinstance(method, FunctionType)]
