"""Tables of a run's results, and the notes below them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gridworld.model_interface import AnswerOutcome
from gridworld.support.wording import counted, shorten, visible_line
from multinet_eval.cli.echo import Styled, echo
from multinet_eval.cli.table import Cell, Column, numeric, print_prose, print_table
from multinet_eval.record.results import RunResults
from multinet_eval.record.suite_metrics import SuiteMetrics, TilingComparison
from multinet_eval.record.task_result import TaskResult, add_counts, count_outcomes, describe_useless_answers
from multinet_eval.statistics.paired_differences import Estimate


def print_notes(named: Iterable[tuple[str, SuiteMetrics]]) -> None:
    """Print each note once, with the names of the rows it applies to.

    Args:
        named: name and metrics of each row; an empty name for a single row.
    """
    names: dict[str, list[str]] = {}
    rated = []
    for name, metrics in named:
        rated.append({result.task_id for result in metrics.task_results if result.spl is not None})
        for note in _notes(metrics):
            names.setdefault(note, []).append(name)
    for note, of in names.items():
        print_prose(f"{', '.join(of)}: {note}" if any(of) else note)
    if any(tasks != rated[0] for tasks in rated):
        print_prose("these SPLs are means over different tasks and cannot be compared")


def short_interval_note(estimate: Estimate) -> str | None:
    """Return a note on a rate whose interval may be too short; None if the interval is sound."""
    if not estimate.may_be_short:
        return None
    return (
        f"the mazes differ widely (design effect {estimate.design_effect:.1f}) and are few: the interval "
        "of the success rate may be too short"
    )


def print_short_intervals(names: Sequence[str]) -> None:
    """Name the rates whose intervals may be too short."""
    if names:
        print_prose(f"the mazes differ widely and are few, so intervals may be too short: {', '.join(names)}")


def _notes(metrics: SuiteMetrics) -> Iterator[str]:
    short = short_interval_note(metrics.success)
    if short is not None:
        yield short
    if metrics.num_unsolvable or 0 < metrics.num_rated < metrics.num_scored:
        rated, unsolvable = metrics.num_rated, metrics.num_unsolvable
        unknown = metrics.num_scored - rated - unsolvable
        left_out = [f"{unsolvable} {_is(unsolvable)} unsolvable"] * bool(unsolvable)
        left_out += [f"the optimum of {unknown} is unknown"] * bool(unknown)
        yield f"SPL is the mean of {rated} of {counted(metrics.num_scored, 'task')}: {', '.join(left_out)}"
    over = metrics.num_over_budget
    if over:
        it = "it" if over == 1 else "them"
        yield f"{counted(over, 'task')} {_is(over)} over budget: the shortest plan is longer, so SPL counts 0 for {it}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


TASK_COLUMNS = (
    Column("Task"),
    Column("Tier", 4),
    Column("Result"),
    numeric("Steps", 1),
    numeric("Budget", 5),
    numeric("Best", 3),
    numeric("Ratio", 6),
    numeric("Reward", 2),
)
EPOCH = numeric("Epoch", 7)
"""Column besides the task if tasks were played several times."""
TILING_COLUMNS = (
    Column("Tiling"),
    numeric("Solved"),
    numeric("Rate", 5),
    numeric("95 % interval", 1),
    numeric("SPL", 2),
    numeric("95 % of SPL", 6),
    numeric("Reward", 4),
    numeric("Steps", 3),
)


def print_results_tables(results: RunResults) -> None:
    """Print the results of a run by task, or by tiling if tilings are compared.

    If the run stopped when decided, only the difference is estimated.
    """
    state = results.sequential
    if state is not None and state.stopped:
        for metrics in results.metrics:
            print_metrics(metrics, estimated=False)
    elif results.comparison is None:
        print_metrics(results.metrics[0])
    else:
        print_comparison(results.comparison)
    if state is not None:
        print_prose(state.told)


def print_metrics(metrics: SuiteMetrics, estimated: bool = True) -> None:
    """Print a row for each task, then the summary; nothing if no task was played.

    Args:
        metrics: the results.
        estimated: whether to print estimates of the model's rates.
    """
    if not _played(metrics):
        return
    tiling = f" ({metrics.tiling})" if metrics.tiling is not None else ""
    title = f"{metrics.benchmark_name}: {metrics.model_name} on {metrics.backend}{tiling}"
    _print_tasks(metrics.task_results, title)
    if estimated:
        for line in _summary(metrics).splitlines():
            print_prose(line)
        print_notes([("", metrics)])
    _print_answers(metrics.outcomes, metrics.lost_steps, metrics.task_results)
    _print_unscored("", metrics)
    _print_incomplete(metrics.complete)


def _print_tasks(results: Sequence[TaskResult], title: str) -> None:
    rows, (task, *others) = [_task_row(result) for result in results], TASK_COLUMNS
    if any(result.epoch for result in results):
        with_epochs = [[row[0], str(result.epoch), *row[1:]] for row, result in zip(rows, results, strict=True)]
        print_table((task, EPOCH, *others), with_epochs, title)
    else:
        print_table(TASK_COLUMNS, rows, title)


def print_comparison(comparison: TilingComparison) -> None:
    """Print a row for each tiling with a played task; nothing if no task was played."""
    played = [run for run in comparison.runs if _played(run)]
    if not played:
        return
    first = comparison.runs[0]
    title = f"{first.benchmark_name}: {first.model_name} on {first.backend}"
    print_table(TILING_COLUMNS, [_tiling_row(run) for run in played], title)
    print_notes([(run.tiling or "-", run) for run in played if run.num_scored])
    results = [result for run in comparison.runs for result in run.task_results]
    _print_answers(count_outcomes(run.outcomes for run in comparison.runs), comparison.lost_steps, results)
    for run in comparison.runs:
        _print_unscored(f"{run.tiling}: ", run)
    _print_incomplete(comparison.complete)


def _played(metrics: SuiteMetrics) -> bool:
    return metrics.num_tasks > 0


def _print_incomplete(complete: bool) -> None:
    if not complete:
        echo(Styled("not all tasks were played", "yellow"))


def _tiling_row(run: SuiteMetrics) -> list[Cell]:
    solved = f"{run.num_success} of {run.num_scored}"
    if not run.num_scored:
        return [run.tiling or "-", solved, *["-"] * (len(TILING_COLUMNS) - 2)]
    return [
        run.tiling or "-",
        solved,
        f"{run.success_rate:z.0%}",
        _percents(run.success_interval),
        *spl_cells(run),
        f"{run.mean_reward:z.3f}",
        f"{run.mean_steps:.1f}",
    ]


def spl_cells(metrics: SuiteMetrics) -> list[str]:
    """Format the cells of SPL and its interval."""
    found = metrics.spl_estimate
    if found.score is None:
        return ["-", "-"]
    return [f"{found.score:z.3f}", f"{found.interval[0]:z.2f} to {found.interval[1]:z.2f}"]


def _task_row(result: TaskResult) -> list[Cell]:
    if result.unsolvable:
        best = "unsolvable"
    else:
        best = f"{result.optimal_steps} (over budget)" if result.over_budget else _or_dash(result.optimal_steps, "d")
    return [
        result.task_id,
        str(result.difficulty_tier),
        _outcome(result),
        str(result.steps_taken),
        str(result.max_steps),
        best,
        _or_dash(result.optimality_ratio, "z.2f"),
        f"{result.total_reward:z.3f}",
    ]


def _outcome(result: TaskResult) -> Cell:
    """Describe the end of an episode in the words of the report page; a truncated answer is something else."""
    if not result.scored:
        return Styled("error", "red")
    if result.success:
        return Styled("success", "green")
    if result.fault is not None:
        return Styled(_kind(result.fault), "red")
    if result.terminated:
        return Styled("died", "red")
    return Styled("out of steps" if result.truncated else "stopped", "yellow")


def _kind(outcome: str) -> str:
    """Describe a kind of answer in words."""
    return outcome.replace("_", " ")


def _or_dash(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _summary(metrics: SuiteMetrics) -> str:
    if not metrics.num_scored:
        return "no task was scored"
    success, spl, budget = metrics.success, metrics.spl_estimate, metrics.budget_share
    rate = f"{metrics.success_rate:z.0%} (95 % interval {_percents(success.interval)})"
    tasks = len({result.task_id for result in metrics.task_results if result.scored})
    if metrics.num_mazes == tasks == metrics.num_scored:
        headline = f"{metrics.num_success} of {counted(tasks, 'task')} solved: {rate}"
    else:
        counts = (counted(metrics.num_mazes, "maze"), counted(tasks, "task"), counted(metrics.num_scored, "episode"))
        headline = f"success rate {rate}: {', '.join(counts)}, {metrics.num_success} of them solved"
    parts = [] if spl.score is None else [f"SPL {spl.score:z.3f} ({spl.interval[0]:z.3f} to {spl.interval[1]:z.3f})"]
    parts.append(f"mean reward {metrics.mean_reward:z.3f}")
    used = "" if budget.score is None else f", {budget.score:z.0%} of the budget ({_percents(budget.interval)})"
    # Protocols other than step ask less than once a step.
    requests = "" if metrics.mean_requests == metrics.mean_steps else f", mean requests {metrics.mean_requests:.1f}"
    return f"{headline}\n{', '.join(parts)}, mean steps {metrics.mean_steps:.1f}{used}{requests}"


def _percents(interval: tuple[float, float]) -> str:
    return f"{interval[0]:z.0%} to {interval[1]:z.0%}"


def _print_answers(outcomes: Mapping[str, int], lost_steps: int, results: Sequence[TaskResult]) -> None:
    """Print answers by kind, lost steps, requests without parts of the prompt, and the main complaint.

    Parts missing from every request have been reported during the run.
    """
    answers = {kind: outcomes[kind] for kind in AnswerOutcome if kind is not AnswerOutcome.INFRASTRUCTURE}
    counts = ", ".join(f"{count} {_kind(kind)}" for kind, count in answers.items() if count)
    parts = [f"answers: {counts or 'none'}"]
    parts += [f"{counted(lost_steps, 'step')} lost"] if lost_steps else []
    left_out = add_counts(result.left_out for result in results)
    parts += [
        f"{counted(n, 'request')} made without {part}" for part, n in left_out.items() if n < sum(outcomes.values())
    ]
    echo("; ".join(parts))
    useless = describe_useless_answers(outcomes)
    if useless is not None:
        echo(Styled(useless, "red"))
    complaints = Counter(result.complaint for result in results if result.complaint)
    for complaint, _ in sorted(complaints.items(), key=lambda each: (-each[1], each[0]))[:1]:
        echo(f"most frequent problem: {visible_line(shorten(complaint))}")


def _print_unscored(place: str, metrics: SuiteMetrics) -> None:
    if metrics.num_unscored:
        verb = "is" if metrics.num_unscored == 1 else "are"
        episodes = counted(metrics.num_tasks, "episode")
        text = f"{place}{metrics.num_unscored} of {episodes} ended by an error, not by the model, and {verb} not scored"
        echo(Styled(text, "red"))
