"""Groups of commands: each command is imported when it is called, and plugins add commands of their own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from typer.core import TyperGroup

from gridworld.errors import PluginFault
from gridworld.plugins import Provided, get_registry
from gridworld.plugins.faults import blaming
from gridworld.support.import_strings import load_object
from gridworld.support.wording import visible_line
from multinet_eval.cli.commands import PlainCommand, make_command
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.help import help_text, print_help, usage_pieces

if TYPE_CHECKING:
    from gridworld.hookspecs import CommandInfo


class LazyGroup(TyperGroup):
    """A group that imports a command when the command is looked up, and parses its own options only if some are given.

    To parse an option, even an absent ``--help``, Typer imports pydantic, which takes as long as everything else.
    """

    import_strings: ClassVar[Mapping[str, str]] = {}
    """Import string of each command's function, ``module:function``."""

    _parses_options = True

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: dict[str, Any] = {**dict.fromkeys(self.import_strings), **self.commands}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find the command for a name, imported now; None for an unknown name."""
        if cmd_name in self.import_strings and self.commands[cmd_name] is None:
            module, _, function = self.import_strings[cmd_name].partition(":")
            self.commands[cmd_name] = make_command(cmd_name, vars(import_module(module))[function])
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options, or take their defaults if the first word is not an option."""
        if args and args[0].startswith("-"):
            return super().parse_args(ctx, args)
        ctx.params = {param.name: param.get_default(ctx) for param in self.params if param.expose_value}
        self._parses_options = False
        try:
            return super().parse_args(ctx, args)
        finally:
            self._parses_options = True

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options to parse."""
        return list(super().get_params(ctx)) if self._parses_options else []

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the form of a call after the name."""
        return usage_pieces(self, ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; raises `OutputError` if standard output cannot be written."""
        print_help(help_text(self, ctx))


def group_of(import_strings: Mapping[str, str], base: type[LazyGroup] = LazyGroup) -> type[LazyGroup]:
    """Make the class of a group with these commands, to which others can be added."""
    return type("Group", (base,), {"import_strings": import_strings})


class OpenGroup(LazyGroup):
    """A group to which plugins add commands.

    Plugins are loaded when a call names none of the group's own commands, and to list all. A plugin's command never
    replaces an own one; it is then called by its qualified name.
    """

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find the command for a name, qualified or not; None for an option. An unknown name ends the program."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name.startswith("-"):
            return own
        from gridworld.plugins.known_plugins import advice_to_install

        with exit_on_error():
            registry = get_registry()
            if cmd_name in registry.commands:
                return PluginCommand(cmd_name, registry.commands.provider(cmd_name))
        advice = advice_to_install("command", cmd_name, registry.failures)
        return ctx.fail(f"No such command '{cmd_name}'. {advice}")

    def list_commands(self, ctx: Any) -> list[str]:
        """List the group's own commands, then the plugins' commands under unique names."""
        own = super().list_commands(ctx)
        entries = (names for names, _ in get_registry().commands.entries())
        return [*own, *(next(name for name in names if name not in own) for names in entries)]


class PluginCommand(PlainCommand):
    """Placeholder for a plugin's command until it is called.

    Args:
        name: the name by which users call the command.
        provided: the command.
    """

    def __init__(self, name: str, provided: Provided[CommandInfo]) -> None:
        super().__init__(name=name, help=visible_line(provided.item.summary))
        self._provided = provided

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Import the command and make its context; a failing import ends the program."""
        owner = self._provided.described("command")
        with exit_on_error(), blaming(owner, "when it was loaded"):
            try:
                function = load_object(self._provided.item.target)
            except PluginFault as error:
                raise PluginFault(f"{owner}: {error}") from error
            command = make_command(str(self.name), exit_on_error()(function))
        return command.make_context(info_name, args, parent, **extra)
