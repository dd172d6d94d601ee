"""``multinet eval`` and ``multinet-run-eval``: play a model through a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from gridworld.runner.presentation import Presentation
from multinet_eval.cli.dry_run import DryRun, tell_forecast
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.observing import ObserverOptions, observed
from multinet_eval.cli.options import (
    SCORE,
    BackendArgument,
    BackendName,
    DisablePlugin,
    Mission,
    MissionChoice,
    ModelArgument,
    ProtocolText,
    StrictPlugins,
    Tilings,
    load_plugins,
)
from multinet_eval.cli.playing import PlayingOptions, RunOutput, play, played, shown_run
from multinet_eval.cli.presenting import presented
from multinet_eval.cli.recording import NoRecord, Resume, RunDir, choose_directory, refuse_beside_resume
from multinet_eval.cli.spending import CacheOptions, PricesFile, cached, choose_prices, read_price_file
from multinet_eval.settings.defaults import ALL_TILINGS, DEFAULT_SUITE

if TYPE_CHECKING:
    from gridworld.suites import Suite
    from multinet_eval.record.manifest import Manifest
    from multinet_eval.settings.policies import AnswerPolicies

__all__ = ["evaluate"]

ANSWERS = "Unusable answers"

DIRECTORY = "directory"
BESIDE_A_FOLDER = (None, DIRECTORY, "tiers")
"""What ``--benchmark`` may be beside ``--task-dir``; callers say ``tiers`` of folders of their own that have some."""
MAX_TIER = 1000
POLICY = "skip|fail|retry:N"


@presented
@played
@cached
@observed
@shown_run
def evaluate(
    call: typer.Context,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="The model to evaluate, such as random or optimal.", rich_help_panel=SCORE),
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            "--benchmark",
            "-b",
            help="A suite: validation_10 (the default), tiers, any that is installed, a TOML file of recipes, "
            "generated:FAMILY?count=50&length=20-40, or directory with --task-dir.",
            rich_help_panel=SCORE,
        ),
    ] = None,
    task_dir: Annotated[
        Path | None, typer.Option("--task-dir", help="A folder of task files.", rich_help_panel=SCORE)
    ] = None,
    tier: Annotated[
        str | None, typer.Option("--tier", help="Only these difficulty tiers: 2, 1-3 or 1,4.", rich_help_panel=SCORE)
    ] = None,
    model_arg: ModelArgument = None,
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: Tilings = None,
    skip_invalid: Annotated[
        bool,
        typer.Option(
            "--skip-invalid",
            help="Skip files of --task-dir that hold no valid task, instead of refusing the folder.",
            rich_help_panel=SCORE,
        ),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The seed of every episode. By default each task's own.", rich_help_panel=SCORE),
    ] = None,
    epochs: Annotated[
        int,
        typer.Option(
            "--epochs",
            min=1,
            help="How many times each task is played, the first time with the seed of a single run.",
            rich_help_panel=SCORE,
        ),
    ] = 1,
    budget_factor: Annotated[
        str | None,
        typer.Option(
            "--budget-factor",
            metavar="C|none",
            help="Each task has so many times its optimum of steps, rounded up, on the tiling that is played. By "
            "default only tasks that say so, such as matched pairs; none for max_steps of all tasks.",
            rich_help_panel=SCORE,
        ),
    ] = None,
    mission: Mission = MissionChoice.GOAL,
    protocol: ProtocolText = "step",
    *,
    presentation: Presentation,
    on_unparsable: Annotated[
        str,
        typer.Option(
            "--on-unparsable",
            metavar=POLICY,
            help="After an unparsable, empty or truncated answer. skip: lose the step; fail: end the episode.",
            rich_help_panel=ANSWERS,
        ),
    ] = "retry:2,skip",
    on_refused: Annotated[
        str,
        typer.Option("--on-refused", metavar=POLICY, help="After a refusal to answer.", rich_help_panel=ANSWERS),
    ] = "skip",
    on_illegal: Annotated[
        str,
        typer.Option(
            "--on-illegal", metavar=POLICY, help="After an action outside the action space.", rich_help_panel=ANSWERS
        ),
    ] = "skip",
    on_infrastructure: Annotated[
        str,
        typer.Option(
            "--on-infrastructure",
            metavar="retry:N|fail",
            help="After a time-out or a server error. An episode that ends by one is not scored.",
            rich_help_panel=ANSWERS,
        ),
    ] = "retry:5,fail",
    playing: PlayingOptions,
    prices: PricesFile = None,
    kept: CacheOptions,
    dry_run: DryRun = False,
    resume: Resume = None,
    run_dir: RunDir = None,
    no_record: NoRecord = False,
    observers: ObserverOptions,
    show: RunOutput,
    disable_plugin: DisablePlugin = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Evaluate a model on a suite of tasks and report the results."""
    from multinet_eval.settings.plugin_objects import choose_tilings, make_model

    with exit_on_error():
        load_plugins(disable_plugin, strict_plugins)
        from gridworld.errors import ArgumentError
        from multinet_eval.cli.runs.resume import go_on, options_to_go_on
        from multinet_eval.play.run import closing_if_refused, new_run
        from multinet_eval.record.manifest import Suite
        from multinet_eval.settings.budget_factor import BY_TASK
        from multinet_eval.settings.plugin_objects import choose_tilings, make_model
        from multinet_eval.settings.run_settings import RunSettings

        cache, told = kept.settings, observers.make()
        if resume is not None:
            refuse_beside_resume(call)
            options = options_to_go_on(call, resume, playing)
            go_on(resume, model_arg, None, options, show, prices, cache, told)
            return
        options = playing.for_run()
        if model is None:
            raise ArgumentError("--model is missing: name the model to evaluate, such as random or optimal")
        tables = read_price_file(prices)
        name, found = _choose_tasks(benchmark, task_dir, tier, skip_invalid)
        settings = RunSettings(
            model=model,
            model_arguments=model_arg,
            backend=backend,
            backend_arguments=backend_arg,
            tilings=tuple(choose_tilings(tiling)),
            compares_tilings=tiling == ALL_TILINGS,
            seed=seed,
            epochs=epochs,
            budget_factor=budget_factor or BY_TASK,
            presentation=presentation,
            protocol=protocol,
            mission=mission.value,
            policies=_read_policies(
                on_unparsable=on_unparsable,
                on_refused=on_refused,
                on_illegal=on_illegal,
                on_infrastructure=on_infrastructure,
            ),
            cache=cache,
        )
        suite, made = Suite(name, found.tasks, found.skipped), make_model(model, model_arg or [])
        with closing_if_refused(made):
            settings = attrs.evolve(settings, prices=choose_prices(tables, made.model_name, playing.max_cost))
            directory = choose_directory(call, run_dir, no_record, name, made.model_name)
        if dry_run:
            tell_forecast(settings, suite, made, show.as_json)
            return
        show.refuse_report(recorded=directory is not None)
        run = new_run(settings, suite, made, directory)
        run.remember(options)
        if not show.quiet:
            _tell_budgets(run.manifest)
        play(run, options, show, told)


def _tell_budgets(manifest: Manifest) -> None:
    """Say how many steps episodes have, where these are not the tasks' own."""
    from gridworld.support.wording import counted
    from multinet_eval.settings.budget_factor import BY_TASK

    factor = manifest.settings.budget_factor
    own = sum(planned.max_steps is None for planned in manifest.plan)
    if own < len(manifest.plan):
        times = "as many times the optimum as the task says" if factor == BY_TASK else f"{factor} times the optimum"
        rest = f"; {counted(own, 'episode')} with max_steps as it is" if own else ""
        echo(f"budget: {times} on each tiling{rest}", err=True)


def _read_policies(**texts: str) -> AnswerPolicies:
    """The policies that the options ask for, which are called as the fields."""
    from gridworld.errors import ArgumentError
    from multinet_eval.settings.policies import AnswerPolicies

    policies = AnswerPolicies()
    for name, text in texts.items():
        try:
            policies = attrs.evolve(policies, **{name: text})
        except ValueError as error:
            raise ArgumentError(f"--{name.replace('_', '-')}: {error}") from error
    return policies


def _choose_tasks(
    benchmark: str | None, task_dir: Path | None, tier: str | None, skip_invalid: bool
) -> tuple[str, Suite]:
    """The suite's name and what it holds, as the options ask."""
    from gridworld.errors import ArgumentError
    from gridworld.suites import of_tiers, read_folder, read_installed
    from multinet_eval.cli.tasks.finding import tell_what_is_odd
    from multinet_eval.cli.tasks.generate import prepare_suite

    if task_dir is not None:
        if benchmark not in BESIDE_A_FOLDER:
            raise ArgumentError(f"--task-dir and --benchmark '{benchmark}' exclude each other: expected one of them")
        name, suite = task_dir.resolve().name, read_folder(task_dir, skip_invalid)
        tell_what_is_odd(suite)
    elif benchmark == DIRECTORY:
        raise ArgumentError("--benchmark directory needs --task-dir")
    else:
        name = benchmark or DEFAULT_SUITE
        _refuse_path(name)
        prepare_suite(name)
        suite = read_installed(name)
    if tier is not None:
        wanted = _parse_tiers(tier)
        present = sorted({task.difficulty_tier for task in suite.tasks})
        suite = attrs.evolve(suite, tasks=tuple(of_tiers(suite.tasks, wanted)))
        if not suite.tasks:
            raise ArgumentError(f"--tier {tier}: '{name}' has no such tier; it has {', '.join(map(str, present))}")
    return name, suite


def _refuse_path(name: str) -> None:
    """Make sure that what is called as a suite is none of one's own files; raises ArgumentError, which says what is."""
    from gridworld.errors import ArgumentError
    from gridworld.plugins import get_registry
    from gridworld.suites.recipes import suite_recipes
    from gridworld.support.files import exists, is_folder

    if name in get_registry().benchmarks or not exists(name) or suite_recipes(name):
        return
    found, advice = (
        ("folder", f"--task-dir {name}") if is_folder(name) else ("file", "--task-dir, which takes a folder")
    )
    raise ArgumentError(
        f"--benchmark: {name} is a {found}, expected an installed suite or a file of recipes; tasks of one's own are "
        f"played with {advice}"
    )


def _parse_tiers(text: str) -> set[int]:
    """The tiers that a text such as ``2``, ``1-3`` or ``1,3-5`` names."""
    from gridworld.errors import ArgumentError

    tiers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            low, high = int(first), int(last if dash else first)
        except ValueError as error:
            raise ArgumentError(f"--tier: expected numbers or ranges such as 2, 1-3 or 1,4, got '{text}'") from error
        if high > MAX_TIER:
            raise ArgumentError(f"--tier: {high} is beyond {MAX_TIER}")
        if low > high:
            raise ArgumentError(f"--tier: the range {part} is empty")
        tiers.update(range(low, high + 1))
    return tiers
