"""Declare commands: their options and arguments, how they are parsed, and how plugins are loaded."""

from __future__ import annotations

import functools
import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import attrs
import typer
from typer.core import TyperCommand
from typer.models import OptionInfo, ParameterInfo

from gridworld.errors import PluginWarning
from gridworld.plugins import load_registry, set_registry
from gridworld.support.files import expand_user
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.help import HELP_ALL, MOST_OPTIONS, help_text, print_help, usage_pieces


def make_command(name: str, function: Callable[..., object]) -> Any:
    """Turn a function into a Typer command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=PlainCommand)(function)
    return typer.main.get_command(app)


PYDANTIC = "Value error, "
"""Prefix of Pydantic's messages."""
PATHS = (Path, Path | None, list[Path], list[Path] | None)
"""Types of parameters whose values are paths."""
CONVERTING = ("parser", "click_type")
"""Settings of an option that convert its text; Typer had the second until it dropped Click."""


class PlainCommand(TyperCommand):
    """A command that converts only values that need it, with messages free of Python's error names.

    To convert anything, even an absent ``--help``, Typer imports pydantic, which takes as long as NumPy. Texts and
    defaults need no conversion, except defaults that are texts standing for something else.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; the message on surplus words says where they belong."""
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

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage pieces after the command name."""
        return usage_pieces(self, ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, without rare options if there are many; raises `OutputError` if that fails."""
        print_help(help_text(self, ctx, self._rare if any(each.name == HELP_ALL for each in self.params) else ()))

    def _process(self, parameter: Any, ctx: Any, value: Any) -> Any:
        """Return the value of a parameter, given on the command line, by an environment variable or by default."""
        if parameter.name in self._paths:  # shells leave ~ as it is in --option=~/path
            value = _expanded(value)
        if not self._is_final(parameter, ctx, value):
            return type(parameter).process_value(parameter, ctx, value)
        if value is None and (parameter.multiple or parameter.nargs == -1):
            value = ()
        return value if parameter.callback is None else parameter.callback(ctx, parameter, value)

    def _is_final(self, parameter: Any, ctx: Any, value: Any) -> bool:
        """Whether a value can be passed to the command without conversion or check."""
        if value is None:
            return not parameter.required
        if type(value) is str:  # not a member of an enumeration
            return parameter.name in self._texts
        return ctx.get_parameter_source(parameter.name).name == "DEFAULT" and not isinstance(value, list | tuple)

    @cached_property
    def _texts(self) -> frozenset[str]:
        """Parameters that take texts unchanged."""
        return frozenset(
            name
            for name, (kind, *extras) in _hints_of(self.callback)
            if kind in (str, str | None)
            and not any(vars(each).get(way) for each in extras if isinstance(each, ParameterInfo) for way in CONVERTING)
        )

    @cached_property
    def _rare(self) -> frozenset[str]:
        """Options marked `RARE`."""
        return frozenset(name for name, (_, *extras) in _hints_of(self.callback) if RARE in extras)

    @cached_property
    def _paths(self) -> frozenset[str]:
        """Parameters that take paths."""
        return frozenset(name for name, (kind, *_) in _hints_of(self.callback) if kind in PATHS)


def _hints_of(command: Callable[..., object] | None) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the parameters of a command, each with its type, Typer's settings and `RARE` if it is marked so."""
    hints = {} if command is None else get_type_hints(command, include_extras=True)
    for name, hint in hints.items():
        if get_origin(hint) is Annotated:
            yield name, get_args(hint)


def _expanded(value: Any) -> Any:
    """Expand ``~`` in a path, or in each of several; defaults stay as they are."""
    if isinstance(value, list | tuple):
        return [_expanded(each) for each in value]
    return expand_user(value) if type(value) is str else value


OPTION = "option"
"""Metadata key of the fields made by `option` and `argument`: the default, and a function from name to
what stands beside the type in `Annotated`."""
REQUIRED = attrs.NOTHING
"""Default of a required option or argument."""
RARE = "rare"
"""Mark of options that ``--help`` of a long command leaves out: a word in the `Annotated` type of the parameter."""
Function = Callable[..., None]


def option(default: Any, text: str, *names: str, panel: str | None = None, rare: bool = False, **settings: Any) -> Any:
    """Declare an option as a parameter of a command, or as a field of the attrs class that it fills.

    Args:
        default: value if the option is not given.
        text: its help.
        names: names besides ``--`` and the field's own; one beginning with ``--`` replaces that.
        panel: heading of its group in ``--help``.
        rare: whether ``--help`` of a long command leaves it out.
        settings: further arguments of `typer.Option`, and a ``validator`` of the field.
    """
    validator = settings.pop("validator", None)

    def declare(name: str) -> tuple[Any, ...]:
        own = [] if any(each.startswith("--") for each in names) else [f"--{name.replace('_', '-')}"]
        return typer.Option(*own, *names, help=text, rich_help_panel=panel, **settings), *([RARE] if rare else [])

    return attrs.field(default=default, validator=validator, metadata={OPTION: (default, declare)})


def argument(default: Any, text: str, **settings: Any) -> Any:
    """Declare an argument as a parameter of a command.

    Args:
        default: value if the argument is not given.
        text: its help.
        settings: further arguments of `typer.Argument`.
    """
    info = typer.Argument(help=text, **settings)
    return attrs.field(default=default, metadata={OPTION: (default, lambda name: (info,))})


DisablePlugin = Annotated[
    list[str] | None,
    typer.Option(
        "--disable-plugin",
        metavar="NAME",
        help="Plugin to leave out: distribution, or distribution/entry point. Repeatable.",
    ),
    RARE,
]
PluginFile = Annotated[
    list[str] | None,
    typer.Option("--plugin", metavar="FILE", help="Python file to load as a plugin. Repeatable."),
    RARE,
]
StrictPlugins = Annotated[bool, typer.Option("--strict-plugins", help="Fail if any plugin fails to load."), RARE]


def _show_all(ctx: typer.Context, wanted: bool) -> None:
    """Print the help with all options and end the program, if that is wanted."""
    if wanted and not ctx.resilient_parsing:
        print_help(help_text(ctx.command, ctx) + "\n")
        raise typer.Exit


HelpAll = Annotated[
    bool,
    typer.Option("--help-all", help="Show all options and exit.", is_eager=True, callback=_show_all),
]


def load_plugins(
    disable_plugin: DisablePlugin = None, plugin_file: PluginFile = None, strict_plugins: StrictPlugins = False
) -> None:
    """Load the installed plugins for this process; with `strict_plugins`, a failing plugin is an error.

    Raises:
        UnknownNameError: a disabled plugin is not installed.
        PluginFault: a plugin file failed, or any plugin if strict.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PluginWarning)
        set_registry(load_registry(disable_plugin or (), strict_plugins, plugin_file or ()))
    for each in caught:
        if issubclass(each.category, PluginWarning):
            echo(f"warning: {each.message}", err=True)
        else:
            warnings.showwarning(each.message, each.category, each.filename, each.lineno)


def command(plugins: Literal["loaded", "loaded or fail"] | None = None) -> Callable[[Function], Function]:
    """Make a function a command that handles errors and loads plugins.

    A parameter whose type is an attrs class is filled from the options of that class.

    Args:
        plugins: load the plugins before the call, as ``--plugin`` and ``--disable-plugin`` say; ``loaded or fail``
            adds ``--strict-plugins``.
    """

    def decorate(function: Function) -> Function:
        own = _parameters(function)
        groups = {name: each.annotation for name, each in own.items() if attrs.has(each.annotation)}
        fields = {name: _options(kind) for name, kind in groups.items()}
        loading = dict(list(_parameters(load_plugins).items())[: PLUGIN_OPTIONS[plugins]])

        @functools.wraps(function)
        def call(**given: Any) -> None:
            given.pop(HELP_ALL, None)
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
        if sum(map(_is_option, parameters.values())) >= MOST_OPTIONS:  # --help is another one
            parameters[HELP_ALL] = _parameter(HELP_ALL, HelpAll, False, {})
        signature = inspect.Signature([_with_metavar(_with_choices(each)) for each in parameters.values()])
        call.__signature__ = signature  # type: ignore[attr-defined]  # the type of functions lacks it
        call.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
        # Typer keeps the line breaks of later paragraphs, which are those of the source.
        call.__doc__ = re.sub(r"(?<!\n)\n(?=\w)", " ", inspect.cleandoc(function.__doc__ or "")) or None
        return call

    return decorate


PLUGIN_OPTIONS = {None: 0, "loaded": 2, "loaded or fail": 3}
"""Map each argument of `command` to the number of parameters of `load_plugins` that it adds as options."""


def _parameters(of: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function by name, keyword-only and with resolved types."""
    hints, given = get_type_hints(of, include_extras=True), inspect.signature(of).parameters
    return {
        name: _parameter(
            name,
            hints.get(name, each.annotation),
            each.default,
            each.default.metadata if isinstance(each.default, FIELD) else {},
        )
        for name, each in given.items()
    }


def _options(kind: type) -> Mapping[str, inspect.Parameter]:
    """Return the fields of an attrs class as parameters by name."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        each.name: _parameter(each.name, hints[each.name], each.default, each.metadata) for each in attrs.fields(kind)
    }


def _parameter(name: str, kind: Any, default: Any, metadata: Mapping[Any, Any]) -> inspect.Parameter:
    """Make a parameter declared by `option`, by `argument` or by a type alone."""
    if OPTION in metadata:
        default, declare = metadata[OPTION]
        kind = ANNOTATED[kind, *declare(name)]
    if default is REQUIRED:
        default = inspect.Parameter.empty
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _with_choices(parameter: inspect.Parameter) -> inspect.Parameter:
    """Replace `Literal` in a parameter by an enumeration, since older versions of Typer do not take `Literal`."""
    kind, *extras = get_args(parameter.annotation) or (parameter.annotation,)
    if get_origin(kind) is not Literal:
        return parameter
    words, default = CHOICES("Choice", {word: word for word in get_args(kind)}, type=str), parameter.default
    return parameter.replace(
        annotation=ANNOTATED[words, *extras],
        default=default if default is inspect.Parameter.empty else words(default),
    )


def _is_option(parameter: inspect.Parameter) -> bool:
    return any(isinstance(each, OptionInfo) for each in get_args(parameter.annotation))


METAVARS: Mapping[Any, str] = {int: "N", float: "X", str: "TEXT", Path: "PATH"}


def _with_metavar(parameter: inspect.Parameter) -> inspect.Parameter:
    """Name the value of an option without a name for it, as versions of Typer name them differently."""
    kind, *extras = get_args(parameter.annotation) or (parameter.annotation,)
    single = next((each for each in (kind, *get_args(kind)) if each in METAVARS or _is_choice(each)), None)
    for each in extras:
        if isinstance(each, OptionInfo) and each.metavar is None and single is not None:
            each.metavar = "|".join(word.value for word in single) if _is_choice(single) else METAVARS[single]
    return parameter


def _is_choice(kind: Any) -> bool:
    """Whether a type is an enumeration of the words of an option."""
    return isinstance(kind, type) and issubclass(kind, Enum)


FIELD = type(attrs.field())
ANNOTATED: Any = Annotated
CHOICES: Any = Enum
"""Names for types that are made at run time."""
