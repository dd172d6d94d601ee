"""Construction of plugin objects, such as models and backends, from names and command-line arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import ArgumentError, GridworldError, Owner, PluginFault, describe_value
from gridworld.generation.importer import Importer
from gridworld.model_interface import ModelInterface
from gridworld.model_interface.chat_model import ChatModel
from gridworld.plugins import Catalog, get_registry, normal_name
from gridworld.plugins.arguments import bind_arguments, check_methods, list_arguments, with_defaults
from gridworld.runner.rollout import kernel_of
from gridworld.support.faults import calling
from gridworld.support.import_strings import load_object, loaded_object
from multinet_eval.settings.asking import Protocol, check_protocol
from multinet_eval.settings.defaults import ALL_TILINGS, DEFAULT_BACKEND, TILING_BACKEND
from multinet_eval.settings.run_settings import ELICITING, RunSettings

BASE_URL = "base_url"
"""Argument of models that also is an option of commands and a key of experiment files."""


def name_model(
    text: str, base_url: str | None, others: Iterable[str], option: str, usual: str
) -> tuple[str, dict[str, str]]:
    """Split ``NAME:MODEL``, which stands for the argument ``model=MODEL`` of the plugin NAME.

    Args:
        text: the name of a model, with or without its argument.
        base_url: address of the server, given by an option or key of its own.
        others: names of the arguments given in the usual way.
        option: written form of that option or key, for messages.
        usual: written form of the usual way up to the argument's name, for messages.

    Returns:
        The name of the plugin, and the arguments given by the name or by that option or key.

    Raises:
        ArgumentError: an argument is given in two ways, or nothing follows the colon.
    """
    plugin, colon, model = text.partition(":")
    if colon and not model:
        raise ArgumentError(f"model '{text}': expected a name after the colon")
    given = {name: value for name, value in {"model": model or None, BASE_URL: base_url}.items() if value is not None}
    for name in others:
        if name in given:
            first = f"'{text}'" if name == "model" else option
            raise ArgumentError(f"{first} and {usual}{name} exclude each other: leave out one of them")
    return plugin, given


def make_model(name: str, arguments: list[str]) -> ModelInterface:
    """Make a model; raises as `make_object` and `stated_name` do."""
    catalog = get_registry().models
    model: ModelInterface = make_object(catalog, name, arguments, ModelInterface)
    stated_name(model, catalog.get(name).owner)
    return model


def whole_model(name: str, arguments: list[str]) -> dict[str, Any]:
    """Return all arguments that `make_model` would use, including defaults; raises as `make_object` does."""
    constructor = get_registry().models.get(name).load()
    return with_defaults(constructor, _bind(constructor, arguments, "model", name))


def make_importer(name: str, arguments: list[str]) -> Importer:
    """Make an importer; raises as `make_object` does."""
    importer: Importer = make_object(get_registry().importers, name, arguments, Importer)
    return importer


def make_protocol(text: str) -> Protocol:
    """Make a protocol from ``name`` or ``name:value``; raises as `make_object` and `check_protocol` do.

    Raises:
        ArgumentError: the protocol takes no value, or needs one.
    """
    name, colon, value = text.partition(":")
    catalog = get_registry().protocols
    parameters = list_arguments(catalog.get(name).load())
    if colon and not parameters:
        raise ArgumentError(f"protocol '{name}' takes no value, got '{text}'")
    if not colon and parameters and parameters[0].default is None:
        raise ArgumentError(f"protocol '{name}' needs a value: {name}:{parameters[0].name.upper()}")
    protocol: Protocol = make_object(catalog, name, [f"{parameters[0].name}={value}"] if colon else [], Protocol)
    check_protocol(protocol, catalog.get(name).owner)
    return protocol


def choose_tilings(name: str | None) -> list[str | None]:
    """List the tilings selected by ``--tiling``: all installed ones for ``all``, the backend's own for None."""
    return list(get_registry().tilings.names()) if name == ALL_TILINGS else [name and normal_name("tiling", name)]


def make_backend(name: str | None, arguments: list[str], tiling: str | None = None) -> AbstractGridBackend:
    """Make a backend, optionally on a tiling; raises as `make_object` does."""
    chosen, given = _choose_backend(name, arguments, tiling)
    backend: AbstractGridBackend = make_object(get_registry().backends, chosen, given, AbstractGridBackend)
    return backend


def backend_arguments(name: str | None, arguments: list[str], tiling: str | None) -> tuple[str, dict[str, Any]]:
    """Return the name and arguments of the backend that `make_backend` would make; raises as it does.

    Its Gymnasium environment takes the same arguments.
    """
    chosen, given = _choose_backend(name, arguments, tiling)
    constructor = get_registry().backends.get(chosen).load()
    return chosen, _bind(constructor, given, "backend", chosen)


def whole_backend(name: str | None, arguments: list[str], tiling: str | None) -> tuple[str, dict[str, Any]]:
    """Return the result of `backend_arguments` with defaults added; raises as it does."""
    chosen, bound = backend_arguments(name, arguments, tiling)
    return chosen, with_defaults(get_registry().backends.get(chosen).load(), bound)


def _choose_backend(name: str | None, arguments: list[str], tiling: str | None) -> tuple[str, list[str]]:
    chosen = normal_name("backend", name or (DEFAULT_BACKEND if tiling is None else TILING_BACKEND))
    if tiling is None:
        return chosen, arguments
    tiling = get_registry().tilings.get(tiling).name
    info = get_registry().backends.get(chosen)
    if "tiling" not in [argument.name for argument in list_arguments(info.load())]:
        advice = f"choose --backend {TILING_BACKEND}, which does, or leave out --tiling"
        raise ArgumentError(f"--tiling {tiling}: {info.owner} does not lay out tilings; {advice}")
    return chosen, [f"tiling={tiling}", *arguments]


def make_kernel_backend(name: str | None, arguments: list[str], tiling: str | None = None) -> KernelBackend:
    """Make a backend that is built on the kernel; raises as `make_backend` does, or ArgumentError for any other."""
    kernel = kernel_of(make_backend(name, arguments, tiling))
    if kernel is None:
        owner = get_registry().backends.get(name or DEFAULT_BACKEND).owner
        raise ArgumentError(
            f"{owner} is not built on the kernel, so no plan can be found on it: "
            f"choose another backend, such as {DEFAULT_BACKEND}"
        )
    return kernel


def make_object(catalog: Catalog[Any], name: str, arguments: list[str], expected: type) -> Any:
    """Make a plugin's object with command-line arguments.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        ArgumentError: an argument is unknown or has a wrong value.
        PluginFault: the plugin's object cannot be made, or has the wrong type.
    """
    info = catalog.get(name)
    constructor = info.load()
    bound = _bind(constructor, arguments, catalog.kind, name)
    with calling(info.owner, "constructor", passing=GridworldError):
        try:
            made = constructor(**bound)
        except ValueError as error:
            raise ArgumentError(f"{catalog.kind} '{name}': {error}") from error
        if not isinstance(made, expected):
            raise PluginFault(f"made a {type(made).__name__}, expected a subclass of {expected.__name__}")
    check_methods(type(made), expected, info.owner)
    return made


def _bind(constructor: Callable[..., Any], arguments: list[str], kind: str, name: str) -> dict[str, Any]:
    """Bind the arguments of a plugin's constructor; an ArgumentError names the plugin."""
    try:
        return bind_arguments(constructor, arguments, f"{kind} '{name}'")
    except ArgumentError as error:
        error.owner = kind, name
        raise


def class_name(thing: object) -> str:
    """Return an object's class as ``module.Class``, for messages."""
    return f"{type(thing).__module__}.{type(thing).__qualname__}"


def stated_name(model: ModelInterface, owner: Owner) -> str:
    """Return the name under which a model's results are reported; raises PluginFault if it has none.

    Args:
        model: the model.
        owner: its owner.
    """
    with calling(owner, "model_name"):
        name: object = model.model_name
        if not isinstance(name, str) or not name.strip():
            raise PluginFault(f"returned {describe_value(name)}, expected a non-empty string")
    return name


def make_player(settings: RunSettings) -> ModelInterface:
    """Make the model of a run, wrapped if its actions are elicited by open questions; raises as its makers do."""
    return elicited(settings, make_model(settings.model, list(settings.model_arguments)))


def elicited(settings: RunSettings, model: ModelInterface) -> ModelInterface:
    """Wrap the model of a run if its actions are elicited by open questions; raises ArgumentError."""
    if settings.eliciting is None:
        return model
    through: Callable[[ChatModel], ModelInterface] = load_object(ELICITING[settings.eliciting])
    return through(require_open(model))


def refuse_other_model(settings: RunSettings, model: ModelInterface) -> None:
    """Reject an installed model other than the one named by the settings; raises ArgumentError.

    A model that is not installed is accepted, but its run cannot be resumed from the command line.
    """
    catalog = get_registry().models
    named = catalog.provider(settings.model)
    same = [each for each in catalog if loaded_object(each.item.target) is type(model)]
    if same and named not in same:
        raise ArgumentError(
            f"the settings name {named.item.owner}, but {same[0].item.owner} was given: name it in "
            "RunSettings, with its arguments, and make it with make_model"
        )


def require_open(model: ModelInterface) -> ChatModel:
    """Return the model if it can answer open questions; otherwise raises ArgumentError."""
    if not isinstance(model, ChatModel):
        raise ArgumentError(
            f"model '{model.model_name}' only chooses actions: expected one that answers open questions "
            "(gridworld.model_interface.ChatModel), such as ollama, lmstudio or openai"
        )
    return model
