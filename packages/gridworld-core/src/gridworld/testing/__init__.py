"""Conformance kits for plugin authors: pytest classes to subclass in about five lines.

    from gridworld.testing import MechanismConformance
    from my_package.ice import ICE

    class TestIce(MechanismConformance):
        mechanism = ICE

Each kit is a module here, named after the kit; to add one, add such a module and the kit's name to ``__all__``. The
kits do not need pytest themselves: ``multinet plugins check`` runs them on installed plugins. A kit is imported on
first use, so that the fixtures of `gridworld.testing.pytest_plugin` cost nothing until a test uses one.
"""

import re
from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.testing.backend import BackendConformance
    from gridworld.testing.benchmark import BenchmarkConformance
    from gridworld.testing.generator import GeneratorConformance
    from gridworld.testing.goal import GoalConformance
    from gridworld.testing.importer import ImporterConformance
    from gridworld.testing.mechanism import MechanismConformance
    from gridworld.testing.model import ModelConformance
    from gridworld.testing.observation import ObservationConformance
    from gridworld.testing.plugin_module import PluginModuleConformance
    from gridworld.testing.tiling import TilingConformance

__all__ = [
    "BackendConformance",
    "BenchmarkConformance",
    "GeneratorConformance",
    "GoalConformance",
    "ImporterConformance",
    "MechanismConformance",
    "ModelConformance",
    "ObservationConformance",
    "PluginModuleConformance",
    "TilingConformance",
]


def _module_of(kit: str) -> str:
    """Return the name of the kit's module, such as ``plugin_module`` for ``PluginModuleConformance``."""
    return re.sub("(?<!^)(?=[A-Z])", "_", kit.removesuffix("Conformance")).lower()


__getattr__ = names_from(__name__, {kit: _module_of(kit) for kit in __all__})
