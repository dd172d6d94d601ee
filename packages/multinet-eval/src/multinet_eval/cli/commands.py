"""Commands and groups: imported when called, their options read only where some are given, their errors told."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from enum import Enum
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import attrs
import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import ParameterInfo

from gridworld.errors import PluginFault, PluginWarning
from gridworld.support.home_folder import below_home
from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo, writing_output
from multinet_eval.cli.errors import exit_on_error

if TYPE_CHECKING:
    from gridworld.hookspecs import CommandInfo
    from gridworld.plugins import Provided, Registry


class QuickGroup(TyperGroup):
    """A group whose commands are import strings, and that reads its options only where some are given.

    To read one, be it ``--help`` that was not asked for, Typer imports pydantic, which takes as long as all the rest.
    """

    import_strings: ClassVar[Mapping[str, str]] = {}
    """Command to the function that does its work, ``module:function``."""

    _reads_options = True

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands(self.import_strings, self.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the defaults where the first word, if any, is that of a command."""
        if args and args[0].startswith("-"):
            return super().parse_args(ctx, args)
        ctx.params = {param.name: param.get_default(ctx) for param in self.params if param.expose_value}
        self._reads_options = False
        try:
            return super().parse_args(ctx, args)
        finally:
            self._reads_options = True

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, as Typer does with Rich; raises `OutputError` as all that prints."""
        with writing_output():
            super().format_help(ctx, formatter)

    def get_params(self, ctx: Any) -> list[Any]:
        """The options that are to be read."""
        return list(super().get_params(ctx)) if self._reads_options else []


def group_of(import_strings: Mapping[str, str], base: type[QuickGroup] = QuickGroup) -> type[QuickGroup]:
    """The class of a group with these commands, beside those that are added to it and those that its base has."""
    return type("Group", (base,), {"import_strings": import_strings})


class _Commands(MutableMapping[str, Any]):
    """Commands by name, each imported and made when it is first asked for."""

    def __init__(self, import_strings: Mapping[str, str], others: Mapping[str, Any]) -> None:
        self._import_strings = dict(import_strings)
        self._made = dict(others)

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module, _, function = self._import_strings[name].partition(":")
            self._made[name] = make_command(name, vars(import_module(module))[function])
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._import_strings, *self._made]))

    def __len__(self) -> int:
        return len({*self._import_strings, *self._made})


def make_command(name: str, function: Callable[..., object]) -> Any:
    """The command that Typer makes of a function."""
    app = typer.Typer(add_completion=False)
    app.command(name, cls=PlainCommand)(function)
    return typer.main.get_command(app)


PYDANTIC = "Value error, "
"""With what Pydantic, by which Typer reads arguments, begins its messages."""
PATHS = (Path, Path | None, list[Path], list[Path] | None)
"""The types of parameters whose values are paths."""
CONVERTING = ("parser", "click_type")
"""The settings of an option that make something else of a text; Typer had the second until it left Click."""


class PlainCommand(TyperCommand):
    """A command that has Typer read no more than has to be, with messages free of the names of Python's errors.

    To read anything, be it ``--help`` that was not asked for, Typer imports pydantic, which takes as long as NumPy.
    Texts are what they are to be already, and so are defaults, unless they are texts that stand for something else.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; raises as Typer does, and says of words that are too many where they belong."""
        parameters: list[Any] = self.get_params(ctx)
        for parameter in parameters:
            parameter.process_value = partial(self._process, parameter)
        takes_more, ctx.allow_extra_args = ctx.allow_extra_args, True
        try:
            left = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix(PYDANTIC)
            raise
        ctx.allow_extra_args = takes_more
        if left and not takes_more and not ctx.resilient_parsing:
            from multinet_eval.cli.misplaced import refusal_of

            ctx.fail(refusal_of(ctx, left))
        return left

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, as Typer does with Rich; raises `OutputError` as all that prints."""
        with writing_output():
            super().format_help(ctx, formatter)

    def _process(self, parameter: Any, ctx: Any, value: Any) -> Any:
        """The value of a parameter, from a text of the command line, from its environment variable or by default."""
        if parameter.name in self._paths:  # shells leave ~ as it is in --option=~/path
            value = _each_below_home(value)
        if not self._is_read(parameter, ctx, value):
            return type(parameter).process_value(parameter, ctx, value)
        if value is None and (parameter.multiple or parameter.nargs == -1):
            value = ()
        return value if parameter.callback is None else parameter.callback(ctx, parameter, value)

    def _is_read(self, parameter: Any, ctx: Any, value: Any) -> bool:
        """Whether a value is what the command is to be given, without being converted or checked."""
        if value is None:
            return not parameter.required
        if type(value) is str:  # and no member of an enumeration
            return parameter.name in self._texts
        return ctx.get_parameter_source(parameter.name).name == "DEFAULT" and not isinstance(value, list | tuple)

    @cached_property
    def _texts(self) -> frozenset[str]:
        """The parameters whose values are texts as they are given."""
        return frozenset(
            name
            for name, (kind, *extras) in _hints_of(self.callback)
            if kind in (str, str | None) and not any(vars(each).get(way) for each in extras for way in CONVERTING)
        )

    @cached_property
    def _paths(self) -> frozenset[str]:
        """The parameters whose values are paths."""
        return frozenset(name for name, (kind, *_) in _hints_of(self.callback) if kind in PATHS)


def _hints_of(command: Callable[..., object] | None) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The parameters of a command, each with its type and what else Typer is told of it."""
    hints = {} if command is None else get_type_hints(command, include_extras=True)
    for name, hint in hints.items():
        if get_origin(hint) is Annotated:
            kind, *extras = get_args(hint)
            yield name, (kind, *(extra for extra in extras if isinstance(extra, ParameterInfo)))


def _each_below_home(value: Any) -> Any:
    """A path, or each of several, with what ``~`` stands for; defaults are as they are."""
    if isinstance(value, list | tuple):
        return [_each_below_home(each) for each in value]
    return below_home(value) if type(value) is str else value


class OpenGroup(QuickGroup):
    """A group to which plugins add commands; they are looked for where a call names none of its own, or lists all.

    A command of its own is not replaced; one of a plugin with the same name is called by its qualified name.
    """

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name, qualified or not; None for what is no name."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name.startswith("-"):
            return own
        with exit_on_error():
            registry = _registry()
            if cmd_name in registry.commands:
                return PluginCommand(cmd_name, registry.commands.provider(cmd_name))
        return ctx.fail(f"No such command '{cmd_name}'. {_advice(registry, cmd_name)}")

    def list_commands(self, ctx: Any) -> list[str]:
        """Its own commands, and then those of plugins, each by a name that means it alone."""
        own = super().list_commands(ctx)
        return [*own, *_unique_names(_registry(), own)]


class PluginCommand(PlainCommand):
    """Stands for a command of a plugin until that is called.

    Args:
        name: by which it is called.
        provided: the command.
    """

    def __init__(self, name: str, provided: Provided[CommandInfo]) -> None:
        from rich.markup import escape

        super().__init__(name=name, help=escape(visible_line(provided.item.summary)))
        self._provided = provided

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the command itself, which is imported here; ends the program where that fails."""
        return self._load().make_context(info_name, args, parent, **extra)

    def _load(self) -> Any:
        from gridworld.plugins.faults import blaming

        owner = self._provided.described("command")
        with exit_on_error(), blaming(owner, "when it was loaded"):
            function = _load_for(owner, self._provided.item.target)
            return make_command(str(self.name), exit_on_error()(function))


def _load_for(owner: str, target: str) -> Any:
    from gridworld.support.import_strings import load_object

    try:
        return load_object(target)
    except PluginFault as error:
        raise PluginFault(f"{owner}: {error}") from error


def _registry() -> Registry:
    from gridworld.plugins import get_registry

    return get_registry()


def _unique_names(registry: Registry, taken: list[str]) -> list[str]:
    entries = (names for names, _ in registry.commands.entries())
    return [next(name for name in names if name not in taken) for names in entries]


def _advice(registry: Registry, name: str) -> str:
    from gridworld.plugins.known_plugins import advice_to_install

    return advice_to_install("command", name, [record.qualified_name for record in registry.failures])


OPTION = "option"
"""Metadata of the fields that `option` and `argument` make: the default, and from a name to what Typer is told."""
REQUIRED = attrs.NOTHING
"""Default of an option or argument that has to be given."""
Function = Callable[..., None]


def option(default: Any, text: str, *names: str, panel: str | None = None, **settings: Any) -> Any:
    """Declare an option as a parameter of a command, or as a field of the attrs class that it fills.

    Args:
        default: value of the option where it is not given.
        text: its help.
        names: names beside ``--`` and that of the field, or with one that begins so, all of them.
        panel: heading under which ``--help`` lists it.
        settings: what else `typer.Option` takes, and a ``validator`` of the field.
    """
    validator = settings.pop("validator", None)

    def declare(name: str) -> ParameterInfo:
        own = [] if any(each.startswith("--") for each in names) else [f"--{name.replace('_', '-')}"]
        info: ParameterInfo = typer.Option(*own, *names, help=text, rich_help_panel=panel, **settings)
        return info

    return attrs.field(default=default, validator=validator, metadata={OPTION: (default, declare)})


def argument(default: Any, text: str, **settings: Any) -> Any:
    """Declare an argument as a parameter of a command.

    Args:
        default: value of the argument where it is not given.
        text: its help.
        settings: what else `typer.Argument` takes.
    """
    info = typer.Argument(help=text, **settings)
    return attrs.field(default=default, metadata={OPTION: (default, lambda name: info)})


DisablePlugin = Annotated[
    list[str] | None,
    typer.Option(
        "--disable-plugin",
        metavar="NAME",
        help="Do not import this plugin (distribution, or distribution/entry point). Repeatable.",
    ),
]
PluginFile = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="FILE",
        help="Load this Python file as a plugin. Repeatable.",
    ),
]
StrictPlugins = Annotated[bool, typer.Option("--strict-plugins", help="Fail if any plugin fails to load.")]


def load_plugins(
    disable_plugin: DisablePlugin = None, plugin_file: PluginFile = None, strict_plugins: StrictPlugins = False
) -> None:
    """Load the installed plugins for this process; failures of single plugins are kept, unless it is strict.

    Raises:
        UnknownNameError: a disabled name is no installed plugin.
        PluginFault: a file failed; or strict, and a plugin failed.
    """
    from gridworld.plugins import load_registry, set_registry

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", PluginWarning)
        set_registry(load_registry(disable_plugin or (), strict_plugins, plugin_file or ()))
    for each in told:
        if issubclass(each.category, PluginWarning):
            echo(f"warning: {each.message}", err=True)
        else:
            warnings.showwarning(each.message, each.category, each.filename, each.lineno)


def command(plugins: Literal["loaded", "loaded or fail"] | None = None) -> Callable[[Function], Function]:
    """Make a function a command: errors end it with a message, and its parameters of classes with options are filled.

    Args:
        plugins: load the plugins before the call, as options that are added say; with ``loaded or fail``, one of them
            is ``--strict-plugins``.
    """

    def decorate(function: Function) -> Function:
        own = _parameters(function)
        groups = {name: each.annotation for name, each in own.items() if attrs.has(each.annotation)}
        fields = {name: _options(kind) for name, kind in groups.items()}
        loading = dict(list(_parameters(load_plugins).items())[: PLUGIN_OPTIONS[plugins]])

        @functools.wraps(function)
        def call(**given: Any) -> None:
            with exit_on_error():
                values = {name: each.value if isinstance(each, Enum) else each for name, each in given.items()}
                chosen = {name: values.pop(name) for name in loading}
                made = {
                    name: kind(**{field: values.pop(field) for field in fields[name]}) for name, kind in groups.items()
                }
                if plugins is not None:
                    load_plugins(**chosen)
                function(**values, **made)

        expanded = [fields.get(name, {name: each}) for name, each in own.items()]
        parameters = {name: each for of_one in [*expanded, loading] for name, each in of_one.items()}
        signature = inspect.Signature([_with_choices(each) for each in parameters.values()])
        call.__signature__ = signature  # type: ignore[attr-defined]  # functions have one, which their type does not know
        call.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
        return call

    return decorate


PLUGIN_OPTIONS = {None: 0, "loaded": 2, "loaded or fail": 3}
"""Argument of `command` to the number of options of `load_plugins` that the command has."""


def _parameters(of: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The parameters of a function by name, each by keyword alone and with its type as an object."""
    hints, given = get_type_hints(of, include_extras=True), inspect.signature(of).parameters
    return {
        name: _parameter(name, hints.get(name, each.annotation), each.default, _metadata_of(each.default))
        for name, each in given.items()
    }


def _metadata_of(default: Any) -> Mapping[Any, Any]:
    """The metadata of a field that stands as the default of a parameter; none of any other default."""
    return default.metadata if isinstance(default, FIELD) else {}


def _options(kind: type) -> Mapping[str, inspect.Parameter]:
    """The fields of an attrs class as parameters."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        each.name: _parameter(each.name, hints[each.name], each.default, each.metadata) for each in attrs.fields(kind)
    }


def _parameter(name: str, kind: Any, default: Any, metadata: Mapping[Any, Any]) -> inspect.Parameter:
    """A parameter that `option` or `argument` declares, or its type."""
    if OPTION in metadata:
        default, declare = metadata[OPTION]
        kind = ANNOTATED[kind, declare(name)]
    if default is REQUIRED:
        default = inspect.Parameter.empty
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _with_choices(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter whose literals are an enumeration, which every version of Typer takes."""
    kind, *extras = get_args(parameter.annotation) or (parameter.annotation,)
    if get_origin(kind) is not Literal:
        return parameter
    words, default = CHOICES("Choice", {word: word for word in get_args(kind)}, type=str), parameter.default
    return parameter.replace(
        annotation=ANNOTATED[words, *extras],
        default=default if default is inspect.Parameter.empty else words(default),
    )


FIELD = type(attrs.field())
ANNOTATED: Any = Annotated
CHOICES: Any = Enum
"""Both make types that are known when the program runs."""
