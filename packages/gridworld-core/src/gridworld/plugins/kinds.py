"""The kinds of things that plugins provide: a new kind is a descriptor, a hook specification and a line here."""

from __future__ import annotations

from typing import Any

import attrs

from gridworld.plugins.descriptors import BackendInfo, BenchmarkInfo, ModelInfo, TilingInfo
from gridworld.world.goal_type import GoalType
from gridworld.world.mechanism_type import MechanismType

__all__ = ["KINDS", "PluginKind", "kind_of"]


@attrs.frozen
class PluginKind:
    """One kind."""

    name: str
    """The singular, as messages and options call it, such as ``backend``."""
    descriptor: type[Any]
    """What the hook returns an iterable of; its `name` is what it is found by."""

    @property
    def plural(self) -> str:
        """The plural, such as ``backends``."""
        return f"{self.name}s"

    @property
    def hook(self) -> str:
        """The name of the hook, such as ``gridworld_backends``."""
        return f"gridworld_{self.plural}"


KINDS = (
    PluginKind("backend", BackendInfo),
    PluginKind("mechanism", MechanismType),
    PluginKind("goal", GoalType),
    PluginKind("model", ModelInfo),
    PluginKind("benchmark", BenchmarkInfo),
    PluginKind("tiling", TilingInfo),
)
"""All kinds, in the order in which listings show them."""


def kind_of(descriptor: object) -> PluginKind | None:
    """The kind of a descriptor; None for anything else."""
    return next((kind for kind in KINDS if isinstance(descriptor, kind.descriptor)), None)
