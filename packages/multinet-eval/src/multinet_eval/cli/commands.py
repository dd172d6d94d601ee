"""Declare commands: each option is written once, errors become messages, and plugins are loaded before the body."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import attrs
import typer
from typer.core import TyperCommand
from typer.models import ParameterInfo

from gridworld.errors import PluginWarning
from gridworld.plugins import load_registry, set_registry
from gridworld.support.files import check_name, expand_user
from gridworld.support.wording import shorten, visible_line
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error

Function = Callable[..., None]
HELP_OPTIONS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""Settings of every command: names of the option for help, and the widest line of the help."""
OPTION = "option"
"""Metadata key for the `typer.Option` of a field."""


def from_options(cls: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """Let a class declare options as fields, ``name: type = typer.Option(default, ...)``: a ``field_transformer``."""
    return [
        each.evolve(default=each.default.default, metadata={OPTION: each.default})
        if isinstance(each.default, ParameterInfo)
        else each
        for each in fields
    ]


@attrs.frozen(field_transformer=from_options)
class PluginOptions:
    """Options that choose the plugins of a call."""

    disable_plugin: list[str] | None = typer.Option(
        None,
        metavar="NAME",
        help="Plugin to leave out: distribution, or distribution/entry point. Repeatable.",
        rich_help_panel="Plugins",
    )
    plugin_file: list[str] | None = typer.Option(
        None,
        "--plugin",
        metavar="FILE",
        help="Python file to load as a plugin. Repeatable.",
        rich_help_panel="Plugins",
    )
    strict_plugins: bool = typer.Option(
        False, "--strict-plugins", help="Fail if any plugin fails to load.", rich_help_panel="Plugins"
    )

    def load(self) -> None:
        """Load the plugins for this process.

        Raises:
            UnknownNameError: a disabled plugin is not installed.
            PluginFault: a plugin file failed, or any plugin if strict.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PluginWarning)
            set_registry(load_registry(self.disable_plugin or (), self.strict_plugins, self.plugin_file or ()))
        for each in caught:
            if issubclass(each.category, PluginWarning):
                echo(f"warning: {each.message}", err=True)
            else:
                warnings.showwarning(each.message, each.category, each.filename, each.lineno)


def command(plugins: bool = True) -> Callable[[Function], Function]:
    """Make a function a command, which handles errors and loads plugins.

    A parameter whose type is an attrs class stands for the options that are the fields of the class.

    Args:
        plugins: add `PluginOptions`, and load the plugins before the call.
    """

    def decorate(function: Function) -> Function:
        own = inspect.signature(function, eval_str=True).parameters
        classes = {name: each.annotation for name, each in own.items() if attrs.has(each.annotation)}

        @functools.wraps(function)
        def call(**given: Any) -> None:
            with exit_on_error():
                if plugins:
                    _taken_from(given, PluginOptions).load()
                made = {name: _taken_from(given, kind) for name, kind in classes.items()}
                function(**given, **made)

        parameters: dict[str, inspect.Parameter] = {}
        for name, each in own.items():
            if name in classes:
                parameters |= _options_of(each.annotation)
            else:
                parameters[name] = each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        if plugins:
            parameters |= _options_of(PluginOptions)
        call.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
        call.__annotations__ = {name: each.annotation for name, each in parameters.items()}
        return call

    return decorate


def _options_of(kind: type) -> dict[str, inspect.Parameter]:
    """Return the fields of an attrs class as parameters by name."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        each.name: inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=each.metadata.get(OPTION, each.default),
            annotation=hints[each.name],
        )
        for each in attrs.fields(kind)
    }


def _taken_from(values: dict[str, Any], kind: Any) -> Any:
    """Make an object of an attrs class from values, which are removed."""
    return kind(**{each.name: values.pop(each.name) for each in attrs.fields(kind)})


def make_command(name: str, function: Callable[..., object]) -> Any:
    """Turn a function into a command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, cls=Command, context_settings=HELP_OPTIONS)(function)
    return typer.main.get_command(app)


class Command(TyperCommand):
    """A command whose help has a section for each panel; Typer prints panels only with Rich, which starts slowly."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, including ``--help``."""
        return convert_lazily(super().get_params(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections of the help."""
        for heading, entries in help_sections(self, ctx).items():
            with formatter.section(heading):
                formatter.write_dl(entries)


def help_sections(command: Any, ctx: Any) -> Mapping[str, list[tuple[str, str]]]:
    """Map each heading in the help of a command to its parameters, each with names and description."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for each in command.get_params(ctx):
        entry = each.get_help_record(ctx)
        if entry is not None:
            sections.setdefault(each.rich_help_panel or f"{each.param_type_name.title()}s", []).append(entry)
    return sections


def _path(text: str) -> Path:
    path = expand_user(text)  # shells leave ~ as it is in --option=~/path
    try:
        check_name(path)
    except ValueError as error:
        raise typer.BadParameter(f"not a path: {error}: {visible_line(shorten(text))}") from error
    return Path(path)


CONVERTERS: Mapping[Any, Callable[[Any], Any]] = {
    str: str,
    Path: _path,
    list[str]: list,
    list[Path]: lambda texts: [_path(each) for each in texts],
}
"""Conversion of values by type, where pydantic is not needed."""


def convert_lazily(parameters: list[Any]) -> list[Any]:
    """Let Typer convert only what needs it: for any other value, even of an absent option, it imports pydantic, too.

    That takes as long as everything else that a listing imports.
    """
    for each in parameters:
        each.process_value = functools.partial(_process, each)
    return parameters


def _process(parameter: Any, ctx: Any, value: Any) -> Any:
    if ctx.get_parameter_source(parameter.name).name == "DEFAULT" and not parameter.required:
        return value
    described = getattr(parameter, "type_descriptor", None)  # not documented by Typer; without it, calls are slower
    if described is None or described.parameter_info.parser or described.annotation not in CONVERTERS or value is None:
        return type(parameter).process_value(parameter, ctx, value)
    try:
        return CONVERTERS[described.annotation](value)
    except typer.BadParameter as error:
        error.ctx, error.param = ctx, parameter
        raise
