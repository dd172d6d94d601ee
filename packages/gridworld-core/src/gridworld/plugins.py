"""Finds the installed plugins, loads each on its own, and keeps what they provide.

One plugin that fails never stops another: its failure is kept, with the phase and the error, for
``multinet plugins`` to show. The order is total: by distribution name, then by entry point name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, EntryPoint, entry_points
from types import ModuleType
from typing import Any, Generic, TypeVar, cast

import attrs
import pluggy
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from gridworld import hookspecs
from gridworld._version import __version__
from gridworld.errors import AmbiguousNameError, PluginFault, UnknownNameError, describe_error, describe_value
from gridworld.known_plugins import advice_to_install
from gridworld.plugin_types import BackendInfo, BenchmarkInfo, GoalType, MechanismType, ModelInfo, TilingInfo
from gridworld.suggestions import nearest_hint

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

CORE_DISTRIBUTION = "gridworld-core"
DISABLE_VARIABLE = "GRIDWORLD_DISABLE_PLUGINS"
"""The environment variable that lists plugins not to import, separated by commas."""

Descriptor = TypeVar("Descriptor", BackendInfo, MechanismType, GoalType, ModelInfo, BenchmarkInfo, TilingInfo)

HOOKS: dict[str, tuple[str, Any]] = {
    "gridworld_backends": ("backend", BackendInfo),
    "gridworld_mechanisms": ("mechanism", MechanismType),
    "gridworld_goals": ("goal", GoalType),
    "gridworld_models": ("model", ModelInfo),
    "gridworld_benchmarks": ("benchmark", BenchmarkInfo),
    "gridworld_tilings": ("tiling", TilingInfo),
}


@attrs.frozen
class PluginFailure:
    """Why a plugin is not in use: in which phase it failed, and the error."""

    phase: str
    error: str


@attrs.frozen
class PluginRecord:
    """One entry point of one distribution, and what became of it."""

    distribution: str
    version: str
    entry_point: str
    module: str
    status: str
    """``loaded``, ``disabled`` or ``failed``."""
    failure: PluginFailure | None = None
    provides: tuple[tuple[str, str], ...] = ()
    """(kind, name) of each thing that it provides."""

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
    def qualified_name(self) -> str:
        """``distribution/name``, which chooses this one among several of the same name."""
        return f"{self.distribution}/{self.item.name}"

    @property
    def full_name(self) -> str:
        """``distribution/entry point/name``, for a distribution that provides one name twice."""
        return f"{self.distribution}/{self.entry_point}/{self.item.name}"

    def answers_to(self, name: str) -> bool:
        """Whether a name, qualified or not, means this one."""
        return name in (self.item.name, self.qualified_name, self.full_name)


class Catalog(Generic[Descriptor]):
    """What the plugins provide of one kind, by name or by ``distribution/name``."""

    def __init__(self, kind: str, provided: Iterable[Provided[Descriptor]]) -> None:
        self.kind = kind
        self._provided: tuple[Provided[Descriptor], ...] = tuple(provided)

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

    def provider(self, name: str) -> Provided[Descriptor]:
        """The descriptor of a name together with its plugin; raises as `get` does."""
        wanted = _canonical(name) if "/" in name else name
        matches = [provided for provided in self._provided if provided.answers_to(wanted)]
        if not matches:
            raise UnknownNameError(self.kind, name, self.names(), advice_to_install(self.kind, name))
        if len(matches) > 1:
            raise AmbiguousNameError(self.kind, name, _tell_apart(matches))
        return matches[0]

    def conflicts(self) -> dict[str, list[str]]:
        """Name to the qualified names of its providers, for names that have more than one."""
        providers: dict[str, list[Provided[Descriptor]]] = {}
        for provided in self._provided:
            providers.setdefault(provided.item.name, []).append(provided)
        return {name: _tell_apart(several) for name, several in sorted(providers.items()) if len(several) > 1}

    def __contains__(self, name: str) -> bool:
        return any(provided.answers_to(name) for provided in self._provided)

    def __iter__(self) -> Iterator[Provided[Descriptor]]:
        return iter(self._provided)


def _tell_apart(providers: list[Provided[Any]]) -> list[str]:
    """Names that choose each one of several providers of one name."""
    qualified = [provided.qualified_name for provided in providers]
    return qualified if len(set(qualified)) == len(qualified) else [provided.full_name for provided in providers]


@attrs.frozen(eq=False)
class Registry:
    """All plugins that were found, and what the loaded ones provide."""

    plugins: tuple[PluginRecord, ...]
    backends: Catalog[BackendInfo]
    mechanisms: Catalog[MechanismType]
    goals: Catalog[GoalType]
    models: Catalog[ModelInfo]
    benchmarks: Catalog[BenchmarkInfo]
    tilings: Catalog[TilingInfo]

    @property
    def failures(self) -> tuple[PluginRecord, ...]:
        """The plugins that failed."""
        return tuple(record for record in self.plugins if record.status == "failed")

    @property
    def catalogs(self) -> tuple[Catalog[Any], ...]:
        """One catalog for each kind of thing."""
        return (self.backends, self.mechanisms, self.goals, self.models, self.benchmarks, self.tilings)

    def conflicts(self) -> list[tuple[str, str, list[str]]]:
        """(kind, name, qualified names) of every name with more than one provider."""
        return [
            (catalog.kind, name, qualified)
            for catalog in self.catalogs
            for name, qualified in catalog.conflicts().items()
        ]


def load_registry(disabled: Iterable[str] = (), strict: bool = False) -> Registry:
    """Load every installed plugin except those in `disabled` or in the environment variable `DISABLE_VARIABLE`.

    Args:
        disabled: distribution names, or ``distribution/entry point``.
        strict: make the first failure fatal.

    Raises:
        UnknownNameError: a name in `disabled` is no installed plugin.
        PluginFault: `strict`, and a plugin failed.
    """
    with _loading_once():
        return _load_all(tuple(disabled), strict)


def _load_all(named: tuple[str, ...], strict: bool) -> Registry:
    found = _find_entry_points()
    _refuse_unknown(named, found)
    variable = os.environ.get(DISABLE_VARIABLE, "")
    unwanted = {_canonical(name) for name in (*named, *variable.split(",")) if name.strip()}
    manager = pluggy.PluginManager("gridworld")
    manager.add_hookspecs(hookspecs)
    collected: dict[str, list[Provided[Any]]] = {hook: [] for hook in HOOKS}
    records = tuple(_load_one(manager, distribution, entry, unwanted, collected) for distribution, entry in found)
    failed = next((record for record in records if record.failure), None)
    if strict and failed and failed.failure:
        raise PluginFault(
            f"plugin {failed.qualified_name} failed in phase '{failed.failure.phase}': {failed.failure.error}"
        )
    catalogs = {hook: Catalog(HOOKS[hook][0], provided) for hook, provided in collected.items()}
    return Registry(records, *(catalogs[hook] for hook in HOOKS))


_loading = False


@contextmanager
def _loading_once() -> Iterator[None]:
    """Refuse a plugin that asks for the registry while the registry is being made."""
    global _loading
    if _loading:
        raise PluginFault("the registry was asked for while plugins are being loaded; ask for it when it is needed")
    _loading = True
    try:
        yield
    finally:
        _loading = False


def _find_entry_points() -> list[tuple[Distribution, EntryPoint]]:
    found = {
        (_dist_name(entry.dist), entry.name): (entry.dist, entry)
        for entry in entry_points(group=hookspecs.ENTRY_POINT_GROUP)
        if entry.dist is not None
    }
    return [found[key] for key in sorted(found)]


NAMELESS = "unnamed-distribution"
"""Stands for a distribution whose metadata are broken."""


def _dist_name(distribution: Distribution) -> str:
    metadata: Any = distribution.metadata
    name = metadata["Name"] if metadata else None
    return str(canonicalize_name(name)) if name else NAMELESS


def _version(distribution: Distribution) -> str:
    metadata: Any = distribution.metadata
    return str((metadata["Version"] if metadata else None) or "unknown")


def _canonical(name: str) -> str:
    distribution, slash, entry_point = name.strip().partition("/")
    return canonicalize_name(distribution) + slash + entry_point


def _refuse_unknown(disabled: Iterable[str], found: list[tuple[Distribution, EntryPoint]]) -> None:
    known = [_dist_name(distribution) for distribution, _ in found]
    qualified = [f"{_dist_name(distribution)}/{entry.name}" for distribution, entry in found]
    for name in disabled:
        if _canonical(name) not in (*known, *qualified):
            raise UnknownNameError("plugin", name, qualified if "/" in name else sorted(set(known)))


class _PhaseError(Exception):
    def __init__(self, phase: str, error: BaseException | str) -> None:
        text = error if isinstance(error, str) else describe_error(error)
        self.failure = PluginFailure(phase, text)
        super().__init__(text)


def _load_one(
    manager: pluggy.PluginManager,
    distribution: Distribution,
    entry: EntryPoint,
    unwanted: set[str],
    collected: dict[str, list[Provided[Any]]],
) -> PluginRecord:
    name = _dist_name(distribution)
    record = PluginRecord(name, _version(distribution), entry.name, entry.value, "loaded")
    if unwanted & {name, record.qualified_name}:
        return attrs.evolve(record, status="disabled")
    try:
        _check_requirement(distribution)
        module = _import(entry)
        _register(manager, module, record.qualified_name)
        results = {hook: _call_hook(manager, hook, record) for hook in HOOKS}
    except _PhaseError as error:
        return attrs.evolve(record, status="failed", failure=error.failure)
    provides: list[tuple[str, str]] = []
    for hook, provided in results.items():
        collected[hook].extend(provided)
        provides.extend((HOOKS[hook][0], each.item.name) for each in provided)
    return attrs.evolve(record, provides=tuple(provides))


def _check_requirement(distribution: Distribution) -> None:
    for text in distribution.requires or ():
        requirement = _parse_requirement(text)
        if requirement is None or canonicalize_name(requirement.name) != CORE_DISTRIBUTION:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        if not requirement.specifier.contains(__version__, prereleases=True):
            raise _PhaseError(
                "requirement", f"it needs {CORE_DISTRIBUTION}{requirement.specifier}, but {__version__} is installed"
            )


def _parse_requirement(text: str) -> Requirement | None:
    """A requirement; None for a malformed one that is about another package."""
    try:
        return Requirement(text)
    except InvalidRequirement as error:
        if canonicalize_name(text.strip()).startswith(CORE_DISTRIBUTION):
            raise _PhaseError("requirement", f"malformed requirement '{text}'") from error
        return None


def _import(entry: EntryPoint) -> ModuleType:
    try:
        return cast("ModuleType", entry.load())
    except (Exception, SystemExit) as error:
        raise _PhaseError("import", error) from error


def _register(manager: pluggy.PluginManager, module: ModuleType, name: str) -> None:
    try:
        manager.register(module, name=name)
    except Exception as error:
        raise _PhaseError("register", error) from error
    for caller in manager.get_hookcallers(module) or ():
        if caller.name not in HOOKS:
            raise _PhaseError("register", f"unknown hook '{caller.name}'{nearest_hint(caller.name, HOOKS)}")


def _call_hook(manager: pluggy.PluginManager, hook: str, record: PluginRecord) -> list[Provided[Any]]:
    kind, descriptor = HOOKS[hook]
    caller = getattr(manager.hook, hook)
    functions = [impl.function for impl in caller.get_hookimpls() if impl.plugin_name == record.qualified_name]
    try:
        items: list[Any] = [item for function in functions for item in function()]
    except (Exception, SystemExit) as error:
        raise _PhaseError(hook, error) from error
    for item in items:
        if not isinstance(item, descriptor):
            raise _PhaseError(hook, f"expected {descriptor.__name__} for each {kind}, got {describe_value(item)}")
        if not isinstance(item.name, str) or not item.name or "/" in item.name:
            raise _PhaseError(hook, f"a name has to be a text without '/', got {item.name!r} for a {kind}")
    return [Provided(item, record.distribution, record.entry_point) for item in items]


_registry: Registry | None = None


def get_registry() -> Registry:
    """The registry in use; the installed plugins are loaded when it is first asked for.

    Raises:
        PluginFault: a plugin's module or hook asks for it while it is being loaded.
    """
    global _registry
    if _registry is None:
        _registry = load_registry()
    return _registry


def set_registry(registry: Registry) -> None:
    """Use another registry from now on, as the command line does to disable plugins."""
    global _registry
    _registry = registry


@contextmanager
def using_registry(registry: Registry) -> Iterator[Registry]:
    """Use another registry inside a ``with`` block."""
    global _registry
    previous = _registry
    _registry = registry
    try:
        yield registry
    finally:
        _registry = previous
