"""`TargetConformance`: the checks of a class named by a descriptor's import string."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import Parameter
from itertools import accumulate
from typing import Any, ClassVar

from gridworld.errors import ArgumentError
from gridworld.testing.conformance import Conformance, LeftOut, calling, expect, fail, loaded

__all__ = ["LIVE", "TargetConformance", "public_path"]

LIVE = "multinet plugins check NAME --live"
"""Command for the checks that may contact external services."""


class TargetConformance(Conformance):
    """Checks without playing: the target can be imported and constructed, and matches its base class."""

    base: ClassVar[type]
    """Required base class of the target."""

    arguments: ClassVar[Mapping[str, Any]] = {}
    """Arguments of the target's constructor."""

    live: ClassVar[bool] = False
    """Whether checks may contact external services."""

    def found(self) -> Any:
        """Resolve the import string."""
        given = self.resolve()
        return given if isinstance(given, type) else loaded(given.target)

    def make(self) -> Any:
        """Construct an object with the target.

        Raises:
            LeftOut: the target needs arguments or something else that is not given.
        """
        constructor = self.found()
        try:
            inspect.signature(constructor).bind(**self.arguments)
        except TypeError as error:
            raise LeftOut(
                f"it cannot be made without arguments: {error}", "give it defaults, or test it in your own tests"
            ) from error
        with calling("making it", "let it be made with its defaults"):
            try:
                made = constructor(**self.arguments)
            except ArgumentError as error:
                raise LeftOut(str(error), "provide what it asks for, and try again") from error
        expect(
            isinstance(made, self.base),
            f"it is made as {type(made).__name__}, no {self.base.__name__}",
            f"derive it from `{public_path(self.base)}`",
        )
        return made

    def test_its_target_is_of_its_kind(self) -> None:
        """The target is a subclass of the base class, or a function that returns instances of it."""
        found = self.found()
        remedy = f"name a class derived from `{public_path(self.base)}`"
        expect(callable(found), f"its target is {found!r:.80}, no class", remedy)
        if isinstance(found, type):
            expect(issubclass(found, self.base), f"{found.__name__} is no {self.base.__name__}", remedy)
            missing = sorted(getattr(found, "__abstractmethods__", ()))
            expect(
                not missing,
                f"{found.__name__} is abstract: it leaves {', '.join(missing)} to be written",
                "write what the base class asks for",
            )

    def test_its_methods_take_the_arguments_of_the_base_class(self) -> None:
        """Each overridden method accepts the same calls as in the base class."""
        found = self.found()
        derived = isinstance(found, type) and issubclass(found, self.base)
        for name, method in _methods(self.base) if derived else ():
            own = inspect.getattr_static(found, name)
            if own is method:
                continue
            function = own.__func__ if isinstance(own, (classmethod, staticmethod)) else own
            expect(
                callable(function),
                f"`{name}` is {own!r:.80}, no method",
                f"write a method `{name}{inspect.signature(method)}`",
            )
            _expect_callable_like(name, function, method)

    def test_it_can_be_made(self) -> None:
        """The target can be constructed with its defaults."""
        self.make()


def public_path(base: type) -> str:
    """Return the import path of a class in the outermost package that exports it."""
    *parents, _ = accumulate(base.__module__.split("."), "{}.{}".format)
    offering = (name for name in parents if base.__name__ in vars(import_module(name)).get("__all__", ()))
    return f"{next(offering, base.__module__)}.{base.__name__}"


def _methods(base: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods that subclasses may override, by name."""
    return (
        (name, value) for name, value in vars(base).items() if inspect.isfunction(value) and not name.startswith("_")
    )


def _expect_callable_like(name: str, own: Any, method: Any) -> None:
    parameters = inspect.signature(method).parameters.values()
    positional = [each for each in parameters if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    named = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    try:
        inspect.signature(own).bind(*positional, **dict.fromkeys(named))
    except TypeError as error:
        fail(
            f"{name}{inspect.signature(own)} cannot be called like {name}{inspect.signature(method)}: {error}",
            "give it the parameters of the base class, and defaults to any further ones",
        )
