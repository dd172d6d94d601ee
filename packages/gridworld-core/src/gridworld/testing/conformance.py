"""Base classes of all kits: how a check fails, how the object under test is found, how checks run without pytest."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, ClassVar, NoReturn

import attrs

from gridworld.errors import ArgumentError, GridworldError, PluginFault, describe_error
from gridworld.plugins import Provided, Registry, get_registry, using_registry
from gridworld.plugins.catalog import kind_of
from gridworld.support.faults import RAISED, definition_of, place_of
from gridworld.support.import_strings import load_object
from gridworld.world.owned_hooks import plain

UNDER_TEST = "under-test"
"""Distribution name of an object that is tested without being installed."""

Entry = Mapping[str, Any]
"""A part of a task file, such as one mechanism."""


class NotConforming(AssertionError):
    """A check failed: says what is wrong. The docstring of the check says what is required."""

    verdict: ClassVar[str] = "failed"


class Undecided(NotConforming):
    """A check lacks an example or an argument that only the author can give."""

    verdict: ClassVar[str] = "undecided"


def fail(wrong: str) -> NoReturn:
    """Fail the check."""
    __tracebackhide__ = True
    raise NotConforming(wrong)


def expect(condition: object, wrong: str) -> None:
    """Fail the check unless the condition holds; unlike ``assert`` it also works under ``python -O``."""
    __tracebackhide__ = True
    if not condition:
        raise NotConforming(wrong)


@contextmanager
def calling(what: str) -> Iterator[None]:
    """Turn any error raised in the block into a failed check that says what was called."""
    try:
        yield
    except NotConforming:
        raise
    except Exception as error:
        if isinstance(error, PluginFault) and isinstance(error.__cause__, NotConforming):
            raise error.__cause__ from None  # of a check that watches a hook from inside
        raise NotConforming(f"{what} raised {_told(error)}") from error


def at(what: str, function: object) -> str:
    """Return what is called, followed by the place of the function if it is known."""
    place = definition_of(plain(function))
    return f"{what} ({place})" if place else what


def _told(error: BaseException) -> str:
    """Describe an error, with the place of the raise unless it is a message of the toolkit."""
    place = "" if isinstance(error, GridworldError) else place_of(error)
    return f"{describe_error(error)} ({place})" if place else describe_error(error)


class Conformance:
    """Base class of all kits: a class of checks, run by pytest or by `run_checks`.

    A kit's methods that start with ``test_`` are its checks; the docstring of each is the rule that it checks. A
    subclass skips one by setting it to None. While a check runs, the object under test is in the registry.
    """

    kind: ClassVar[str]
    """The kind of plugin under test, which is also the name of the class attribute that holds it."""

    together_with: ClassVar[Sequence[Any]] = ()
    """Further descriptors that the object under test depends on, such as the mechanism that a goal refers to."""

    installed: Registry
    """The plugins without the object under test, unless it is installed."""

    _context: ExitStack

    def setup_method(self) -> None:
        """Register the object under test, and what it depends on."""
        self.installed, self._context = get_registry(), ExitStack()
        for item in (*self.together_with, self.resolve()):
            kind = kind_of(item)
            if kind is not None:
                self._context.enter_context(using_registry(with_item(get_registry(), kind.name, item)))

    def teardown_method(self) -> None:
        """Restore the registry."""
        self._context.close()

    def resolve(self) -> Any:
        """Return the object under test: the object given, or the target of ``"module:attribute"`` or a registered name.

        Raises:
            NotConforming: the class attribute named `kind` is missing.
            PluginFault, UnknownNameError, AmbiguousNameError: the name is unknown or ambiguous.
        """
        subject = inspect.getattr_static(type(self), self.kind, None)  # a function would turn into a method otherwise
        expect(subject is not None, f"{type(self).__name__} tests nothing: set the class attribute `{self.kind}`")
        subject = subject.__func__ if isinstance(subject, staticmethod) else subject
        if not isinstance(subject, str):
            return subject
        return load_object(subject) if ":" in subject else get_registry().catalog(self.kind).get(subject)

    def target(self) -> Any:
        """Return the object under test, or the object that its descriptor names by an import string."""
        given = self.resolve()
        if kind_of(given) is None:
            return given
        expect(
            isinstance(given.target, str) and ":" in given.target, f"its target {given.target!r} is no import string"
        )
        try:
            return load_object(given.target)
        except PluginFault as fault:
            raise NotConforming(str(fault)) from fault


class TargetConformance(Conformance):
    """The checks of a class or function that makes an object of its kind."""

    base: ClassVar[type]
    """Required base class of what the target makes."""

    arguments: ClassVar[Mapping[str, Any]] = {}
    """Arguments of the target."""

    outside: ClassVar[bool] = False
    """Whether using it may reach a server or cost money, so that `multinet plugins check` does so only on request."""

    def make(self) -> Any:
        """Make an object.

        Raises:
            Undecided: the target needs further arguments, or says by an `ArgumentError` what it needs.
            NotConforming: it raises anything else, or makes something else.
        """
        target = self.target()
        try:
            inspect.signature(target).bind(**self.arguments)
        except TypeError as error:
            raise Undecided(
                f"it cannot be made with the arguments {dict(self.arguments)}: {error}; "
                "subclass the kit in your tests and set `arguments`"
            ) from error
        with calling(f"making it with the arguments {dict(self.arguments)}" if self.arguments else "making it"):
            try:
                made = target(**self.arguments)
            except ArgumentError as error:
                raise Undecided(str(error)) from error
        expect(isinstance(made, self.base), f"{made!r:.80} is no {self.base.__name__}")
        return made

    def test_its_target_is_of_its_kind(self) -> None:
        """The target is a class derived from the base class, not abstract, or a function that makes one of its kind."""
        target = self.target()
        expect(callable(target), f"its target {target!r:.80} cannot be called")
        if isinstance(target, type):
            expect(issubclass(target, self.base), f"{target.__name__} is no {self.base.__name__}")
            missing = ", ".join(sorted(getattr(target, "__abstractmethods__", ())))
            expect(not missing, f"{target.__name__} is abstract: it leaves {missing} to be written")

    def test_its_methods_take_the_arguments_of_the_base_class(self) -> None:
        """Each overridden method accepts the same calls as in the base class; further parameters have defaults."""
        target = self.target()
        if not isinstance(target, type) or not issubclass(target, self.base):
            return
        for name, method in vars(self.base).items():
            own = inspect.getattr_static(target, name)
            if own is method or name.startswith("_") or not inspect.isfunction(method):
                continue
            own = own.__func__ if isinstance(own, (classmethod, staticmethod)) else own
            expect(callable(own), f"`{name}` is {own!r:.80}, no method {name}{inspect.signature(method)}")
            parameters = inspect.signature(method).parameters.values()
            positional = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
            named = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
            try:
                inspect.signature(own).bind(*positional, **dict.fromkeys(named))
            except TypeError as error:
                wanted = f"{name}{inspect.signature(method)}"
                fail(f"{at(f'{name}{inspect.signature(own)}', own)} cannot be called like {wanted}: {error}")

    def test_it_can_be_made(self) -> None:
        """The target makes an object with the arguments given, by default none."""
        self.make()


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
    rule: str = ""
    """What the check requires."""


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
    title, rule = name.removeprefix("test_"), inspect.cleandoc(getattr(kit, name).__doc__ or "")
    instance = kit()
    try:
        instance.setup_method()
        try:
            getattr(instance, name)()
        finally:
            instance.teardown_method()
    except NotConforming as error:
        return CheckResult(title, error.verdict, str(error), rule)
    except RAISED as error:
        return CheckResult(title, "failed", f"raised {_told(error)}", rule)
    return CheckResult(title, "passed")
