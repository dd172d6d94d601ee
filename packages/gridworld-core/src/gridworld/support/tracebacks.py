"""Where in the code an error was raised."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType

__all__ = ["TOOLKIT_PACKAGES", "codes_in", "frames_of", "functions_of", "package_of"]

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
"""The import packages of the toolkit's distributions."""


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


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code and those of all functions made inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def functions_of(called: object) -> list[FunctionType]:
    """The functions that run when a function, method, partial or object is called; all methods of a class."""
    if isinstance(called, partial):
        return functions_of(called.func)
    if isinstance(called, MethodType):
        return functions_of(called.__func__)
    if isinstance(called, FunctionType):
        return [called]
    methods = vars(called).values() if isinstance(called, type) else (vars(type(called)).get("__call__"),)
    return [method for method in methods if isinstance(method, FunctionType)]
