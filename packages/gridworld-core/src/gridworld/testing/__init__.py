"""Conformance kits for authors of plugins: pytest classes to subclass in about five lines.

    from gridworld.testing import MechanismConformance
    from my_package.ice import ICE

    class TestIce(MechanismConformance):
        mechanism = ICE

Each kit is a module here. They need no pytest themselves: ``multinet plugins check`` runs them on what is installed.
What the pytest plugin of this package imports is here, too, so a kit is imported when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gridworld.testing.backend import BackendConformance
    from gridworld.testing.benchmark import BenchmarkConformance
    from gridworld.testing.goal import GoalConformance
    from gridworld.testing.mechanism import MechanismConformance
    from gridworld.testing.model import ModelConformance
    from gridworld.testing.plugin_module import PluginModuleConformance
    from gridworld.testing.tiling import TilingConformance

__all__ = [
    "BackendConformance",
    "BenchmarkConformance",
    "GoalConformance",
    "MechanismConformance",
    "ModelConformance",
    "PluginModuleConformance",
    "TilingConformance",
]

MODULES = {
    "BackendConformance": "backend",
    "BenchmarkConformance": "benchmark",
    "GoalConformance": "goal",
    "MechanismConformance": "mechanism",
    "ModelConformance": "model",
    "PluginModuleConformance": "plugin_module",
    "TilingConformance": "tiling",
}


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return vars(import_module(f"{__name__}.{MODULES[name]}"))[name]
