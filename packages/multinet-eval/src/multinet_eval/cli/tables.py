"""The tables that ``multinet eval`` ends with."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from multinet_eval.metrics import SuiteMetrics, TaskResult
from multinet_eval.tiling_comparison import TilingComparison

__all__ = ["print_comparison", "print_metrics"]


def print_metrics(metrics: SuiteMetrics) -> None:
    """Print one row for each task, then the summary."""
    console = Console(emoji=False)
    console.print(_task_table(metrics))
    console.print(_summary(metrics))
    if not metrics.complete:
        console.print("[yellow]not all tasks were played[/]")


def print_comparison(comparison: TilingComparison) -> None:
    """Print one row for each tiling."""
    first = comparison.runs[0]
    title = escape(f"{first.benchmark_name}: {first.model_name} on {first.backend}")
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("Tiling", no_wrap=True)
    for heading in ("Solved", "Rate", "95 % interval", "SPL", "Reward", "Steps"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in comparison.runs:
        low, high = run.success_interval
        table.add_row(
            escape(run.tiling),
            f"{run.num_success} of {run.num_tasks}",
            f"{run.success_rate:.0%}",
            f"{low:.0%} to {high:.0%}",
            _or_dash(run.spl, ".3f"),
            f"{run.mean_reward:.3f}",
            f"{run.mean_steps:.1f}",
        )
    console = Console(emoji=False)
    console.print(table)
    if not comparison.complete:
        console.print("[yellow]not all tasks were played[/]")


def _task_table(metrics: SuiteMetrics) -> Table:
    title = escape(f"{metrics.benchmark_name}: {metrics.model_name} on {metrics.backend} ({metrics.tiling})")
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
    if result.success:
        return "[green]success[/]"
    return "[red]died[/]" if result.terminated else "[yellow]truncated[/]"


def _or_dash(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _summary(metrics: SuiteMetrics) -> str:
    low, high = metrics.success_interval
    spl = "" if metrics.spl is None else f"SPL {metrics.spl:.3f}, "
    return (
        f"{metrics.num_success} of {metrics.num_tasks} tasks solved: {metrics.success_rate:.0%} "
        f"(95 % interval {low:.0%} to {high:.0%})\n"
        f"{spl}mean reward {metrics.mean_reward:.3f}, mean steps {metrics.mean_steps:.1f}"
    )
