"""The seam between the toolkit and its plugins: all that a plugin author imports, and the hooks to implement.

A plugin is a module named by an entry point in the group ``gridworld``; each hook is a function without arguments that
returns descriptors:

    from gridworld.hookspecs import ModelInfo, hookimpl

    @hookimpl
    def gridworld_models():
        return [ModelInfo("still", "Never moves.", "my_package.still:StillModel")]
"""

from collections.abc import Iterable

import pluggy

from gridworld.plugins.descriptors import BackendInfo, BenchmarkInfo, ModelInfo, TilingInfo
from gridworld.world.goal_type import GoalType
from gridworld.world.mechanism_type import GridStateField, MechanismType

__all__ = [
    "BackendInfo",
    "BenchmarkInfo",
    "GoalType",
    "GridStateField",
    "MechanismType",
    "ModelInfo",
    "TilingInfo",
    "gridworld_backends",
    "gridworld_benchmarks",
    "gridworld_goals",
    "gridworld_mechanisms",
    "gridworld_models",
    "gridworld_tilings",
    "hookimpl",
]

hookspec = pluggy.HookspecMarker("gridworld")
hookimpl = pluggy.HookimplMarker("gridworld")
"""Marks a function of a plugin module as the implementation of the hook of the same name."""


@hookspec
def gridworld_backends() -> Iterable[BackendInfo]:
    """Backends: what shows tasks to an agent, whether the kernel runs their worlds or another simulator does.

    Example:
        @hookimpl
        def gridworld_backends():
            return [BackendInfo("text", "Draws with letters.", "my_package.backend:TextBackend")]
    """
    return ()


@hookspec
def gridworld_mechanisms() -> Iterable[MechanismType]:
    """Mechanisms: kinds of things, with what they do and how they look.

    Example:
        @hookimpl
        def gridworld_mechanisms():
            from my_package.ice import ICE

            return [ICE]
    """
    return ()


@hookspec
def gridworld_goals() -> Iterable[GoalType]:
    """Goal types: predicates on states, with their validation and mission sentence.

    Example:
        @hookimpl
        def gridworld_goals():
            from my_package.tour import TOUR

            return [TOUR]
    """
    return ()


@hookspec
def gridworld_models() -> Iterable[ModelInfo]:
    """Models that can be evaluated.

    Example:
        @hookimpl
        def gridworld_models():
            return [ModelInfo("still", "Never moves.", "my_package.still:StillModel")]
    """
    return ()


@hookspec
def gridworld_benchmarks() -> Iterable[BenchmarkInfo]:
    """Task suites: folders of task files inside a package.

    Example:
        @hookimpl
        def gridworld_benchmarks():
            return [BenchmarkInfo("mazes", "Forty mazes.", package="my_package", folder="mazes")]
    """
    return ()


@hookspec
def gridworld_tilings() -> Iterable[TilingInfo]:
    """Tilings: ways to lay a task's lattice out in cells.

    Example:
        @hookimpl
        def gridworld_tilings():
            return [TilingInfo("rhombus", "Three rhombi a cell.", "my_package.rhombus:rhombus_topology")]
    """
    return ()
