"""The programs: their commands, each imported when it is called so that ``--help`` is quick."""

from collections.abc import Mapping

import typer

import multinet_eval
from multinet_eval.cli.commands import PlainCommand
from multinet_eval.cli.echo import OutputError, echo, give_up_output, prepare_streams
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.eval_command import evaluate
from multinet_eval.cli.groups import LazyGroup, OpenGroup, group_of
from multinet_eval.cli.plugins.listing import list_plugins

COMMANDS = "multinet_eval.cli"

TOP = {
    "calibrate": f"{COMMANDS}.calibrate:calibrate",
    "compare": f"{COMMANDS}.compare:compare",
    "eval": f"{COMMANDS}.eval_command:evaluate",
    "leaderboard": f"{COMMANDS}.leaderboard:leaderboard",
    "plan": f"{COMMANDS}.plan:plan",
    "probe": f"{COMMANDS}.probe:probe",
    "diagnose": f"{COMMANDS}.diagnose:diagnose",
}
PLUGINS = {
    "check": f"{COMMANDS}.plugins.check:check_plugins",
    "list": f"{COMMANDS}.plugins.listing:list_plugins_command",
    "new": f"{COMMANDS}.plugins.new:new_plugin",
    "show": f"{COMMANDS}.plugins.show:show_plugin",
}
TASKS = {
    "list": f"{COMMANDS}.tasks.look:list_tasks",
    "show": f"{COMMANDS}.tasks.look:show",
    "validate": f"{COMMANDS}.tasks.check:validate",
    "solve": f"{COMMANDS}.tasks.look:solve_task",
    "render": f"{COMMANDS}.tasks.export:render",
    "gallery": f"{COMMANDS}.tasks.export:gallery",
    "demos": f"{COMMANDS}.tasks.export:demos",
    "schema": f"{COMMANDS}.tasks.files:schema",
    "upgrade": f"{COMMANDS}.tasks.files:upgrade",
    "generate": f"{COMMANDS}.tasks.generate:generate",
    "verify": f"{COMMANDS}.tasks.check:verify_tasks",
    "seal": f"{COMMANDS}.tasks.check:seal_tasks",
    "import": f"{COMMANDS}.tasks.import_levels:import_levels",
}
MODELS = {
    "list": f"{COMMANDS}.models:list_models",
    "check": f"{COMMANDS}.models:check_model_command",
}
RUNS = {
    "list": f"{COMMANDS}.runs.folders:list_runs",
    "show": f"{COMMANDS}.runs.folders:show_run",
    "resume": f"{COMMANDS}.runs.resume:resume",
    "extend": f"{COMMANDS}.runs.resume:extend",
    "render": f"{COMMANDS}.runs.folders:render_episode",
    "rescore": f"{COMMANDS}.runs.check:rescore",
    "export": f"{COMMANDS}.runs.folders:export",
    "verify": f"{COMMANDS}.runs.check:verify_runs",
}
EXPERIMENT = {
    "run": f"{COMMANDS}.experiment:run_experiment",
    "preview": f"{COMMANDS}.experiment:preview_experiment",
}
PROMPTS = {"show": f"{COMMANDS}.prompts:show_prompt"}


def _make_app(help_text: str | None = None, cls: type[LazyGroup] | None = None) -> typer.Typer:
    return typer.Typer(
        cls=cls,
        help=help_text,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _add_group(name: str, help_text: str, commands: Mapping[str, str]) -> None:
    multinet.add_typer(_make_app(help_text, group_of(commands)), name=name)


def _print_version(wanted: bool) -> None:
    """Print the version and end the program, if the option is given."""
    if wanted:
        echo(f"multinet-eval {multinet_eval.__version__}")
        raise typer.Exit


multinet = _make_app("Evaluate vision-language models on grid puzzles.")

plugins_app = _make_app("List, show or check the installed plugins, or create a new one.")
plugins_app.callback(cls=group_of(PLUGINS), invoke_without_command=True)(list_plugins)
multinet.add_typer(plugins_app, name="plugins")

_add_group("tasks", "List, show, validate, solve, draw, generate and import tasks.", TASKS)
_add_group("models", "List the installed models, or check that one works.", MODELS)
_add_group("runs", "List, show, resume, extend, draw, verify, rescore or export recorded runs.", RUNS)
_add_group("experiment", "Play conditions that vary one thing at a time, or preview their prompts.", EXPERIMENT)
_add_group("prompts", "Show the prompts sent to models.", PROMPTS)

run_eval_app = _make_app()
run_eval_app.command(cls=PlainCommand)(evaluate)


@multinet.callback(cls=group_of(TOP, OpenGroup))
def _root(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_print_version, is_eager=True),
) -> None:
    pass


def main() -> None:
    """Run the program ``multinet``."""
    _run(multinet, "multinet")


def run_eval() -> None:
    """Run the program ``multinet-run-eval``."""
    _run(run_eval_app, "multinet-run-eval")


def _run(app: typer.Typer, name: str) -> None:
    """Run a program; if the reader of its output stops reading, as ``| head -1`` does, end it as if all went well."""
    prepare_streams()
    try:
        app(prog_name=name)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # Typer and Rich exit with 1 then
            raise SystemExit(0) from None
        raise
    except OutputError as error:
        give_up_output()
        echo(f"error: {error}", err=True)
        raise SystemExit(FAILED) from None
