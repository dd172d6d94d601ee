"""The tables that ``multinet eval`` ends with."""

from __future__ import annotations

from collections.abc import Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gridworld.model_interface import AnswerOutcome
from multinet_eval.scores.suite_metrics import SuiteMetrics
from multinet_eval.scores.task_result import TaskResult
from multinet_eval.scores.tiling_comparison import TilingComparison
from multinet_eval.scores.totals import count_outcomes

__all__ = ["print_comparison", "print_metrics"]


def print_metrics(metrics: SuiteMetrics) -> None:
    """Print one row for each task, then the summary; nothing if no task was played."""
    if not _played(metrics):
        return
    console = Console(emoji=False)
    console.print(_task_table(metrics))
    console.print(_summary(metrics))
    _print_answers(console, metrics.outcomes, metrics.lost_steps)
    _print_unscored(console, "", metrics)
    _print_incomplete(console, metrics.complete, metrics)


def print_comparison(comparison: TilingComparison) -> None:
    """Print one row for each tiling on which a task was played; nothing if there is none."""
    if not any(map(_played, comparison.runs)):
        return
    first = comparison.runs[0]
    title = escape(f"{first.benchmark_name}: {first.model_name} on {first.backend}")
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("Tiling", no_wrap=True)
    for heading in ("Solved", "Rate", "95 % interval", "SPL", "Reward", "Steps"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in filter(_played, comparison.runs):
        low, high = run.success_interval
        table.add_row(
            escape(run.tiling or "-"),
            f"{run.num_success} of {run.num_scored}",
            f"{run.success_rate:.0%}",
            f"{low:.0%} to {high:.0%}",
            _or_dash(run.spl, ".3f"),
            f"{run.mean_reward:.3f}",
            f"{run.mean_steps:.1f}",
        )
    console = Console(emoji=False)
    console.print(table)
    _print_answers(console, count_outcomes(run.outcomes for run in comparison.runs), comparison.lost_steps)
    for run in comparison.runs:
        _print_unscored(console, f"{run.tiling}: ", run)
    _print_incomplete(console, comparison.complete, first)


def _print_incomplete(console: Console, complete: bool, metrics: SuiteMetrics) -> None:
    if not complete:
        console.print("[yellow]not all tasks were played[/]")
    if metrics.skipped:
        console.print(f"[yellow]files skipped because they hold no valid task: {len(metrics.skipped)}[/]")


def _played(metrics: SuiteMetrics) -> bool:
    return metrics.num_tasks > 0


def _task_table(metrics: SuiteMetrics) -> Table:
    tiling = f" ({metrics.tiling})" if metrics.tiling is not None else ""
    title = escape(f"{metrics.benchmark_name}: {metrics.model_name} on {metrics.backend}{tiling}")
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("Task", no_wrap=True)
    table.add_column("Tier", no_wrap=True)
    table.add_column("Result", no_wrap=True)
    for heading in ("Steps", "Budget", "Best", "Ratio", "Reward"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in metrics.task_results:
        table.add_row(
            escape(result.task_id),
            str(result.difficulty_tier),
            _outcome(result),
            str(result.steps_taken),
            str(result.max_steps),
            _or_dash(result.optimal_steps, "d"),
            _or_dash(result.optimality_ratio, ".2f"),
            f"{result.total_reward:.3f}",
        )
    return table


def _outcome(result: TaskResult) -> str:
    if not result.scored:
        return "[red]error[/]"
    if result.success:
        return "[green]success[/]"
    if result.fault is not None:
        return f"[red]{result.fault}[/]"
    return "[red]died[/]" if result.terminated else "[yellow]truncated[/]"


def _or_dash(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _summary(metrics: SuiteMetrics) -> str:
    low, high = metrics.success_interval
    spl = "" if metrics.spl is None else f"SPL {metrics.spl:.3f}, "
    return (
        f"{metrics.num_success} of {metrics.num_scored} tasks solved: {metrics.success_rate:.0%} "
        f"(95 % interval {low:.0%} to {high:.0%})\n"
        f"{spl}mean reward {metrics.mean_reward:.3f}, mean steps {metrics.mean_steps:.1f}"
    )


WITH_AN_ACTION = (AnswerOutcome.OK, AnswerOutcome.NO_EFFECT, AnswerOutcome.ILLEGAL)


def _print_answers(console: Console, outcomes: Mapping[str, int], lost_steps: int) -> None:
    """Print what came of the requests: the answers by their kinds, then the requests without any."""
    answers: dict[AnswerOutcome, int] = {kind: outcomes[kind] for kind in AnswerOutcome}
    without = answers.pop(AnswerOutcome.INFRASTRUCTURE)
    told = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in answers.items() if count)
    parts = [f"answers: {told or 'none'}"]
    parts += [f"{without} requests without an answer"] if without else []
    parts += [f"{lost_steps} steps lost"] if lost_steps else []
    console.print("; ".join(parts))
    if told and not any(answers[kind] for kind in WITH_AN_ACTION):
        console.print(f"[red]{_all_useless(answers)}[/]")


def _all_useless(answers: Mapping[AnswerOutcome, int]) -> str:
    kinds = [kind for kind, count in answers.items() if count]
    which = f"were {kinds[0]}" if len(kinds) == 1 else f"were {', '.join(kinds[:-1])} or {kinds[-1]}"
    return f"all {sum(answers.values())} answers {which}: the model did not once name an action in the form asked for"


def _print_unscored(console: Console, place: str, metrics: SuiteMetrics) -> None:
    if metrics.num_unscored:
        console.print(
            f"[red]{escape(place)}{metrics.num_unscored} of {metrics.num_tasks} episodes ended by an error "
            "and are not scored[/]"
        )
