"""Plugins: discovery, loading, the registry of their descriptors, and attribution of failures.

`get_registry` returns the registry in use; `load_registry` makes a separate one.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.plugins.catalog import Catalog, Provided, Registry
    from gridworld.plugins.loading import CORE_DISTRIBUTION, DISABLE_VARIABLE, load_registry
    from gridworld.plugins.records import PluginFailure, PluginRecord
    from gridworld.plugins.registry import (
        get_registry,
        normal_name,
        set_registry,
        type_versions,
        using_registry,
    )
    from gridworld.plugins.tilings import find_tiling, lay_out

__all__ = [
    "CORE_DISTRIBUTION",
    "DISABLE_VARIABLE",
    "Catalog",
    "PluginFailure",
    "PluginRecord",
    "Provided",
    "Registry",
    "find_tiling",
    "get_registry",
    "lay_out",
    "load_registry",
    "normal_name",
    "set_registry",
    "type_versions",
    "using_registry",
]

MODULES = {
    "CORE_DISTRIBUTION": "loading",
    "DISABLE_VARIABLE": "loading",
    "Catalog": "catalog",
    "PluginFailure": "records",
    "PluginRecord": "records",
    "Provided": "catalog",
    "Registry": "catalog",
    "get_registry": "registry",
    "load_registry": "loading",
    "normal_name": "registry",
    "set_registry": "registry",
    "type_versions": "registry",
    "using_registry": "registry",
    "find_tiling": "tilings",
    "lay_out": "tilings",
}

__getattr__ = names_from(__name__, MODULES)
