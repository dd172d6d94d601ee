"""Commands that plugins add to ``multinet``: what they import is imported when one is called, not when it is listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multinet_eval.cli.commands import PlainCommand
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.groups import QuickGroup, make_command

if TYPE_CHECKING:
    from gridworld.hookspecs import CommandInfo
    from gridworld.plugins import Provided, Registry

__all__ = ["OpenGroup"]


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

        from gridworld.support.wording import visible_line

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
    from gridworld.errors import PluginFault
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
