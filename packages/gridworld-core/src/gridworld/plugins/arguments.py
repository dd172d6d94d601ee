"""Parsing of constructor arguments from strings such as ``key=value``, guided by the constructor's signature."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs

from gridworld.errors import ArgumentError, Owner, PluginFault, describe_value
from gridworld.support.faults import definition_of
from gridworld.support.files import JSONError, expand_user, parse_json
from gridworld.support.wording import nearest_hint

Base = TypeVar("Base")

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def bind_arguments(constructor: Callable[..., Any], texts: Iterable[str], owner: str) -> dict[str, Any]:
    """Parse keyword arguments for a constructor from strings such as ``seed=3``.

    Args:
        constructor: a class or function whose annotations give the type of each value.
        texts: the strings, each ``key=value``.
        owner: the constructor's name in messages, such as ``model 'random'``.

    Raises:
        ArgumentError: a string has no ``=``, an argument is unknown, repeated or missing, or a value cannot be parsed.
    """
    parameters = _parameters(constructor)
    bound: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ArgumentError(f"{owner}: expected key=value, got '{text}'")
        root, dot, path = name.partition(".")
        if dot and root in parameters and _is_mapping(parameters[root].kind):
            place = f"{owner}: argument '{name}'"
            _put(bound.setdefault(root, {}), path.split("."), _value_in(value, parameters[root].kind), place)
            continue
        check_names(constructor, [name], owner)
        if _is_mapping(parameters[name].kind):
            raise ArgumentError(f"{owner}: argument '{name}' has members: expected {name}.MEMBER=VALUE, got '{text}'")
        if name in bound:
            raise ArgumentError(f"{owner}: argument '{name}' is given twice")
        bound[name] = _convert(value, parameters[name].kind, f"{owner}: argument '{name}'")
    missing = [name for name, each in parameters.items() if each.required and name not in bound]
    if missing:
        raise ArgumentError(f"{owner} needs the argument{'s' * (len(missing) > 1)} {', '.join(missing)}", missing)
    return bound


def _is_mapping(kind: Any) -> bool:
    """Whether a parameter is a mapping, whose members are set one by one: ``name.KEY=VALUE``."""
    return get_origin(kind) in (dict, Mapping)


def _value_in(text: str, kind: Any) -> Any:
    """Parse the value of a member: a text where all members are, otherwise JSON, or a text if it is none."""
    if get_args(kind)[1] is str:
        return text
    try:
        return parse_json(text)
    except JSONError:
        return text


def _put(members: dict[str, Any], path: Sequence[str], value: Any, place: str) -> None:
    """Set a member of nested mappings; raises ArgumentError if it is given twice, or has no name."""
    *outer, last = path
    for name in outer:
        members = members.setdefault(name, {})
        if not isinstance(members, dict):
            raise ArgumentError(f"{place}: '{name}' is a value already, which has no members")
    if not all(path) or last in members:
        raise ArgumentError(f"{place}: expected names between the dots, each member once")
    members[last] = value


def subclass_of(found: object, base: type[Base], owner: Owner) -> type[Base]:
    """Return the target of a plugin if it is a subclass of a base class whose methods take the same arguments.

    Raises:
        PluginFault: it is not, or one of its methods has other parameters.
    """
    if not isinstance(found, type) or not issubclass(found, base):
        raise PluginFault(f"it is {describe_value(found)}, expected a subclass of {base.__name__}", owner, "target")
    check_methods(found, base, owner)
    return found


def check_methods(found: type, base: type, owner: Owner) -> None:
    """Raise PluginFault unless the methods that a class overrides take the same arguments as in its base class."""
    for name, method in vars(base).items():
        own = inspect.getattr_static(found, name)
        public = inspect.isfunction(method) and not name.startswith("_")
        if not public or own is method or not inspect.isfunction(own):
            continue
        parameters = inspect.signature(method).parameters.values()
        positional = [each.name for each in parameters if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        named = [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]
        try:
            inspect.signature(own).bind(*positional, **dict.fromkeys(named))
        except TypeError as error:
            problem = f"takes {inspect.signature(own)}, expected {inspect.signature(method)}: {error}"
            raise PluginFault(problem, owner, name, definition_of(own)) from None


def check_names(constructor: Callable[..., Any], names: Iterable[str], owner: str) -> None:
    """Raise ArgumentError, with the nearest name, unless all names are arguments of a constructor.

    `owner` is the constructor's name in messages, such as ``model 'random'``.
    """
    known = _parameters(constructor)
    for name in names:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise ArgumentError(f"{owner} has no argument '{name}'{nearest_hint(name, known)}; it takes: {listed}")


def with_defaults(constructor: Callable[..., Any], bound: Mapping[str, Any]) -> dict[str, Any]:
    """Return bound arguments together with the defaults of all other parameters."""
    defaults = {name: each.default for name, each in _parameters(constructor).items() if name not in bound}
    return {**defaults, **bound}


def is_free_text(constructor: Callable[..., Any], text: str) -> bool:
    """Whether the value of ``key=value`` is a text of any content; False for a number, a truth value or a listed word.

    Members of mappings and unknown arguments count as free texts.
    """
    name, _, value = text.partition("=")
    try:
        kind = _parameters(constructor)[name].kind
    except (KeyError, TypeError, ValueError):  # the latter two of an object without a signature
        return True
    options = get_args(kind) if _is_union(kind) else (kind,)
    return not any(_can_read(value, option) for option in options if option not in FREE)


@attrs.frozen
class Argument:
    """A parameter of a constructor that can be set on the command line."""

    name: str
    type: str
    """Accepted values, in words."""
    default: str | None
    """The `repr` of the argument's default; None if the argument is required."""


def list_arguments(constructor: Callable[..., Any]) -> list[Argument]:
    """List the arguments that `bind_arguments` accepts, in the order of the signature."""
    return [
        Argument(name, _name(each.kind), None if each.required else repr(each.default))
        for name, each in _parameters(constructor).items()
    ]


@attrs.frozen
class _Parameter:
    """A parameter that can be passed by name."""

    kind: Any
    default: Any

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty


def _parameters(constructor: Callable[..., Any]) -> Mapping[str, _Parameter]:
    """Return the parameters that can be passed by name; cached, since reading a signature is slow."""
    return _read_once(constructor) if isinstance(constructor, Hashable) else _read_parameters(constructor)


def _read_parameters(constructor: Callable[..., Any]) -> Mapping[str, _Parameter]:
    hints = _type_hints(constructor)
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {
        name: _Parameter(hints.get(name, str), parameter.default)
        for name, parameter in inspect.signature(constructor).parameters.items()
        if parameter.kind in by_name
    }


_read_once = lru_cache(maxsize=128)(_read_parameters)


def _type_hints(constructor: Callable[..., Any]) -> dict[str, Any]:
    """Return the type of each parameter, unless its annotation exists for type checkers only."""
    function = constructor.__init__ if inspect.isclass(constructor) else constructor
    hints: dict[str, Any] = {}
    for name, annotation in inspect.get_annotations(function).items():
        single = types.SimpleNamespace(__annotations__={name: annotation}, __module__=function.__module__)
        with suppress(NameError):
            hints |= get_type_hints(single, globalns=vars(sys.modules[function.__module__]))
    return hints


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _can_read(text: str, kind: Any) -> bool:
    try:
        _read(text, kind)
    except (TypeError, ValueError):  # TypeError of an annotation that cannot be looked up
        return False
    return True


def _convert(text: str, kind: Any, place: str) -> Any:
    narrow_first = sorted(get_args(kind), key=lambda option: option in FREE) if _is_union(kind) else (kind,)
    for option in narrow_first:
        try:
            return _read(text, option)
        except ValueError:
            continue
    raise ArgumentError(f"{place}: expected {_name(kind)}, got '{text}'")


def _read(text: str, kind: Any) -> Any:
    if get_origin(kind) is Literal:
        return _read_literal(text, get_args(kind))
    reader = READERS.get(kind)
    if reader is None:
        raise ValueError(f"values of type {_name(kind)} cannot be set on the command line")
    return reader(text)


def _read_literal(text: str, choices: tuple[Any, ...]) -> Any:
    for choice in choices:
        if str(choice) == text:
            return choice
    raise ValueError(text)


def _read_bool(text: str) -> bool:
    if text.casefold() in TRUE:
        return True
    if text.casefold() in FALSE:
        return False
    raise ValueError(text)


def _read_none(text: str) -> None:
    if text.casefold() not in ("none", "null"):
        raise ValueError(text)


READERS: dict[Any, Callable[[str], Any]] = {
    bool: _read_bool,
    int: int,
    float: float,
    str: str,
    Any: str,
    Path: lambda text: Path(expand_user(text)),
    type(None): _read_none,
}
FREE = (str, Path, Any)
"""Types whose values are texts of any content."""


def _name(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(str(choice) for choice in get_args(kind))
    if _is_union(kind):
        return " or ".join(_name(option) for option in get_args(kind))
    return "none" if kind is type(None) else str(getattr(kind, "__name__", kind))
