"""Calls of plugins: an exception becomes a `PluginFault` that names the plugin's owner and the hook.

The caller says whose hook it calls; the traceback is only read for the place of the raise.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from traceback import walk_tb
from types import CodeType
from typing import NoReturn

from gridworld.errors import GridworldError, InvalidAction, Owner, PluginFault, TaskError, describe_error

Errors = type[GridworldError] | tuple[type[GridworldError], ...]

RAISED = (Exception, SystemExit)
"""Everything that hooks may raise: ``sys.exit()`` in a plugin must not end the program."""
CORE = __name__.partition(".")[0]
CALLERS: Errors = (InvalidAction, TaskError)
"""Errors that are the caller's fault, from any hook."""


@contextmanager
def calling(owner: Owner, hook: str, when: str = "", passing: Errors = CALLERS) -> Iterator[None]:
    """Call a hook in the block; arguments and exceptions as in `blame`."""
    try:
        yield
    except RAISED as error:
        blame(error, owner, hook, when, passing)


@contextmanager
def telling(when: str) -> Iterator[None]:
    """Add the moment, such as ``at step 3``, to the faults of hooks that are called inside the block."""
    try:
        yield
    except PluginFault as fault:
        fault.when = fault.when or when
        raise


def blame(error: BaseException, owner: Owner, hook: str, when: str = "", passing: Errors = CALLERS) -> NoReturn:
    """Raise a `PluginFault` in place of an exception that a hook has raised.

    Args:
        error: the exception.
        owner: the owner of the hook.
        hook: its name.
        when: the moment, such as ``at step 3``.
        passing: errors that the hook may raise; they are raised unchanged.

    Raises:
        PluginFault: in place of the exception. A fault that already has an owner keeps it.
    """
    if isinstance(error, passing) and not isinstance(error, PluginFault):
        raise error
    raise fault_of(error, owner, hook, when)


def fault_of(error: BaseException, owner: Owner, hook: str, when: str = "") -> PluginFault:
    """Return the fault for an exception, which is its cause; arguments as in `blame`."""
    if isinstance(error, PluginFault):
        if error.owner is None:
            error.owner, error.hook = owner, hook
        error.when = error.when or when
        return error
    fault = PluginFault(describe_error(error), owner, hook, place_of(error), when)
    fault.__cause__ = error
    return fault


def place_of(error: BaseException) -> str:
    """Return where an exception was raised, such as ``file.py, line 7, in function``; empty if it was not raised.

    An author's call that made a function of the core raise is named instead of that function. Folders are omitted, so
    that messages are the same on every machine.
    """
    frames = list(walk_tb(error.__traceback__))
    if not frames:
        return ""
    outside = [each for each in frames[1:] if each[0].f_globals.get("__name__", "").partition(".")[0] != CORE]
    frame, line = (outside or frames)[-1]
    return _place(frame.f_code, line)


def definition_of(function: object) -> str:
    """Return where a function, or the class of an object that can be called, is defined; as in `place_of`."""
    while isinstance(function, partial):
        function = function.func
    called = function if hasattr(function, "__code__") else vars(type(function)).get("__call__")
    code = getattr(called, "__code__", None)
    return "" if code is None else _place(code, code.co_firstlineno)


@lru_cache(maxsize=256)  # the kits ask in each call of a hook
def _place(code: CodeType, line: int) -> str:
    return f"{Path(code.co_filename).name}, line {line}, in {code.co_name}"
