"""Puts the commands together. Each command's module imports what it needs when it runs, so that ``--help`` is quick."""

import typer

from multinet_eval._version import __version__
from multinet_eval.cli.eval_command import evaluate
from multinet_eval.cli.models.check import check_model_command
from multinet_eval.cli.models.list_models import list_models
from multinet_eval.cli.plugins.check import check_plugins
from multinet_eval.cli.plugins.list_plugins import list_plugins
from multinet_eval.cli.plugins.new import new_plugin
from multinet_eval.cli.plugins.show import show_plugin
from multinet_eval.cli.prompts.show import show_prompt
from multinet_eval.cli.tasks.demos import demos
from multinet_eval.cli.tasks.gallery import gallery
from multinet_eval.cli.tasks.lengths import lengths
from multinet_eval.cli.tasks.list_tasks import list_tasks
from multinet_eval.cli.tasks.render import render
from multinet_eval.cli.tasks.schema import schema
from multinet_eval.cli.tasks.show import show
from multinet_eval.cli.tasks.solve import solve_task
from multinet_eval.cli.tasks.validate import validate

__all__ = ["main", "run_eval"]


def _make_app(help_text: str | None = None) -> typer.Typer:
    return typer.Typer(
        help=help_text,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"multinet-eval {__version__}")
        raise typer.Exit


multinet = _make_app("Can a vision-language model find its way? Evaluate models on grid puzzles.")
multinet.command("eval")(evaluate)

plugins_app = _make_app()
plugins_app.callback(invoke_without_command=True)(list_plugins)
plugins_app.command("check")(check_plugins)
plugins_app.command("new")(new_plugin)
plugins_app.command("show")(show_plugin)
multinet.add_typer(plugins_app, name="plugins")

tasks_app = _make_app("Look at tasks, check them, solve them, draw them, and make data of them.")
tasks_app.command("list")(list_tasks)
tasks_app.command("show")(show)
tasks_app.command("validate")(validate)
tasks_app.command("solve")(solve_task)
tasks_app.command("render")(render)
tasks_app.command("lengths")(lengths)
tasks_app.command("gallery")(gallery)
tasks_app.command("demos")(demos)
tasks_app.command("schema")(schema)
multinet.add_typer(tasks_app, name="tasks")

models_app = _make_app("Look at the installed models, and try them out.")
models_app.command("list")(list_models)
models_app.command("check")(check_model_command)
multinet.add_typer(models_app, name="models")

prompts_app = _make_app("Look at what models are asked.")
prompts_app.command("show")(show_prompt)
multinet.add_typer(prompts_app, name="prompts")

run_eval_app = _make_app()
run_eval_app.command()(evaluate)


@multinet.callback()
def _root(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_print_version, is_eager=True),
) -> None:
    pass


def main() -> None:
    """The program ``multinet``."""
    multinet(prog_name="multinet")


def run_eval() -> None:
    """The program ``multinet-run-eval``."""
    run_eval_app(prog_name="multinet-run-eval")
