"""The programs: their commands, each imported when it is called so that listings and ``--help`` are quick."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from typer.core import TyperGroup

import multinet_eval
from gridworld.plugins import get_registry
from gridworld.plugins.known_plugins import advice_to_install
from multinet_eval.cli.commands import HELP_OPTIONS, Command, convert_lazily, make_command
from multinet_eval.cli.echo import OutputError, echo, give_up_output, prepare_streams
from multinet_eval.cli.errors import FAILED, exit_on_error

if TYPE_CHECKING:
    from gridworld.hookspecs import CommandInfo

COMMANDS: Mapping[str, str] = {
    "calibrate": "calibrate:calibrate",
    "compare": "compare:compare",
    "eval": "eval_command:evaluate",
    "leaderboard": "leaderboard:leaderboard",
    "plan": "plan:plan",
    "probe": "probe:probe",
    "diagnose": "diagnose:diagnose",
    "plugins check": "plugins.check:check_plugins",
    "plugins list": "plugins.listing:list_plugins",
    "plugins new": "plugins.new:new_plugin",
    "plugins show": "plugins.show:show_plugin",
    "tasks list": "tasks.look:list_tasks",
    "tasks show": "tasks.look:show",
    "tasks validate": "tasks.check:validate",
    "tasks solve": "tasks.look:solve_task",
    "tasks render": "tasks.export:render",
    "tasks gallery": "tasks.export:gallery",
    "tasks demos": "tasks.export:demos",
    "tasks schema": "tasks.files:schema",
    "tasks upgrade": "tasks.files:upgrade",
    "tasks generate": "tasks.generate:generate",
    "tasks verify": "tasks.check:verify_tasks",
    "tasks seal": "tasks.check:seal_tasks",
    "tasks import": "tasks.import_levels:import_levels",
    "models list": "models:list_models",
    "models check": "models:check_model_command",
    "runs list": "runs.folders:list_runs",
    "runs show": "runs.folders:show_run",
    "runs resume": "runs.resume:resume",
    "runs render": "runs.folders:render_episode",
    "runs rescore": "runs.check:rescore",
    "runs export": "runs.folders:export",
    "runs verify": "runs.check:verify_runs",
    "experiment run": "experiment:run_experiment",
    "experiment preview": "experiment:preview_experiment",
    "prompts show": "prompts:show_prompt",
}
"""Commands below ``multinet``, each with the module in this package and the function in it."""
GROUPS: Mapping[str, str] = {
    "plugins": "List (by default), show, check or create plugins.",
    "tasks": "Check, solve, draw, generate and import tasks.",
    "models": "List the installed models, or check that one works.",
    "runs": "Show, resume, render, verify, rescore or export runs.",
    "experiment": "Play conditions that vary one thing at a time.",
    "prompts": "Show the prompts sent to models.",
}
"""Groups of commands, each with its help."""


def own_command(words: str, name: str) -> Any:
    """Import a command of `COMMANDS`, to be called by a name."""
    module, _, function = COMMANDS[words].partition(":")
    return make_command(name, vars(import_module(f"multinet_eval.cli.{module}"))[function])


class LazyGroup(TyperGroup):
    """A group that imports a command when the command is looked up."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._prefix = f"{self.name} " if self.name else ""
        own = [words.removeprefix(self._prefix) for words in COMMANDS if words.startswith(self._prefix)]
        self.commands: dict[str, Any] = {name: None for name in own if " " not in name} | dict(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find the command for a name, imported now; None for an unknown name."""
        if cmd_name in self.commands and self.commands[cmd_name] is None:
            self.commands[cmd_name] = own_command(f"{self._prefix}{cmd_name}", cmd_name)
        return super().get_command(ctx, cmd_name)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options, including ``--help``."""
        return convert_lazily(super().get_params(ctx))


class PluginsGroup(LazyGroup):
    """The group ``plugins``, which lists the plugins without a command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; without the name of a command, they are those of ``list``."""
        if not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


class OpenGroup(LazyGroup):
    """A group to which plugins add commands; they are loaded for an unknown name, and to list all commands."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find the command for a name; None for an option. An unknown name ends the program."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name.startswith("-"):
            return own
        registry = get_registry()
        if cmd_name in registry.commands:
            with exit_on_error():
                return PluginCommand(registry.commands.get(cmd_name))
        advice = advice_to_install("command", cmd_name, registry.failures)
        return ctx.fail(f"No such command '{cmd_name}'. {advice}")

    def list_commands(self, ctx: Any) -> list[str]:
        """List the group's own commands, then those of plugins."""
        return list(dict.fromkeys([*super().list_commands(ctx), *get_registry().commands.names()]))


class PluginCommand(Command):
    """A plugin's command until it is called, so that listing it imports nothing."""

    def __init__(self, info: CommandInfo) -> None:
        super().__init__(info.name, help=info.summary)
        self._info = info

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Import the command and make its context; a failing import ends the program."""
        with exit_on_error():
            command = make_command(str(self.name), self._info.load())
        return command.make_context(info_name, args, parent, **extra)


def _make_group(help_text: str, cls: type[TyperGroup]) -> typer.Typer:
    return typer.Typer(
        cls=cls,
        help=help_text,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=HELP_OPTIONS,
    )


def _print_version(wanted: bool) -> None:
    """Print the version and end the program, if the option is given."""
    if wanted:
        echo(f"multinet-eval {multinet_eval.__version__}")
        raise typer.Exit


multinet = _make_group("Evaluate vision-language models on grid puzzles.", OpenGroup)
for _name, _help in GROUPS.items():
    multinet.add_typer(_make_group(_help, PluginsGroup if _name == "plugins" else LazyGroup), name=_name)


@multinet.callback()
def _root(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_print_version, is_eager=True),
) -> None:
    pass


def main() -> None:
    """Run the program ``multinet``."""
    _run(multinet, "multinet")


def run_eval() -> None:
    """Run the program ``multinet-run-eval``."""
    _run(own_command("eval", "multinet-run-eval"), "multinet-run-eval")


def _run(app: Callable[..., Any], name: str) -> None:
    """Run a program; if the reader of its output stops reading, as ``| head -1`` does, end it as if all went well."""
    prepare_streams()
    try:
        app(prog_name=name)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # Typer and Rich exit with 1 then
            raise SystemExit(0) from None
        raise
    except OSError as error:  # raised by the output of --help
        if error.errno != errno.ENOSPC:
            raise
        _give_up(OutputError(error))
    except OutputError as error:
        _give_up(error)


def _give_up(error: OutputError) -> NoReturn:
    give_up_output()
    echo(f"error: {error}", err=True)
    raise SystemExit(FAILED) from None
