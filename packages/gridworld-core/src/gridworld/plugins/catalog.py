"""Catalogs of the descriptors that plugins provide, one for each kind, and the registry of all catalogs.

To add a kind, add a descriptor (in `gridworld.hookspecs` or next to the class it describes), a hook specification in
`gridworld.hookspecs`, a line in `KINDS`, and an annotation in `Registry`. Three more entries are optional: a
conformance kit in `gridworld.testing`, a template of ``multinet plugins new`` in ``multinet_eval.cli.plugins.new``, and
extra information for ``multinet plugins show`` in ``multinet_eval.cli.plugins.show``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar, cast

import attrs
from packaging.utils import canonicalize_name

from gridworld.errors import AmbiguousNameError, Owner, UnknownNameError
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
from gridworld.plugins.known_plugins import TOOLKIT, advice_to_install
from gridworld.plugins.records import PluginRecord


@attrs.frozen
class PluginKind:
    """A kind of plugin, such as backends or models."""

    name: str
    """Singular name, as in messages and options, such as ``backend``."""
    descriptor: type[Any]
    """Class of the descriptors that the kind's hook returns; each has a `name`."""
    public: bool = True
    """Whether anybody may publish plugins of the kind; others are for the toolkit's own distributions only."""

    @property
    def plural(self) -> str:
        """Plural name, such as ``backends``."""
        return f"{self.name}s"

    @property
    def hook(self) -> str:
        """Name of the kind's hook, such as ``gridworld_backends``."""
        return f"gridworld_{self.plural}"


KINDS = (
    PluginKind("backend", BackendInfo),
    PluginKind("mechanism", MechanismType),
    PluginKind("goal", GoalType),
    PluginKind("model", ModelInfo),
    PluginKind("benchmark", BenchmarkInfo),
    PluginKind("tiling", TilingInfo),
    PluginKind("observer", ObserverInfo),
    PluginKind("protocol", ProtocolInfo),
    PluginKind("generator", GeneratorInfo),
    PluginKind("importer", ImporterInfo),
    PluginKind("probe", ProbeInfo),
    PluginKind("metric", MetricInfo),
    PluginKind("observation", ObservationInfo),
    PluginKind("executor", ExecutorInfo, public=False),
    PluginKind("command", CommandInfo, public=False),
    PluginKind("page", PageInfo, public=False),
    PluginKind("renderer", RendererInfo, public=False),
)
"""All kinds, in listing order."""

PLUGIN_HOOKS = tuple(kind.hook for kind in KINDS)
"""Names of the hooks that a plugin module may implement."""


def kind_of(descriptor: object) -> PluginKind | None:
    """Find the kind of a descriptor; None for anything else."""
    return next((kind for kind in KINDS if isinstance(descriptor, kind.descriptor)), None)


class Named(Protocol):
    """Fields that all descriptors have."""

    @property
    def name(self) -> str:
        """Name, unique within its kind and distribution."""
        ...

    @property
    def summary(self) -> str:
        """One sentence for listings."""
        ...

    @property
    def owner(self) -> Owner:
        """The plugin, for messages."""
        ...


Descriptor = TypeVar("Descriptor", bound=Named)


@attrs.frozen
class Provided(Generic[Descriptor]):
    """A descriptor and the plugin that provides it."""

    item: Descriptor
    """The descriptor, with this plugin as its owner."""
    distribution: str
    entry_point: str

    def __attrs_post_init__(self) -> None:
        kind = kind_of(self.item)
        assert kind is not None
        owner = Owner(f"{kind.name} '{self.given_name}'", self.distribution, self.entry_point)
        object.__setattr__(self, "item", attrs.evolve(cast("Any", self.item), owner=owner))

    @property
    def given_name(self) -> str:
        """The name given by the author; differs from the name in `item` if the toolkit provides the same name."""
        return self.item.name.rpartition("/")[2]

    @property
    def qualified_name(self) -> str:
        """``distribution/name``, which distinguishes the descriptor from others with the same name."""
        return f"{self.distribution}/{self.given_name}"

    @property
    def names(self) -> tuple[str, ...]:
        """All names that refer to the descriptor, the shortest first."""
        return tuple(dict.fromkeys((self.item.name, self.qualified_name)))


class Catalog(Generic[Descriptor]):
    """Descriptors of one kind, by name or by ``distribution/name``.

    A name provided by one of the toolkit's distributions belongs to the toolkit: a descriptor of another distribution
    with the same name is listed under its qualified name instead.

    Args:
        kind: the name of the kind.
        provided: the descriptors.
        unused: plugins that failed to load or are disabled, whose descriptors are therefore unknown.
    """

    def __init__(
        self, kind: str, provided: Iterable[Provided[Descriptor]], unused: Iterable[PluginRecord] = ()
    ) -> None:
        self.kind = kind
        self._unused = tuple(unused)
        self._provided: tuple[Provided[Descriptor], ...] = _without_built_in_names(tuple(provided))
        self._meant: dict[str, list[Provided[Descriptor]]] = {}
        for each in self._provided:
            for name in each.names:
                self._meant.setdefault(name, []).append(each)

    def names(self) -> list[str]:
        """Return all names, sorted and without duplicates."""
        return sorted({provided.item.name for provided in self._provided})

    def get(self, name: str) -> Descriptor:
        """Return the descriptor with this name.

        Raises:
            UnknownNameError: no installed plugin provides the name.
            AmbiguousNameError: several plugins provide the name, and the name is not qualified.
        """
        return self.provider(name).item

    def provider(self, name: str) -> Provided[Descriptor]:
        """Return the descriptor with this name, together with its plugin; raises as `get`."""
        matches = self.meant_by(name)
        if not matches:
            raise UnknownNameError(self.kind, name, self.names(), advice_to_install(self.kind, name, self._unused))
        if len(matches) > 1:
            raise AmbiguousNameError(self.kind, name, [each.qualified_name for each in matches])
        return matches[0]

    def meant_by(self, name: str) -> list[Provided[Descriptor]]:
        """Return all descriptors that a plain or qualified name may refer to."""
        return self._meant.get(canonical_name(name) if "/" in name else name, [])

    def normal_name(self, name: str) -> str:
        """Return a spelling of a name for files that does not depend on the other installed plugins.

        A qualified name becomes the plain one for descriptors of the toolkit, otherwise ``distribution/name``. A plain,
        unknown or ambiguous name stays unchanged.
        """
        matches = self.meant_by(name)
        if len(matches) != 1 or "/" not in name:
            return name
        (found,) = matches
        return found.item.name if found.distribution in TOOLKIT else found.qualified_name

    def entries(self) -> Iterator[tuple[tuple[str, ...], Descriptor]]:
        """Yield each descriptor with its unambiguous names, the shortest first."""
        for provided in self._provided:
            yield tuple(name for name in provided.names if len(self._meant[name]) == 1), provided.item

    def conflicts(self) -> dict[str, list[str]]:
        """Map each name with several providers to the qualified names of their descriptors."""
        several = {name: meant for name, meant in sorted(self._meant.items()) if len(meant) > 1}
        return {name: [each.qualified_name for each in meant] for name, meant in several.items()}

    def __contains__(self, name: str) -> bool:
        return bool(self.meant_by(name))

    def __iter__(self) -> Iterator[Provided[Descriptor]]:
        return iter(self._provided)


def _without_built_in_names(provided: tuple[Provided[Any], ...]) -> tuple[Provided[Any], ...]:
    """Give third-party descriptors that have a name of the toolkit their qualified name."""
    built_in = {each.item.name for each in provided if each.distribution in TOOLKIT}
    return tuple(
        each
        if each.distribution in TOOLKIT or each.item.name not in built_in
        else attrs.evolve(each, item=attrs.evolve(each.item, name=each.qualified_name))
        for each in provided
    )


class Registry:
    """All discovered plugins, and a catalog for each kind as an attribute named in the plural.

    Args:
        plugins: the record of each plugin.
        provided: descriptors by the name of their kind.
    """

    backends: Catalog[BackendInfo]
    mechanisms: Catalog[MechanismType]
    goals: Catalog[GoalType]
    models: Catalog[ModelInfo]
    benchmarks: Catalog[BenchmarkInfo]
    tilings: Catalog[TilingInfo]
    observers: Catalog[ObserverInfo]
    protocols: Catalog[ProtocolInfo]
    generators: Catalog[GeneratorInfo]
    importers: Catalog[ImporterInfo]
    probes: Catalog[ProbeInfo]
    metrics: Catalog[MetricInfo]
    observations: Catalog[ObservationInfo]
    executors: Catalog[ExecutorInfo]
    commands: Catalog[CommandInfo]
    pages: Catalog[PageInfo]
    renderers: Catalog[RendererInfo]

    def __init__(self, plugins: Iterable[PluginRecord], provided: Mapping[str, Iterable[Provided[Any]]]) -> None:
        self.plugins = tuple(plugins)
        unused = [record for record in self.plugins if record.status != "loaded"]
        self._catalogs = {kind.name: Catalog[Any](kind.name, provided.get(kind.name, ()), unused) for kind in KINDS}
        for kind in KINDS:
            setattr(self, kind.plural, self._catalogs[kind.name])

    @property
    def failures(self) -> tuple[PluginRecord, ...]:
        """Plugins that failed to load."""
        return tuple(record for record in self.plugins if record.status == "failed")

    @property
    def catalogs(self) -> tuple[Catalog[Any], ...]:
        """All catalogs, in the order of `KINDS`."""
        return tuple(self._catalogs.values())

    def catalog(self, kind: str) -> Catalog[Any]:
        """Return the catalog of a kind, such as ``backend``; raises KeyError for an unknown kind."""
        return self._catalogs[kind]

    def with_provided(self, kind: str, provided: Iterable[Provided[Any]]) -> Registry:
        """Return a copy with the descriptors of one kind replaced."""
        others = {name: tuple(catalog) for name, catalog in self._catalogs.items()}
        return Registry(self.plugins, {**others, kind: provided})

    def renamed(self) -> list[tuple[str, Provided[Any]]]:
        """List (kind, descriptor) for each descriptor renamed because the toolkit provides its plain name."""
        return [
            (catalog.kind, each) for catalog in self.catalogs for each in catalog if each.item.name != each.given_name
        ]

    def conflicts(self) -> list[tuple[str, str, list[str]]]:
        """List (kind, name, qualified names) for every name with several providers."""
        return [
            (catalog.kind, name, qualified)
            for catalog in self.catalogs
            for name, qualified in catalog.conflicts().items()
        ]


def canonical_name(name: str) -> str:
    """Normalize a distribution's name, alone or before a slash, as packaging tools do."""
    distribution, slash, entry_point = name.strip().partition("/")
    return canonicalize_name(distribution) + slash + entry_point
