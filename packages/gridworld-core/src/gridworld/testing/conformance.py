"""Base of all kits: how a check fails, how the object under test is found, and how checks run without pytest."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from typing import Any, ClassVar, NoReturn
from weakref import WeakKeyDictionary

import attrs

from gridworld.errors import ArgumentError, PluginFault, TaskFileWarning, describe_error
from gridworld.plugins import Provided, Registry, get_registry, using_registry
from gridworld.plugins.catalog import kind_of
from gridworld.support.import_strings import load_object

__all__ = [
    "CheckResult",
    "Conformance",
    "Entry",
    "LeftOut",
    "NeedsExamples",
    "NotConforming",
    "calling",
    "checks_of",
    "constructed",
    "expect",
    "fail",
    "loaded",
    "run_checks",
]

UNDER_TEST = "under-test"
"""Distribution name of an object that is tested without being installed."""

Entry = Mapping[str, Any]
"""A part of a task file, such as one mechanism."""


class NotConforming(AssertionError):
    """A check failed; says what is wrong and what the author can do about it."""

    def __init__(self, wrong: str, remedy: str) -> None:
        self.wrong, self.remedy = wrong, remedy
        super().__init__(f"{wrong}\nWhat to do: {remedy}")


class NeedsExamples(NotConforming):
    """The kit cannot make an example by itself, so the check is undecided."""


class LeftOut(NotConforming):
    """The check lacks an input, such as an argument or permission to contact a server."""


def fail(wrong: str, remedy: str) -> NoReturn:
    """Fail the check."""
    __tracebackhide__ = True
    raise NotConforming(wrong, remedy)


def expect(condition: object, wrong: str, remedy: str) -> None:
    """Fail the check unless the condition holds; unlike ``assert`` it also works under ``python -O``."""
    __tracebackhide__ = True
    if not condition:
        raise NotConforming(wrong, remedy)


@contextmanager
def calling(what: str, remedy: str = "it must not raise here; handle this case") -> Iterator[None]:
    """Turn any error raised in the block into a failed check that says what was called."""
    try:
        yield
    except NotConforming:
        raise
    except Exception as error:
        raise NotConforming(f"{what} raised {describe_error(error)}", remedy) from error


def loaded(target: Any) -> Any:
    """Resolve a descriptor's import string.

    Raises:
        NotConforming: the import string cannot be resolved.
    """
    remedy = "write `package.module:attribute`, of a module that can be imported"
    expect(isinstance(target, str) and ":" in target, f"its target is {target!r:.80}, no import string", remedy)
    try:
        return load_object(target)
    except PluginFault as fault:
        raise NotConforming(str(fault), remedy) from fault


def constructed(constructor: Callable[..., Any], arguments: Mapping[str, Any], what: str) -> Any:
    """Call a constructor and return the object.

    Raises:
        NeedsExamples: the constructor needs further arguments, or raises an `ArgumentError` that says what it needs.
        NotConforming: the constructor raises anything else.
    """
    try:
        inspect.signature(constructor).bind(**arguments)
    except TypeError as error:
        raise NeedsExamples(
            f"{what} cannot be made with the arguments {dict(arguments)}: {error}",
            "subclass the kit in your tests and set `arguments`",
        ) from error
    with calling(f"making {what} with {dict(arguments)}", "set `arguments` to what its constructor accepts"):
        try:
            return constructor(**arguments)
        except ArgumentError as error:
            raise NeedsExamples(
                str(error), "provide what it asks for, for example with `arguments`, and try again"
            ) from error


class Conformance:
    """Base class of all kits: a class of checks, run by pytest or by `run_checks`.

    A kit's methods that start with ``test_`` are its checks. A subclass skips one by setting it to None. While a check
    runs, the object under test is in the registry, installed or not.
    """

    kind: ClassVar[str]
    """The kind of plugin under test, which is also the name of the class attribute that holds it."""

    costly: ClassVar[bool] = False
    """Whether the checks may cost money or time; if so, third-party plugins are checked only on request."""

    _context: ExitStack

    together_with: ClassVar[Sequence[Any]] = ()
    """Further descriptors that the object under test depends on, such as the mechanism that a goal refers to."""

    def setup_method(self) -> None:
        """Register the object under test, and what it depends on."""
        self._context = ExitStack()
        for item in (*self.together_with, self.resolve()):
            kind = kind_of(item)
            if kind is not None:
                self._context.enter_context(using_registry(with_item(get_registry(), kind.name, item)))

    def teardown_method(self) -> None:
        """Restore the registry."""
        self._context.close()

    def subject(self) -> Any:
        """Return the value of the class attribute named `kind`, as the subclass has set it.

        Raises:
            NotConforming: the attribute is missing.
        """
        try:
            given = inspect.getattr_static(type(self), self.kind)  # a function would turn into a method otherwise
        except AttributeError:
            fail(f"{type(self).__name__} tests nothing", f"set the class attribute `{self.kind}`")
        return given.__func__ if isinstance(given, staticmethod) else given

    def resolve(self) -> Any:
        """Return the object under test: the object given, or the target of ``"module:attribute"`` or a registered name.

        Raises:
            PluginFault, UnknownNameError, AmbiguousNameError: the name is unknown or ambiguous.
        """
        subject = self.subject()
        if not isinstance(subject, str):
            return subject
        return load_object(subject) if ":" in subject else get_registry().catalog(self.kind).get(subject)

    def derived(self, derive: Callable[[Any], list[Entry]]) -> list[Entry]:
        """Return examples derived from the object under test, computed once per kit."""
        item = self.resolve()
        made = _made_examples.get(type(self))
        if made is None or made[0] is not item:
            made = _made_examples[type(self)] = (item, derive(item))
        return deepcopy(made[1])


_made_examples: WeakKeyDictionary[type[Conformance], tuple[Any, list[Entry]]] = WeakKeyDictionary()
"""Object under test and derived examples, by kit."""


def with_item(registry: Registry, kind: str, item: Any) -> Registry:
    """Return a registry in which the item's name refers only to the item."""
    catalog = registry.catalog(kind)
    if [provided.item for provided in catalog if provided.item.name == item.name] == [item]:
        return registry
    others = [provided for provided in catalog if provided.item.name != item.name]
    return registry.with_provided(kind, [*others, Provided(item, UNDER_TEST, UNDER_TEST)])


@attrs.frozen
class CheckResult:
    """The result of one check."""

    check: str
    """The name of the check, without ``test_``."""
    verdict: str
    """``passed``, ``failed``, ``undecided`` or ``skipped``."""
    wrong: str = ""
    remedy: str = ""


def checks_of(kit: type[Conformance]) -> list[str]:
    """Return the names of a kit's checks in the order of their definition, base classes first."""
    names = (name for cls in reversed(kit.__mro__) for name in vars(cls) if name.startswith("test_"))
    return [name for name in dict.fromkeys(names) if callable(inspect.getattr_static(kit, name))]


def run_checks(kit: type[Conformance], names: Sequence[str] | None = None) -> list[CheckResult]:
    """Run the checks of a kit without pytest; a check that fails does not stop the others.

    Args:
        kit: a subclass of one of the kits that names what is under test.
        names: which checks; by default all.
    """
    return [_run_check(kit, name) for name in (checks_of(kit) if names is None else names)]


def _run_check(kit: type[Conformance], name: str) -> CheckResult:
    title = name.removeprefix("test_")
    instance = kit()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TaskFileWarning)  # derived examples use deprecated fields too
            instance.setup_method()
            try:
                getattr(instance, name)()
            finally:
                instance.teardown_method()
    except NeedsExamples as error:
        return CheckResult(title, "undecided", error.wrong, error.remedy)
    except LeftOut as error:
        return CheckResult(title, "skipped", error.wrong, error.remedy)
    except NotConforming as error:
        return CheckResult(title, "failed", error.wrong, error.remedy)
    except (Exception, SystemExit) as error:
        wrong = f"raised {describe_error(error)}"
        return CheckResult(title, "failed", wrong, "subclass the kit in your own tests to see where it was raised")
    return CheckResult(title, "passed")
