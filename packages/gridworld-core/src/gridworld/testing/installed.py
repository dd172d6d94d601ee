"""Running the kits on installed plugins, as ``multinet plugins check`` does; needs no pytest."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from pickle import PicklingError
from types import ModuleType
from typing import Any

import attrs

from gridworld import testing
from gridworld.errors import PluginFault, UnknownNameError
from gridworld.hookspecs import TargetInfo
from gridworld.plugins import CORE_DISTRIBUTION, PluginRecord, Registry, using_registry
from gridworld.plugins.catalog import KINDS, canonical_name
from gridworld.support.import_strings import load_object
from gridworld.testing.conformance import CheckResult, Conformance, TargetConformance, checks_of, run_checks
from gridworld.testing.plugin_module import PluginModuleConformance
from gridworld.world.owned_hooks import import_string_of

KITS: dict[str, type[Conformance]] = {
    kit.kind: kit for kit in (getattr(testing, name) for name in testing.__all__) if kit is not PluginModuleConformance
}
"""Kit for each kind of plugin."""

NO_KIT = CheckResult(
    "conforming to its kind",
    "skipped",
    "gridworld-core has no conformance kit for its kind: check it with `multinet plugins check`",
)
NOT_USED = CheckResult(
    "using it",
    "skipped",
    "it may need a server, a person or money, so it is only made; to use it, a model some hundred times: `multinet "
    "plugins check NAME --live`, with -M KEY=VALUE for each argument that a model needs",
)


@attrs.frozen
class Candidate:
    """A plugin or one of its descriptors, to be checked."""

    distribution: str
    entry_point: str
    kind: str
    """``plugin``, or the name of a descriptor kind."""
    name: str
    subject: Any
    """The descriptor, or the plugin's record."""

    def answers_to(self, name: str) -> bool:
        """Whether a name refers to the candidate: its own name, or the name of its plugin or distribution."""
        plugin, qualified = f"{self.distribution}/{self.entry_point}", f"{self.distribution}/{self.name}"
        return name == self.name or canonical_name(name) in (self.distribution, plugin, qualified)


@attrs.frozen
class Checked:
    """The results of checking one candidate."""

    distribution: str
    entry_point: str
    kind: str
    name: str
    kit: str
    """Class name of the kit; empty if the kind has none."""
    results: tuple[CheckResult, ...]
    place: str = ""
    """Where it is defined, such as ``ice.py, line 7``, if a check did not pass and the place is known."""

    @property
    def verdict(self) -> str:
        """The worst verdict of all checks, in the order ``failed``, ``undecided``, ``skipped``, ``passed``."""
        verdicts = {result.verdict for result in self.results}
        return next((each for each in ("failed", "undecided", "skipped") if each in verdicts), "passed")

    @property
    def passed(self) -> int:
        """The number of passed checks."""
        return sum(result.verdict == "passed" for result in self.results)


def find_candidates(registry: Registry, name: str | None = None) -> list[Candidate]:
    """Return everything that can be checked: the plugins, then their descriptors.

    Args:
        registry: the plugins.
        name: restricts the result to a distribution, a plugin (``distribution/entry point``) or a descriptor.

    Raises:
        UnknownNameError: nothing has the name.
    """
    everything = list(_candidates(registry))
    found = [candidate for candidate in everything if name is None or candidate.answers_to(name)]
    if not found:
        known = {each for candidate in everything for each in (candidate.distribution, candidate.name)}
        raise UnknownNameError("plugin or provided thing", str(name), sorted(known))
    return found


def _candidates(registry: Registry) -> Iterator[Candidate]:
    for record in registry.plugins:
        if record.status != "disabled":
            name = record.entry_point or record.distribution
            yield Candidate(record.distribution, record.entry_point, "plugin", name, record)
    for kind in (kind for kind in KINDS if kind.public):
        for each in registry.catalog(kind.name):
            yield Candidate(each.distribution, each.entry_point, kind.name, each.item.name, each.item)


def check(
    candidate: Candidate,
    registry: Registry,
    live: bool = False,
    arguments: Mapping[str, Any] | None = None,
    further_kits: Mapping[str, type[Conformance]] | None = None,
) -> Checked:
    """Run the kit for one candidate.

    Args:
        candidate: what to check.
        registry: the plugins, including the candidate's.
        live: whether to use models and others that may reach the outside. Otherwise they are only constructed, except
            models of the core that need no argument.
        arguments: arguments of a model's constructor.
        further_kits: kits by kind, for kinds without one in the core.
    """
    kit = (
        PluginModuleConformance if candidate.kind == "plugin" else {**KITS, **(further_kits or {})}.get(candidate.kind)
    )
    with using_registry(registry):
        if kit is None:
            results = [NO_KIT]
        elif kit is PluginModuleConformance:
            results = _plugin_results(candidate.subject)
        else:
            attributes = {kit.kind: candidate.subject, **({"arguments": arguments} if arguments else {})}
            results = _results(type(kit.__name__, (kit,), attributes), live or not _may_cost(candidate))
    kit_name = kit.__name__ if kit else ""
    wrong = kit is not PluginModuleConformance and any(each.verdict in ("failed", "undecided") for each in results)
    return Checked(
        candidate.distribution,
        candidate.entry_point,
        candidate.kind,
        candidate.name,
        kit_name,
        tuple(results),
        defined_at(candidate.subject) if wrong else "",
    )


def defined_at(descriptor: Any) -> str:
    """Return where a descriptor's target, or else the constant that holds the descriptor, is defined; empty if unknown.

    Folders are omitted, as in `PluginFault.place`.
    """
    line: int | None
    try:
        if isinstance(descriptor, TargetInfo):
            target = load_object(descriptor.target)
            file, line = inspect.getsourcefile(target), inspect.getsourcelines(target)[1]
        else:
            constant = attrs.evolve(descriptor, name=descriptor.name.rpartition("/")[2])
            module, _, name = import_string_of(constant).partition(":")
            file, line = sys.modules[module].__file__, _line_of_constant(sys.modules[module], name)
    except (PicklingError, PluginFault, TypeError, OSError):
        return ""
    return f"{Path(file).name}, line {line}" if file and line else ""


def _line_of_constant(module: ModuleType, name: str) -> int | None:
    """Return the line of a module's top level on which a name is given its value."""
    for statement in ast.parse(inspect.getsource(module)).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
        if any(isinstance(each, ast.Name) and each.id == name for each in targets):
            return statement.lineno
    return None


def _results(kit: type[Conformance], may_use: bool) -> list[CheckResult]:
    if may_use or not issubclass(kit, TargetConformance) or not kit.outside:
        return run_checks(kit)
    made = run_checks(kit, checks_of(TargetConformance))
    if any(each.verdict == "failed" for each in made):
        return made
    return [
        *(attrs.evolve(each, verdict="skipped") if each.verdict == "undecided" else each for each in made),
        NOT_USED,
    ]


def _may_cost(candidate: Candidate) -> bool:
    """Whether using it may do more than compute; models of the core that need no arguments do not."""
    if candidate.kind != "model" or candidate.distribution != CORE_DISTRIBUTION:
        return True
    needed = inspect.signature(load_object(candidate.subject.target)).parameters.values()
    return any(each.default is inspect.Parameter.empty for each in needed)


def _plugin_results(record: PluginRecord) -> list[CheckResult]:
    kit = PluginModuleConformance
    if record.failure is not None:
        return [CheckResult("it loads", "failed", f"it fails {record.failure}", "See `multinet plugins list`.")]
    module = record.module.partition(":")[0]
    # A file holds its targets, too: what these need is imported with it.
    apart = kit.test_importing_it_and_calling_its_hooks_imports_no_heavy_library.__name__ if record.file else ""
    names = [name for name in checks_of(kit) if name != apart]
    return run_checks(type(kit.__name__, (kit,), {kit.kind: module}), names)
