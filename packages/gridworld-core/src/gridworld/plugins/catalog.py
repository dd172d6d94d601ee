"""What plugins provide, by name, and the status of each plugin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

import attrs
from packaging.utils import canonicalize_name

from gridworld.errors import AmbiguousNameError, UnknownNameError
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
from gridworld.plugins.import_costs import ImportCost
from gridworld.plugins.kinds import KINDS
from gridworld.plugins.known_plugins import TOOLKIT, advice_to_install

__all__ = ["Catalog", "PluginFailure", "PluginRecord", "Provided", "Registry", "canonical_name"]


class Named(Protocol):
    """What every descriptor has."""

    @property
    def name(self) -> str:
        """What it is found by."""
        ...

    @property
    def summary(self) -> str:
        """A sentence for listings."""
        ...


Descriptor = TypeVar("Descriptor", bound=Named)


@attrs.frozen
class PluginFailure:
    """Why a plugin is not in use: in which phase it failed, and the error."""

    phase: str
    error: str
    place: str = attrs.field(default="", eq=False)
    """``file:line`` in the plugin's package, if something of it was running; two failures are equal wherever it is."""

    def __str__(self) -> str:
        at = f" ({self.place})" if self.place else ""
        return f"in phase '{self.phase}': {self.error}{at}"


@attrs.frozen
class PluginRecord:
    """One entry point of one distribution, and its status."""

    distribution: str
    version: str
    entry_point: str
    module: str
    status: str
    """``loaded``, ``disabled`` or ``failed``."""
    failure: PluginFailure | None = None
    provides: tuple[tuple[str, str], ...] = ()
    """(kind, name) of each thing that it provides."""
    file: str = attrs.field(default="", eq=False)
    """The file that ``--plugin`` named; empty for an entry point."""
    disabled_by: str = attrs.field(default="", eq=False)
    """The option or environment variable that disables it; empty for one that is not disabled."""
    cost: ImportCost = attrs.field(default=ImportCost(), eq=False)
    """What it took to load; two records are equal whatever it was."""

    @property
    def qualified_name(self) -> str:
        """``distribution/entry point``."""
        return f"{self.distribution}/{self.entry_point}"


@attrs.frozen
class Provided(Generic[Descriptor]):
    """A descriptor, and the plugin that it came from."""

    item: Descriptor
    distribution: str
    entry_point: str

    @property
    def given_name(self) -> str:
        """The name that its author gave it, which is also the `name` of `item` unless the toolkit has that name."""
        return self.item.name.rpartition("/")[2]

    @property
    def qualified_name(self) -> str:
        """``distribution/name``, which chooses this one among several of the same name."""
        return f"{self.distribution}/{self.given_name}"

    @property
    def full_name(self) -> str:
        """``distribution/entry point/name``, for a distribution that provides one name twice."""
        return f"{self.distribution}/{self.entry_point}/{self.given_name}"

    def described(self, kind: str) -> str:
        """What messages call it, such as ``goal 'tour' (my-distribution)``."""
        return f"{kind} '{self.given_name}' ({self.distribution})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that mean this one, the shortest first."""
        return tuple(dict.fromkeys((self.item.name, self.qualified_name, self.full_name)))


class Catalog(Generic[Descriptor]):
    """What the plugins provide of one kind, by name or by ``distribution/name``.

    A name that one of the toolkit's distributions provides is the toolkit's alone: a descriptor of another distribution
    that takes it has its qualified name instead.

    Args:
        kind: the kind's name.
        provided: the descriptors.
        unused: the plugins that failed to load or are disabled, so that it is not known what they provide.
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
        """All names, sorted, each once."""
        return sorted({provided.item.name for provided in self._provided})

    def get(self, name: str) -> Descriptor:
        """The descriptor of a name.

        Raises:
            UnknownNameError: nothing installed provides it.
            AmbiguousNameError: more than one plugin does, and the name is not qualified.
        """
        return self.provider(name).item

    def describe(self, name: str) -> str:
        """What messages call the descriptor of a name, such as ``goal 'tour' (my-distribution)``; raises as `get`."""
        return self.provider(name).described(self.kind)

    def provider(self, name: str) -> Provided[Descriptor]:
        """The descriptor of a name together with its plugin; raises as `get` does."""
        matches = self.meant_by(name)
        if not matches:
            failed = [record.qualified_name for record in self._unused if not record.disabled_by]
            disabled = {record.qualified_name: record.disabled_by for record in self._unused if record.disabled_by}
            raise UnknownNameError(self.kind, name, self.names(), advice_to_install(self.kind, name, failed, disabled))
        if len(matches) > 1:
            raise AmbiguousNameError(self.kind, name, _tell_apart(matches))
        return matches[0]

    def meant_by(self, name: str) -> list[Provided[Descriptor]]:
        """All descriptors that a name, qualified or not, may mean; more than one where it is ambiguous."""
        return self._meant.get(canonical_name(name) if "/" in name else name, [])

    def normal_name(self, name: str) -> str:
        """The name under which whatever is read from files and commands is kept and written.

        It is the same whichever other plugins are installed. Things of the toolkit have their plain name. A plain name
        of anything else stays as it is, and a qualified one is ``distribution/name``, or has the entry point as well
        where the distribution provides the name twice. A name that means nothing, or several things, stays as it is.
        """
        matches = self.meant_by(name)
        if len(matches) != 1 or "/" not in name:
            return name
        (found,) = matches
        if found.distribution in TOOLKIT:
            return found.item.name
        return found.qualified_name if len(self._meant[found.qualified_name]) == 1 else found.full_name

    def entries(self) -> Iterator[tuple[tuple[str, ...], Descriptor]]:
        """Each descriptor after the names that mean it alone: its name and its qualified one, or the longer ones."""
        return ((self._unique_names(provided), provided.item) for provided in self._provided)

    def conflicts(self) -> dict[str, list[str]]:
        """Name to the qualified names of its providers, for names that have more than one."""
        providers: dict[str, list[Provided[Descriptor]]] = {}
        for provided in self._provided:
            providers.setdefault(provided.item.name, []).append(provided)
        return {name: _tell_apart(several) for name, several in sorted(providers.items()) if len(several) > 1}

    def _unique_names(self, provided: Provided[Descriptor]) -> tuple[str, ...]:
        unique = tuple(name for name in provided.names if len(self._meant[name]) == 1)
        return unique[:2] if provided.item.name in unique else unique[:1]

    def __contains__(self, name: str) -> bool:
        return bool(self.meant_by(name))

    def __iter__(self) -> Iterator[Provided[Descriptor]]:
        return iter(self._provided)


def _without_built_in_names(provided: tuple[Provided[Any], ...]) -> tuple[Provided[Any], ...]:
    """Give what takes a name of the toolkit's distributions its qualified name."""
    built_in = {each.item.name for each in provided if each.distribution in TOOLKIT}
    return tuple(
        each
        if each.distribution in TOOLKIT or each.item.name not in built_in
        else _with_name(each, each.qualified_name)
        for each in provided
    )


def _with_name(provided: Provided[Any], name: str) -> Provided[Any]:
    return attrs.evolve(provided, item=attrs.evolve(provided.item, name=name))


def _tell_apart(providers: list[Provided[Any]]) -> list[str]:
    """Names that choose each one of several providers of one name."""
    qualified = [provided.qualified_name for provided in providers]
    return qualified if len(set(qualified)) == len(qualified) else [provided.full_name for provided in providers]


class Registry:
    """All plugins that were found, and what the loaded ones provide.

    Args:
        plugins: the status of each plugin.
        provided: the name of each kind to what the plugins provide of it.
    """

    def __init__(self, plugins: Iterable[PluginRecord], provided: Mapping[str, Iterable[Provided[Any]]]) -> None:
        self.plugins = tuple(plugins)
        unused = [record for record in self.plugins if record.status != "loaded"]
        self._catalogs = {kind.name: Catalog[Any](kind.name, provided.get(kind.name, ()), unused) for kind in KINDS}

    @property
    def backends(self) -> Catalog[BackendInfo]:
        """The backends."""
        return self._catalogs["backend"]

    @property
    def mechanisms(self) -> Catalog[MechanismType]:
        """The mechanism types."""
        return self._catalogs["mechanism"]

    @property
    def goals(self) -> Catalog[GoalType]:
        """The goal types."""
        return self._catalogs["goal"]

    @property
    def models(self) -> Catalog[ModelInfo]:
        """The models."""
        return self._catalogs["model"]

    @property
    def benchmarks(self) -> Catalog[BenchmarkInfo]:
        """The task suites."""
        return self._catalogs["benchmark"]

    @property
    def tilings(self) -> Catalog[TilingInfo]:
        """The tilings."""
        return self._catalogs["tiling"]

    @property
    def executors(self) -> Catalog[ExecutorInfo]:
        """The executors."""
        return self._catalogs["executor"]

    @property
    def observers(self) -> Catalog[ObserverInfo]:
        """The observers of runs."""
        return self._catalogs["observer"]

    @property
    def protocols(self) -> Catalog[ProtocolInfo]:
        """The ways to ask models for actions."""
        return self._catalogs["protocol"]

    @property
    def generators(self) -> Catalog[GeneratorInfo]:
        """The generators of tasks."""
        return self._catalogs["generator"]

    @property
    def importers(self) -> Catalog[ImporterInfo]:
        """The importers of tasks."""
        return self._catalogs["importer"]

    @property
    def probes(self) -> Catalog[ProbeInfo]:
        """The kinds of questions about what is seen."""
        return self._catalogs["probe"]

    @property
    def metrics(self) -> Catalog[MetricInfo]:
        """The metrics of recorded episodes."""
        return self._catalogs["metric"]

    @property
    def observations(self) -> Catalog[ObservationInfo]:
        """The formats of observations."""
        return self._catalogs["observation"]

    @property
    def commands(self) -> Catalog[CommandInfo]:
        """The commands of ``multinet`` that plugins add."""
        return self._catalogs["command"]

    @property
    def pages(self) -> Catalog[PageInfo]:
        """The writers of pages."""
        return self._catalogs["page"]

    @property
    def renderers(self) -> Catalog[RendererInfo]:
        """The formats of picture files."""
        return self._catalogs["renderer"]

    @property
    def failures(self) -> tuple[PluginRecord, ...]:
        """The plugins that failed."""
        return tuple(record for record in self.plugins if record.status == "failed")

    @property
    def catalogs(self) -> tuple[Catalog[Any], ...]:
        """One catalog for each kind, in the order of `gridworld.plugins.kinds.KINDS`."""
        return tuple(self._catalogs.values())

    def catalog(self, kind: str) -> Catalog[Any]:
        """The catalog of one kind, such as ``backend``.

        Raises:
            KeyError: there is no such kind.
        """
        return self._catalogs[kind]

    def with_provided(self, kind: str, provided: Iterable[Provided[Any]]) -> Registry:
        """The same, except for everything of one kind."""
        others = {name: tuple(catalog) for name, catalog in self._catalogs.items()}
        return Registry(self.plugins, {**others, kind: provided})

    def with_plugins(self, plugins: Iterable[PluginRecord]) -> Registry:
        """A registry of the same things with other records of the plugins."""
        return Registry(plugins, {name: tuple(catalog) for name, catalog in self._catalogs.items()})

    def renamed(self) -> list[tuple[str, Provided[Any]]]:
        """(kind, descriptor) of all that has its qualified name because the toolkit has the name that it was given."""
        return [
            (catalog.kind, each) for catalog in self.catalogs for each in catalog if each.item.name != each.given_name
        ]

    def conflicts(self) -> list[tuple[str, str, list[str]]]:
        """(kind, name, qualified names) of every name with more than one provider."""
        return [
            (catalog.kind, name, qualified)
            for catalog in self.catalogs
            for name, qualified in catalog.conflicts().items()
        ]


def canonical_name(name: str) -> str:
    """A distribution's name, alone or before a slash, as packaging tools spell it."""
    distribution, slash, entry_point = name.strip().partition("/")
    return canonicalize_name(distribution) + slash + entry_point
