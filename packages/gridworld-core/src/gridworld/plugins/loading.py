"""Loading of plugins, isolated from each other.

A plugin that fails does not affect the others: its failure is recorded with the phase and the error. Plugins are
ordered by distribution name, then by entry point name.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cache, partial
from hashlib import sha256
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import walk_tb
from types import FunctionType, ModuleType
from typing import Any

import attrs
import pluggy
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from gridworld import hookspecs
from gridworld._version import __version__
from gridworld.errors import PluginFault, PluginWarning, UnknownNameError, describe_error, describe_value
from gridworld.plugins.catalog import KINDS, PLUGIN_HOOKS, PluginKind, Provided, Registry, canonical_name, kind_of
from gridworld.plugins.discovery import UNKNOWN, Found, find_plugins
from gridworld.plugins.known_plugins import TOOLKIT
from gridworld.plugins.records import ImportMeter, PluginFailure, PluginRecord
from gridworld.support.faults import RAISED
from gridworld.support.wording import nearest_hint, shorten

CORE_DISTRIBUTION = "gridworld-core"
"""The distribution of this module."""
DISABLE_VARIABLE = "GRIDWORLD_DISABLE_PLUGINS"
"""Environment variable with plugins to disable, separated by commas."""
FILE_VERSION = "file-"
"""Prefix of the version of a plugin file; a digest of the file follows."""
DISABLE_OPTION = "--disable-plugin"
"""Command line option that disables a plugin."""


def load_registry(disabled: Iterable[str] = (), strict: bool = False, files: Iterable[str] = ()) -> Registry:
    """Load every installed plugin except plugins in `disabled` or in the environment variable `DISABLE_VARIABLE`.

    Args:
        disabled: distribution names, or ``distribution/entry point``.
        strict: raise the first failure.
        files: Python files that are also loaded as plugins. A file has hooks, or else public descriptors. ``ice.py``
            becomes the module ``ice`` of the distribution ``ice-py``, with a digest of the file as its version.

    Raises:
        UnknownNameError: a name in `disabled` is not an installed plugin. For a name in the variable, which may be
            meant for another machine, a `PluginWarning` is issued instead.
        PluginFault: a file failed, or any plugin with `strict`.
    """
    with _loading_once():
        try:
            paths = {Path(file).resolve(): Path(file).absolute() for file in files}  # each file once
        except ValueError as error:
            raise PluginFault(f"a plugin's path is not a file name: {error}") from error
        return _load_all(tuple(disabled), strict, [_read_file(path) for path in paths.values()])


def _load_all(named: tuple[str, ...], strict: bool, files: list[Found]) -> Registry:
    found = [*find_plugins(), *files]
    variable = list(filter(None, map(str.strip, os.environ.get(DISABLE_VARIABLE, "").split(","))))
    for error in _unknown(named, found):
        raise error
    for error in _unknown(variable, found):
        warnings.warn(f"{DISABLE_VARIABLE}: {error}", PluginWarning, stacklevel=3)
    unwanted = {canonical_name(name): DISABLE_OPTION for name in named}
    unwanted |= {canonical_name(name): DISABLE_VARIABLE for name in variable}
    manager = pluggy.PluginManager("gridworld")
    manager.add_hookspecs(hookspecs)
    collected: dict[str, list[Provided[Any]]] = {kind.name: [] for kind in KINDS}
    installed = {each.distribution: each.version for each in found if each.version != UNKNOWN}
    installed[CORE_DISTRIBUTION] = __version__
    records = tuple(_load_one(manager, each, installed, unwanted, collected) for each in found)
    failed = next((record for record in records if record.failure and (strict or record.file)), None)
    if failed and failed.failure:
        raise PluginFault(f"plugin {failed.file or failed.qualified_name} failed {failed.failure}")
    return Registry(records, collected)


_lock = threading.RLock()
_loading = False


@contextmanager
def _loading_once() -> Iterator[None]:
    """Make other threads wait, and reject a plugin that requests the registry while the registry is being built."""
    global _loading
    with _lock:
        if _loading:
            raise PluginFault(
                "the registry was requested while plugins are being loaded; call get_registry when it is needed"
            )
        _loading = True
        try:
            yield
        finally:
            _loading = False


def _read_file(path: Path) -> Found:
    """Check a plugin file; raises `PluginFault` if the file cannot be read or imported under its name."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PluginFault(f"plugin {path}: cannot be read: {error.strerror}") from error
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise PluginFault(f"plugin {path}: expected a Python file that can be imported, such as my_plugin.py")
    loaded = sys.modules.get(path.stem)
    spec = loaded.__spec__ if loaded else find_spec(path.stem)
    is_itself = spec is not None and spec.origin is not None and Path(spec.origin).resolve() == path.resolve()
    if (loaded or spec) and not is_itself:
        raise PluginFault(f"plugin {path}: there is another module '{path.stem}'; give the file another name")
    return Found(
        distribution=canonicalize_name(path.name),
        version=f"{FILE_VERSION}{sha256(content).hexdigest()[:16]}",
        name=path.stem,
        value=path.stem,
        load=partial(_run_file, path),
        file=str(path),
    )


def _run_file(path: Path) -> ModuleType:
    """Execute a file as a new module, and add it to `sys.modules` for import strings."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module


def _unknown(disabled: Iterable[str], found: list[Found]) -> Iterator[UnknownNameError]:
    """Yield an error for each name in `disabled` that is not an installed plugin."""
    known = [each.distribution for each in found]
    qualified = [each.qualified_name for each in found]
    for name in disabled:
        if canonical_name(name) not in (*known, *qualified):
            yield UnknownNameError("plugin", name, qualified if "/" in name else sorted(set(known)))


class _PhaseError(Exception):
    """A failure in a phase; `at` is the function to blame if the error was not raised inside that function."""

    def __init__(self, phase: str, error: BaseException | str, at: object = None) -> None:
        text = error if isinstance(error, str) else describe_error(error)
        place = f"{at.__code__.co_filename}:{at.__code__.co_firstlineno}" if isinstance(at, FunctionType) else ""
        self.failure = PluginFailure(phase, text, place)
        super().__init__(text)


def _place_of(error: BaseException | None, module: str) -> str:
    """Return ``file:line`` of the innermost frame in the package of a plugin's module, or an empty string."""
    if isinstance(error, SyntaxError) and error.filename and not error.filename.startswith("<"):
        return f"{error.filename}:{error.lineno}"
    package = module.partition(":")[0].partition(".")[0].strip()
    frames = walk_tb(None if error is None else error.__traceback__)
    places = [
        f"{frame.f_code.co_filename}:{line}"
        for frame, line in frames
        if frame.f_globals.get("__name__", "").partition(".")[0] == package
    ]
    return places[-1] if places else ""


def _load_one(
    manager: pluggy.PluginManager,
    found: Found,
    installed: Mapping[str, str],
    unwanted: Mapping[str, str],
    collected: dict[str, list[Provided[Any]]],
) -> PluginRecord:
    """Load a plugin: add what it provides to `collected`, and return what became of it."""
    record = PluginRecord(
        found.distribution, found.version, found.name, found.value, "loaded", file=found.file, requires=found.requires
    )
    by = unwanted.get(record.distribution) or unwanted.get(record.qualified_name)
    if by:
        return attrs.evolve(record, status="disabled", disabled_by=by)
    if found.failure is not None:
        return attrs.evolve(record, status="failed", failure=found.failure)
    meter = ImportMeter()
    try:
        _check_requirements(found.requires, installed)
        with redirect_stdout(sys.stderr):  # the standard output belongs to the command
            provided = [_provided(found, *each) for each in _descriptors(manager, found)]
        _check_names(provided, collected)
    except _PhaseError as error:
        place = error.failure.place or _place_of(error.__cause__, record.module)
        failure = attrs.evolve(error.failure, place=place)
        return attrs.evolve(record, status="failed", failure=failure, cost=meter.read())
    for kind, each in provided:
        collected[kind].append(each)
    return attrs.evolve(record, provides=tuple((kind, each.item.name) for kind, each in provided), cost=meter.read())


NAME_IN_REQUIREMENT = re.compile(r"\s*([\w.-]*)")


def _check_requirements(requires: Iterable[str], installed: Mapping[str, str]) -> None:
    """Raise `_PhaseError` unless the toolkit's distributions satisfy the requirements."""
    for text in requires:
        match = NAME_IN_REQUIREMENT.match(text)
        name = canonicalize_name(match[1]) if match else ""
        if name in TOOLKIT:
            _check_requirement(text, name, installed.get(name))


def _check_requirement(text: str, name: str, installed: str | None) -> None:
    try:
        requirement = _parse_requirement(text)
    except InvalidRequirement as error:
        raise _PhaseError("requirement", f"malformed requirement '{text}'") from error
    if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
        return
    if installed is None:
        raise _PhaseError("requirement", f"it needs {name}{requirement.specifier}, which is not installed")
    if not requirement.specifier.contains(installed, prereleases=True):
        raise _PhaseError("requirement", f"it needs {name}{requirement.specifier}, but {installed} is installed")


_parse_requirement = cache(Requirement)

_Described = tuple[PluginKind, object, str, object]
"""The kind that a descriptor must have, the descriptor, the phase, and the hook that returned it, if any."""


def _descriptors(manager: pluggy.PluginManager, found: Found) -> Iterator[_Described]:
    """Import a plugin and yield its descriptors: itself, those that its hooks return, or those in a file."""
    try:
        target = found.load()
    except RAISED as error:
        raise _PhaseError("import", error) from error
    kind = kind_of(target)
    if kind is not None:
        yield kind, target, "entry point", None
        return
    hooks = _register(manager, target, found.qualified_name)
    if found.file and not hooks:
        yield from _descriptors_in(target)
    for kind in KINDS:
        if kind.hook in hooks:
            yield from _call_hook(kind, hooks[kind.hook])


def _register(manager: pluggy.PluginManager, module: object, name: str) -> dict[str, Callable[[], Any]]:
    """Register a module with hooks, and return its hooks by name."""
    try:
        manager.register(module, name=name)
    except Exception as error:
        raise _PhaseError("register", error) from error
    callers = manager.get_hookcallers(module) or ()
    hooks = {each.name: impl.function for each in callers for impl in each.get_hookimpls() if impl.plugin is module}
    if not hooks and not isinstance(module, ModuleType):
        expected = "a module with hooks, or a descriptor such as a MechanismType"
        raise _PhaseError("register", f"the entry point names {describe_value(module)}, expected {expected}")
    for hook in sorted(hooks.keys() - PLUGIN_HOOKS):
        raise _PhaseError("register", f"unknown hook '{hook}'{nearest_hint(hook, PLUGIN_HOOKS)}", hooks[hook])
    for hook in PLUGIN_HOOKS:
        function = vars(module).get(hook) if isinstance(module, ModuleType) else None
        if hook not in hooks and callable(function) and function is not vars(hookspecs)[hook]:  # by a star import
            raise _PhaseError("register", f"'{hook}' is not marked as a hook: decorate it with @hookimpl", function)
    return hooks


def _call_hook(kind: PluginKind, hook: Callable[[], Any]) -> Iterator[_Described]:
    try:
        found = hook()
        items = list(found) if isinstance(found, Iterable) else []
    except RAISED as error:
        raised_inside = len(list(walk_tb(error.__traceback__))) > 1
        raise _PhaseError(kind.hook, error, None if raised_inside else hook) from error
    if not isinstance(found, Iterable):
        alone = isinstance(found, kind.descriptor)
        returned = f"the {kind.name} '{found.name}' alone" if alone else shorten(describe_value(found))
        raise _PhaseError(kind.hook, f"returned {returned}, expected a list of {kind.descriptor.__name__}", hook)
    return ((kind, item, kind.hook, hook) for item in items)


def _descriptors_in(module: object) -> list[_Described]:
    """Find the public descriptors of a module."""
    public = {id(item): item for name, item in vars(module).items() if not name.startswith("_")}
    found: list[_Described] = [
        (kind, item, "register", None) for item in public.values() if (kind := kind_of(item)) is not None
    ]
    if not found:
        expected = "functions marked with @hookimpl, or a descriptor such as a MechanismType"
        raise _PhaseError("register", f"expected {expected}")
    return found


def _provided(found: Found, kind: PluginKind, item: Any, phase: str, at: object) -> tuple[str, Provided[Any]]:
    """Check a descriptor, and return it with the name of its kind."""
    if not isinstance(item, kind.descriptor):
        expected = kind.descriptor.__name__
        raise _PhaseError(phase, f"expected {expected} for each {kind.name}, got {describe_value(item)}", at)
    if not isinstance(item.name, str) or not item.name or "/" in item.name:
        raise _PhaseError(phase, f"a name must be a string without '/', got {item.name!r} for a {kind.name}", at)
    return kind.name, Provided(item, found.distribution, found.name)


def _check_names(
    provided: Iterable[tuple[str, Provided[Any]]], collected: Mapping[str, Iterable[Provided[Any]]]
) -> None:
    """Raise `_PhaseError` if a distribution provides a name twice, since its qualified name would be ambiguous."""
    taken = {(kind, each.qualified_name) for kind, others in collected.items() for each in others}
    for kind, each in provided:
        if (kind, each.qualified_name) in taken:
            raise _PhaseError("register", f"the distribution provides the {kind} '{each.given_name}' twice")
        taken.add((kind, each.qualified_name))
