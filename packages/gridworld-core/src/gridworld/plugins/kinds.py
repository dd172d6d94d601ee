"""The kinds of things that plugins provide.

A new kind is a descriptor (in `gridworld.hookspecs` or beside what it describes), a hook specification in
`gridworld.hookspecs`, a line in `KINDS`, and a property of `gridworld.plugins.Registry` that gives its catalog a type.
Everything else is optional, and each a single entry beside its own feature: a conformance kit in `gridworld.testing`, a
scaffold in ``multinet_eval.scaffolds``, and in ``multinet_eval.cli.plugins.show`` what to show of one beyond its plain
fields.
"""

from __future__ import annotations

from typing import Any

import attrs

from gridworld.hookspecs import (
    BackendInfo,
    BenchmarkInfo,
    CommandInfo,
    ExecutorInfo,
    GeneratorInfo,
    GoalType,
    ImporterInfo,
    MechanismType,
    MetricInfo,
    ModelInfo,
    ObservationInfo,
    ObserverInfo,
    PageInfo,
    ProbeInfo,
    ProtocolInfo,
    RendererInfo,
    TilingInfo,
)

__all__ = ["KINDS", "PLUGIN_HOOKS", "PluginKind", "kind_of"]


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
    PluginKind("executor", ExecutorInfo),
    PluginKind("observer", ObserverInfo),
    PluginKind("protocol", ProtocolInfo),
    PluginKind("generator", GeneratorInfo),
    PluginKind("importer", ImporterInfo),
    PluginKind("probe", ProbeInfo),
    PluginKind("metric", MetricInfo),
    PluginKind("observation", ObservationInfo),
    PluginKind("command", CommandInfo),
    PluginKind("page", PageInfo),
    PluginKind("renderer", RendererInfo),
)
"""All kinds, in the order in which listings show them."""

PLUGIN_HOOKS = tuple(kind.hook for kind in KINDS)
"""The names of the functions that a plugin's module may have."""


def kind_of(descriptor: object) -> PluginKind | None:
    """The kind of a descriptor; None for anything else."""
    return next((kind for kind in KINDS if isinstance(descriptor, kind.descriptor)), None)
