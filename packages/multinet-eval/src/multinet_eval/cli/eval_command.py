"""``multinet eval`` and ``multinet-run-eval``: play a model through a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED, INTERRUPTED, exit_on_error
from multinet_eval.cli.options import (
    ALL_TILINGS,
    BACKEND,
    SCORE,
    BackendArgument,
    BackendName,
    DisablePlugin,
    HistoryImages,
    HistoryText,
    HistoryTextWindow,
    Mission,
    MissionChoice,
    ModelArgument,
    Observation,
    ObservationChoice,
    StrictPlugins,
    choose_tilings,
    load_plugins,
    make_backend,
    make_model,
)

if TYPE_CHECKING:
    from gridworld.backends.base import AbstractGridBackend
    from gridworld.errors import PluginFault
    from gridworld.model_interface import ModelInterface
    from gridworld.plugins.suites import Suite
    from gridworld.task_spec import TaskSpecification
    from multinet_eval.asking.policies import AnswerPolicies
    from multinet_eval.cli.progress import Reporter
    from multinet_eval.evaluation_harness import EvaluationHarness
    from multinet_eval.scores.suite_metrics import SuiteMetrics
    from multinet_eval.scores.task_result import TaskResult

__all__ = ["evaluate"]

ANSWERS, OUTPUT = "Unusable answers", "Output"

MAX_TIER = 1000
POLICY = "skip|fail|retry:N"


def evaluate(
    model: Annotated[
        str,
        typer.Option("--model", "-m", help="The model to evaluate, such as random or optimal.", rich_help_panel=SCORE),
    ],
    benchmark: Annotated[
        str | None,
        typer.Option(
            "--benchmark",
            "-b",
            help="A suite: validation_10 (the default), tiers, any that is installed, or directory with --task-dir.",
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
    tiling: Annotated[
        str | None,
        typer.Option(
            "--tiling",
            help="The tiling, such as hex; all for every installed one.",
            rich_help_panel=BACKEND,
        ),
    ] = None,
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
    observation: Observation = ObservationChoice.IMAGE,
    mission: Mission = MissionChoice.GOAL,
    history_images: HistoryImages = 0,
    history_text: HistoryText = False,
    history_text_window: HistoryTextWindow = 10,
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
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE.json", help="Write the results to this file.", rich_help_panel=OUTPUT
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the results as JSON instead of tables.", rich_help_panel=OUTPUT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress and print no tables.", rich_help_panel=OUTPUT)
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print every step.", rich_help_panel=OUTPUT)] = False,
    disable_plugin: DisablePlugin = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Evaluate a model on a suite of tasks and report the results."""
    with exit_on_error():
        load_plugins(disable_plugin, strict_plugins)
        _check_output(output)
        name, suite = _choose_tasks(benchmark, task_dir, tier, skip_invalid)
        tasks = list(suite.tasks)
        tilings = choose_tilings(tiling)
        policies = _read_policies(
            on_unparsable=on_unparsable,
            on_refused=on_refused,
            on_illegal=on_illegal,
            on_infrastructure=on_infrastructure,
        )
        from multinet_eval.cli.progress import Reporter
        from multinet_eval.cli.report import report_results
        from multinet_eval.cli.result_tables import print_comparison, print_metrics
        from multinet_eval.evaluation_harness import EvaluationHarness
        from multinet_eval.scores.tiling_comparison import TilingComparison

        reporter = Reporter(len(tasks) * len(tilings), progress=not quiet, verbose=verbose)
        made = make_model(model, model_arg or [])
        harnesses = [
            EvaluationHarness(
                made,
                make_backend(backend, backend_arg or [], name),
                seed=seed,
                observation=observation.value,
                mission=mission.value,
                history_images=history_images,
                history_text=history_text,
                history_text_window=history_text_window,
                on_step=reporter.on_step,
                on_wait=reporter.on_wait,
                on_adjustment=reporter.on_adjustment,
                policies=policies,
            )
            for name in tilings
        ]
        if not quiet:
            _tell_what_it_waits_for(made)
            _tell_what_is_absent(harnesses[0].backend)
        runs, stopped = _run_all(harnesses, name, tasks, reporter)
        runs = [attrs.evolve(run, skipped=suite.skipped) for run in runs]
        if tiling == ALL_TILINGS:
            comparison = TilingComparison(tuple(runs), tuple(name for name in tilings if name is not None))
            done = report_results(comparison.to_dict(), lambda: print_comparison(comparison), output, as_json, quiet)
        else:
            done = report_results(runs[0].to_dict(), lambda: print_metrics(runs[0]), output, as_json, quiet)
        if stopped is not None:
            raise stopped
        if not done or any(run.num_unscored for run in runs):
            raise typer.Exit(FAILED)


def _tell_what_it_waits_for(model: ModelInterface) -> None:
    from gridworld.model_interface import AttendedModel
    from gridworld.plugins.faults import blaming

    if isinstance(model, AttendedModel):
        with blaming(f"model '{model.model_name}'", "when it was asked what it waits for"):
            echo(model.notice(), err=True)


def _tell_what_is_absent(backend: AbstractGridBackend) -> None:
    from gridworld.runner.rollout import kernel_of

    if kernel_of(backend) is None:
        echo(
            f"{backend.name} is not built on the kernel: no optimum, no SPL, no description of what steps did", err=True
        )


def _read_policies(**texts: str) -> AnswerPolicies:
    """The policies that the options ask for, which are called as the fields."""
    from gridworld.errors import ArgumentError
    from multinet_eval.asking.policies import AnswerPolicies

    policies = AnswerPolicies()
    for name, text in texts.items():
        try:
            policies = attrs.evolve(policies, **{name: text})
        except ValueError as error:
            raise ArgumentError(f"--{name.replace('_', '-')}: {error}") from error
    return policies


def _check_output(output: Path | None) -> None:
    from gridworld.errors import ArgumentError

    if output is None:
        return
    if output.is_dir():
        raise ArgumentError(f"--output: {output} is a folder, expected a file name")
    if not output.parent.is_dir():
        raise ArgumentError(f"--output: the folder {output.parent} does not exist")


def _choose_tasks(
    benchmark: str | None, task_dir: Path | None, tier: str | None, skip_invalid: bool
) -> tuple[str, Suite]:
    """The suite's name and what it holds, as the options ask."""
    from gridworld.errors import ArgumentError
    from gridworld.plugins import get_registry
    from gridworld.plugins.suites import Suite, load_benchmark, of_tiers, read_folder
    from multinet_eval.cli.tasks.common import tell_what_is_odd

    if task_dir is not None:
        if benchmark not in (None, "directory", "tiers"):
            raise ArgumentError(f"--task-dir needs --benchmark directory or tiers, got '{benchmark}'")
        name, suite = task_dir.resolve().name, read_folder(task_dir, skip_invalid)
        tell_what_is_odd(suite)
    elif benchmark == "directory":
        raise ArgumentError("--benchmark directory needs --task-dir")
    else:
        name = benchmark or "validation_10"
        suite = Suite(tuple(load_benchmark(get_registry().benchmarks.get(name))))
    if tier is not None:
        wanted = _parse_tiers(tier)
        present = sorted({task.difficulty_tier for task in suite.tasks})
        suite = attrs.evolve(suite, tasks=tuple(of_tiers(suite.tasks, wanted)))
        if not suite.tasks:
            raise ArgumentError(f"--tier {tier}: '{name}' has no such tier; it has {', '.join(map(str, present))}")
    return name, suite


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


def _run_all(
    harnesses: list[EvaluationHarness], name: str, tasks: list[TaskSpecification], reporter: Reporter
) -> tuple[list[SuiteMetrics], Exception | None]:
    """Play the tasks on each harness, until one is stopped; its results, and what to end with, come with the others."""
    runs: list[SuiteMetrics] = []
    stopped: Exception | None = None
    try:
        for harness in harnesses:
            harness.check_tasks(tasks)
        harnesses[0].check_ready()
        with reporter:
            for harness in harnesses:
                metrics, stopped = _run(harness, name, tasks, reporter)
                runs.append(metrics)
                if stopped is not None:
                    break
    finally:
        fault = _close(harnesses)
    return runs, stopped or fault


def _close(harnesses: list[EvaluationHarness]) -> PluginFault | None:
    """Close the backends and their model; one that fails keeps no other from it, nor the results from being told."""
    from gridworld.errors import PluginFault
    from gridworld.plugins.faults import backend_name, blaming

    model = harnesses[0].model
    closing = [(backend_name(harness.backend.name), harness.backend.close) for harness in harnesses]
    fault = None
    for owner, close in [*closing, (f"model '{model.model_name}'", model.close)]:
        try:
            with blaming(owner, "when it was closed"):
                close()
        except PluginFault as error:
            fault = error
    return fault


def _run(
    harness: EvaluationHarness, name: str, tasks: list[TaskSpecification], reporter: Reporter
) -> tuple[SuiteMetrics, Exception | None]:
    """Play the tasks; after Ctrl-C or any failure, what has been finished by then, and what to end with.

    Raises:
        ArgumentError: the model and the backend do not fit together, as was found out before any task was finished.
    """
    from gridworld.errors import ArgumentError

    results: list[TaskResult] = []
    stopped: Exception | None = None
    try:
        for task in tasks:
            reporter.begin(task)
            results.append(harness.evaluate_task(task))
            reporter.finish(results[-1])
            if results[-1].permanent:
                stopped = typer.Exit(FAILED)
                break
    except KeyboardInterrupt:
        echo(f"interrupted after {len(results)} of {len(tasks)} tasks", err=True)
        stopped = typer.Exit(INTERRUPTED)
    except Exception as error:  # even a defect must not take the finished tasks with it; it is raised again later
        if isinstance(error, ArgumentError) and not results:
            raise
        name = visible_line(tasks[len(results)].task_id) if len(results) < len(tasks) else "the end"
        echo(f"stopped at {name}, after {len(results)} of {len(tasks)} tasks", err=True)
        stopped = error
    return harness.metrics(name, results, complete=stopped is None), stopped
