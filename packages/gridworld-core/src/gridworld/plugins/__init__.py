"""Plugins: what they describe themselves by, how they are found and loaded, and whose fault a failure is.

`get_registry` gives everything that is installed; `load_registry` makes a registry of its own.
"""

from gridworld.plugins.catalog import Catalog, PluginFailure, PluginRecord, Provided, Registry
from gridworld.plugins.loading import CORE_DISTRIBUTION, DISABLE_VARIABLE, load_registry
from gridworld.plugins.registry import get_registry, set_registry, using_registry

__all__ = [
    "CORE_DISTRIBUTION",
    "DISABLE_VARIABLE",
    "Catalog",
    "PluginFailure",
    "PluginRecord",
    "Provided",
    "Registry",
    "get_registry",
    "load_registry",
    "set_registry",
    "using_registry",
]
