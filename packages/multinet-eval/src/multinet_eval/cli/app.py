"""Puts the commands together. Each command's module imports what it needs when it runs, so that ``--help`` is quick."""

from collections.abc import Mapping

import typer

from multinet_eval._version import __version__
from multinet_eval.cli.commands import PlainCommand
from multinet_eval.cli.echo import OutputError, echo, give_up_output, prepare_streams
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.eval_command import evaluate
from multinet_eval.cli.groups import QuickGroup, group_of
from multinet_eval.cli.plugin_commands import OpenGroup
from multinet_eval.cli.plugins.list_plugins import list_plugins

__all__ = ["main", "run_eval"]

COMMANDS = "multinet_eval.cli"

TOP = {
    "calibrate": f"{COMMANDS}.calibrate:calibrate",
    "compare": f"{COMMANDS}.compare:compare",
    "eval": f"{COMMANDS}.eval_command:evaluate",
    "leaderboard": f"{COMMANDS}.leaderboard:leaderboard",
    "watch": f"{COMMANDS}.watch:watch",
    "probe": f"{COMMANDS}.probe:probe",
    "diagnose": f"{COMMANDS}.diagnose:diagnose",
}
PLUGINS = {
    "check": f"{COMMANDS}.plugins.check:check_plugins",
    "list": f"{COMMANDS}.plugins.list_plugins:list_plugins_command",
    "new": f"{COMMANDS}.plugins.new:new_plugin",
    "show": f"{COMMANDS}.plugins.show:show_plugin",
}
TASKS = {
    "list": f"{COMMANDS}.tasks.list_tasks:list_tasks",
    "show": f"{COMMANDS}.tasks.show:show",
    "validate": f"{COMMANDS}.tasks.validate:validate",
    "solve": f"{COMMANDS}.tasks.solve:solve_task",
    "render": f"{COMMANDS}.tasks.render:render",
    "lengths": f"{COMMANDS}.tasks.lengths:lengths",
    "gallery": f"{COMMANDS}.tasks.gallery:gallery",
    "demos": f"{COMMANDS}.tasks.demos:demos",
    "schema": f"{COMMANDS}.tasks.schema:schema",
    "upgrade": f"{COMMANDS}.tasks.upgrade:upgrade",
    "families": f"{COMMANDS}.tasks.families:families",
    "generate": f"{COMMANDS}.tasks.generate:generate",
    "verify": f"{COMMANDS}.tasks.verify:verify_tasks",
    "seal": f"{COMMANDS}.tasks.seal:print_seal",
    "check-seal": f"{COMMANDS}.tasks.seal:check_seal",
    "import": f"{COMMANDS}.tasks.import_levels:import_levels",
    "new": f"{COMMANDS}.tasks.new_task:new_task",
}
MODELS = {
    "list": f"{COMMANDS}.models.list_models:list_models",
    "check": f"{COMMANDS}.models.check:check_model_command",
}
RUNS = {
    "list": f"{COMMANDS}.runs.list_runs:list_runs",
    "show": f"{COMMANDS}.runs.show:show_run",
    "resume": f"{COMMANDS}.runs.resume:resume",
    "extend": f"{COMMANDS}.runs.resume:extend",
    "render": f"{COMMANDS}.runs.render:render_episode",
    "rescore": f"{COMMANDS}.runs.rescore:rescore",
    "export": f"{COMMANDS}.runs.export:export",
    "remove": f"{COMMANDS}.runs.remove:remove",
    "verify": f"{COMMANDS}.runs.verify:verify_runs",
}
CACHE = {
    "show": f"{COMMANDS}.cache.show:show_cache",
    "clear": f"{COMMANDS}.cache.clear:clear_cache",
}
EXPERIMENT = {
    "run": f"{COMMANDS}.experiment.run:run_experiment",
    "preview": f"{COMMANDS}.experiment.preview:preview_experiment",
}
PROMPTS = {"show": f"{COMMANDS}.prompts.show:show_prompt"}


def _make_app(help_text: str | None = None, cls: type[QuickGroup] | None = None) -> typer.Typer:
    return typer.Typer(
        cls=cls,
        help=help_text,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _add_group(name: str, help_text: str, commands: Mapping[str, str]) -> None:
    multinet.add_typer(_make_app(help_text, group_of(commands)), name=name)


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"multinet-eval {__version__}")
        raise typer.Exit


multinet = _make_app("Can a vision-language model find its way? Evaluate models on grid puzzles.")

plugins_app = _make_app("List, show or check the installed plugins, or create a new one.")
plugins_app.callback(cls=group_of(PLUGINS), invoke_without_command=True)(list_plugins)
multinet.add_typer(plugins_app, name="plugins")

_add_group("tasks", "List, show, validate, solve, draw, generate, import and write tasks.", TASKS)
_add_group("models", "List the installed models, and check that one works.", MODELS)
_add_group("runs", "List recorded runs, show, go on with, draw, check, rescore, export and remove them.", RUNS)
_add_group("cache", "Show or remove what is kept on disk: tables of states, and generated suites.", CACHE)
_add_group("experiment", "Play conditions that vary one thing at a time, or look at what they ask.", EXPERIMENT)
_add_group("prompts", "Show what models are asked.", PROMPTS)

run_eval_app = _make_app()
run_eval_app.command(cls=PlainCommand)(evaluate)


@multinet.callback(cls=group_of(TOP, OpenGroup))
def _root(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_print_version, is_eager=True),
) -> None:
    pass


def main() -> None:
    """The program ``multinet``."""
    _run(multinet, "multinet")


def run_eval() -> None:
    """The program ``multinet-run-eval``."""
    _run(run_eval_app, "multinet-run-eval")


def _run(app: typer.Typer, name: str) -> None:
    """Run a program. Where nobody reads what it prints any more, as after ``| head -1``, it ends as if all was done."""
    prepare_streams()
    try:
        app(prog_name=name)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # at which Typer and Rich exit with 1
            raise SystemExit(0) from None
        raise
    except OutputError as error:
        give_up_output()
        echo(f"error: {error}", err=True)
        raise SystemExit(FAILED) from None
