"""Tables of a run's results, and the notes below them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gridworld.support.wording import counted, shorten
from multinet_eval.cli.echo import Styled, echo
from multinet_eval.cli.table import Cell, Column, numeric, print_prose, print_table
from multinet_eval.record.results import RunResults
from multinet_eval.record.suite_metrics import SuiteMetrics, TilingComparison
from multinet_eval.record.task_result import TaskResult, add_counts, describe_useless_answers
from multinet_eval.statistics.clusters import average
from multinet_eval.statistics.paired_differences import Estimate
from multinet_eval.support.parallel import Work

if TYPE_CHECKING:
    from multinet_eval.analysis.mistakes.mistake_table import MistakeRow, MistakeTable


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


def _notes(metrics: SuiteMetrics) -> Iterator[str]:
    if metrics.num_unsolvable or 0 < metrics.num_rated < metrics.num_scored:
        rated, unsolvable = metrics.num_rated, metrics.num_unsolvable
        unknown = metrics.num_scored - rated - unsolvable
        left_out = [f"{unsolvable} {_is(unsolvable)} unsolvable"] * bool(unsolvable)
        left_out += [f"the optimum of {unknown} is unknown"] * bool(unknown)
        yield f"SPL is the mean of {rated} of {counted(metrics.num_scored, 'episode')}: {', '.join(left_out)}"
    over = metrics.num_over_budget
    if over:
        told = f"{counted(over, 'episode')} {_is(over)} over budget"
        yield f"{told}: the shortest plan is longer, so SPL counts 0 for {'it' if over == 1 else 'them'}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


MOST_TASKS = 40
"""Maximum number of tasks listed after a run."""
MOST_MISTAKES = 3
"""Maximum number of rows of mistakes listed after a run."""
IF_MISSING = "If missing were lost / won"
"""Heading of the bounds of a rate."""
TILING_COLUMNS = (
    Column("Tiling"),
    numeric("Solved"),
    numeric("Rate"),
    numeric("95 % interval", 1),
    numeric("SPL", 2),
    numeric("95 % of SPL", 6),
    numeric("Reward", 4),
    numeric("Steps", 3),
)


def read_mistakes(folder: Path | None, results: RunResults, work: Work) -> MistakeTable:
    """Return the mistakes of a recorded run, and print why if they are unknown.

    Args:
        folder: folder of the run; None if nothing is recorded.
        results: its results.
        work: how episodes are read.
    """
    from multinet_eval.analysis.mistakes.mistake_table import MistakeTable
    from multinet_eval.analysis.mistakes.run_mistakes import mistakes_if_known
    from multinet_eval.record.run_directory import RunDirectory

    found, problem = ({}, None) if folder is None else mistakes_if_known(RunDirectory(folder), work)
    if problem is not None:
        echo(f"note: {problem}", err=True)
    return MistakeTable.of_run(results, found)


def print_results_tables(results: RunResults, folder: Path | None, mistakes: MistakeTable) -> None:
    """Print the results of a run by task, or by tiling if tilings are compared.

    If the run stopped when decided, only the difference is estimated.

    Args:
        results: the results.
        folder: folder of the recorded run; None if nothing is recorded.
        mistakes: the mistakes of its episodes.
    """
    state = results.sequential
    if state is not None and state.stopped:
        for metrics in results.metrics:
            if _played(metrics):
                _print_tasks(metrics, folder)
                _print_rest(metrics)
    elif results.comparison is None:
        _print_metrics(results.metrics[0], folder, mistakes)
    else:
        _print_comparison(results.comparison, results.together, folder, mistakes)
    if state is not None:
        print_prose(state.told)


def _print_metrics(metrics: SuiteMetrics, folder: Path | None, mistakes: MistakeTable) -> None:
    """Print a row for each task, then the rate, the mistakes and the parts; nothing if no task was played."""
    if not _played(metrics):
        return
    _print_tasks(metrics, folder)
    _print_rate(metrics)
    _print_repeated(metrics)
    _print_mistakes(mistakes, folder)
    _print_parts(metrics)
    print_notes([("", metrics)])
    _print_rest(metrics)


def _print_rest(metrics: SuiteMetrics) -> None:
    """Print the kinds of answers, and what is missing."""
    _print_answers(metrics.outcomes, metrics.lost_steps, metrics.task_results)
    _print_unscored("", metrics)
    _print_incomplete(metrics.complete)


def _print_mistakes(mistakes: MistakeTable, folder: Path | None) -> None:
    """Print the sentence about the mistakes of a run, how its episodes ended, and the first rows; nothing without."""
    if mistakes.sentence:
        print_prose(Styled(mistakes.sentence, bold=True))
        print_prose(f"ended: {', '.join(f'{number:,} {ending}' for ending, number in mistakes.endings.items())}")
        echo()
    columns = [
        Column("Needed to", prose=True),
        Column("Towards", 3, prose=True),
        Column("Did", prose=True),
        numeric("Decisive in episodes", 1),
        numeric("Made in episodes", 4),
        numeric("Wasted steps", 2),
        numeric("Mean share of waste", 1),
        numeric("95 % interval", 5),
    ]
    if mistakes.rows:
        print_table(columns, [_mistake_cells(row) for row in mistakes.rows[:MOST_MISTAKES]], "Mistakes")
    more = len(mistakes.rows) - MOST_MISTAKES
    if more > 0:
        how = "--json" if folder is None else f"multinet runs show {folder} --json"
        print_prose(f"and {counted(more, 'more row')}; list all with: {how}")
        echo()


def _mistake_cells(row: MistakeRow) -> list[Cell]:
    return [
        row.needed or "-",
        row.towards,
        row.did,
        str(row.decisive),
        str(row.episodes),
        f"{row.wasted_steps:,}",
        f"{row.share:.0%}",
        percents(row.interval),
    ]


def _print_parts(metrics: SuiteMetrics) -> None:
    """Print the rate of each tier, if there are several, and of each mechanism, if there are any, the worst first."""
    tiers = {f"tier {tier}": part for tier, part in metrics.tiers().items()}
    mechanisms = sorted(metrics.mechanisms().items(), key=lambda each: each[1].success_rate)
    parts = [*(tiers.items() if len(tiers) > 1 else ()), *mechanisms]
    rows = [[name, *_rate_cells(part)] for name, part in parts if part.num_scored]
    if rows:
        columns = [
            Column("Tier or mechanism", prose=True),
            numeric("Solved"),
            numeric("Rate"),
            numeric("95 % interval", 1),
        ]
        print_table(columns, rows)


def _rate_cells(metrics: SuiteMetrics) -> list[Cell]:
    solved, rate = f"{metrics.num_success} of {metrics.num_scored}", f"{metrics.success_rate:z.0%}"
    return [solved, rate, percents(metrics.success_interval)]


def _print_tasks(metrics: SuiteMetrics, folder: Path | None) -> None:
    """Print a row for each task, those with the most failures first, with the epochs of a task in one row."""
    plays = _by_task(metrics.task_results)
    epochs = any(len(results) > 1 for results in plays)
    mean = "Mean " if epochs else ""
    columns = [
        Column("Task"),
        Column("Tier", 4),
        Column("Solved" if epochs else "Result"),
        numeric(f"{mean}{'steps' if epochs else 'Steps'}", 1),
        numeric("Budget", 5),
        numeric("Best", 3),
        numeric(f"{mean}{'ratio' if epochs else 'Ratio'}", 6),
        numeric(f"{mean}{'reward' if epochs else 'Reward'}", 2),
    ]
    tiling = f" ({metrics.tiling})" if metrics.tiling is not None else ""
    title = f"{metrics.benchmark_name}: {metrics.model_name} on {metrics.backend}{tiling}"
    print_table(columns, [_task_row(results, epochs) for results in plays[:MOST_TASKS]], title)
    _print_more_tasks(len(plays), folder)


def _by_task(results: Iterable[TaskResult]) -> list[list[TaskResult]]:
    """Group results by task, tasks with an error first, then by ascending share of success."""
    tasks: dict[str, list[TaskResult]] = {}
    for result in results:
        tasks.setdefault(result.task_id, []).append(result)
    return sorted(tasks.values(), key=lambda each: (all(one.scored for one in each), _share_solved(each)))


def _share_solved(results: Sequence[TaskResult]) -> float:
    return sum(result.scored and result.success for result in results) / len(results)


def _print_more_tasks(tasks: int, folder: Path | None) -> None:
    more = tasks - MOST_TASKS
    if more > 0:
        how = "--json" if folder is None else f"multinet runs show {folder} --episodes"
        print_prose(f"and {counted(more, 'more task')}; list all with: {how}")
        echo()


def _print_comparison(
    comparison: TilingComparison,
    together: SuiteMetrics,
    folder: Path | None,
    mistakes: MistakeTable,
) -> None:
    """Print tasks and tilings, then what holds for all tilings together; nothing if no task was played."""
    played = [run for run in comparison.runs if _played(run)]
    if not played:
        return
    _print_tasks_by_tiling(played, folder)
    _print_tilings(played)
    print_notes([(run.tiling or "-", run) for run in played if run.num_scored])
    _print_rate(together)
    _print_repeated(together)
    _print_mistakes(mistakes, folder)
    _print_parts(together)
    _print_answers(together.outcomes, together.lost_steps, together.task_results)
    for run in played:
        _print_unscored(f"{run.tiling}: ", run)
    _print_incomplete(comparison.complete)


def _print_tilings(played: Sequence[SuiteMetrics]) -> None:
    """Print a row for each tiling, with the bounds of its rate if episodes are missing on any."""
    columns, rows = list(TILING_COLUMNS), [_tiling_row(run) for run in played]
    bounds = [run.success_bounds for run in played]
    if any(bounds):
        columns.append(numeric(IF_MISSING, 1))
        rows = [[*row, "-" if found is None else percents(found)] for row, found in zip(rows, bounds, strict=True)]
    print_table(columns, rows)


def _print_tasks_by_tiling(runs: Sequence[SuiteMetrics], folder: Path | None) -> None:
    """Print a row for each task with the episodes solved on each tiling, those with the most failures first."""
    plays = _by_task(result for run in runs for result in run.task_results)
    tilings = [run.tiling or "-" for run in runs]
    columns = [Column("Task"), Column("Tier", 1), *(numeric(name, 2) for name in tilings), numeric("Solved")]
    rows = [
        [
            results[0].task_id,
            str(results[0].difficulty_tier),
            *(_solved([each for each in results if each.tiling == name]) for name in tilings),
            _solved(results),
        ]
        for results in plays[:MOST_TASKS]
    ]
    first = runs[0]
    print_table(columns, rows, f"{first.benchmark_name}: {first.model_name} on {first.backend}")
    _print_more_tasks(len(plays), folder)


def _solved(results: Sequence[TaskResult]) -> str:
    scored = [result for result in results if result.scored]
    return f"{sum(result.success for result in scored)} of {len(scored)}" if results else "-"


def _played(metrics: SuiteMetrics) -> bool:
    return metrics.num_episodes > 0


def _print_incomplete(complete: bool) -> None:
    if not complete:
        echo(Styled("not all episodes were played", "yellow"))


def _tiling_row(run: SuiteMetrics) -> list[Cell]:
    solved = f"{run.num_success} of {run.num_scored}"
    if not run.num_scored:
        return [run.tiling or "-", solved, *["-"] * (len(TILING_COLUMNS) - 2)]
    return [
        run.tiling or "-",
        solved,
        Styled(f"{run.success_rate:z.0%}", bold=True),
        percents(run.success_interval),
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


def _task_row(results: Sequence[TaskResult], epochs: bool) -> list[Cell]:
    first = results[0]
    if first.unsolvable:
        best = "unsolvable"
    else:
        best = f"{first.optimal_steps} (over budget)" if first.over_budget else _or_dash(first.optimal_steps, "d")
    ratios = [result.optimality_ratio for result in results if result.optimality_ratio is not None]
    return [
        first.task_id,
        str(first.difficulty_tier),
        _epochs_outcome(results) if epochs else outcome_of(first),
        f"{average(result.steps_taken for result in results):.{int(epochs)}f}",
        str(first.max_steps),
        best,
        f"{average(ratios):.2f}" if ratios else "-",
        f"{average(result.total_reward for result in results):z.3f}",
    ]


def _epochs_outcome(results: Sequence[TaskResult]) -> Cell:
    """Say how often a task was solved, and how it was not."""
    failed = [outcome for outcome in map(outcome_of, results) if outcome.text != SOLVED]
    kinds = dict.fromkeys(outcome.text for outcome in failed)
    return Styled(", ".join([_solved(results), *kinds]), failed[0].color if failed else "green")


SOLVED = "success"


def outcome_of(result: TaskResult) -> Styled:
    """Describe the end of an episode in the words of the report page; a truncated answer is something else."""
    if not result.scored:
        return Styled("error", "red")
    if result.success:
        return Styled(SOLVED, "green")
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


def _print_rate(metrics: SuiteMetrics) -> None:
    """Print the success rate with its interval and bounds, SPL, and the means."""
    if not metrics.num_scored:
        print_prose("no episode was scored")
        return
    spl, budget = metrics.spl_estimate, metrics.budget_share
    rate = Styled(f"{metrics.success_rate:z.0%} (95 % interval {percents(metrics.success_interval)})", bold=True)
    tasks = len({result.task_id for result in metrics.task_results if result.scored})
    if metrics.num_mazes == tasks == metrics.num_scored:
        print_prose(f"{metrics.num_success} of {counted(tasks, 'task')} solved: ", rate)
    else:
        counts = (counted(metrics.num_mazes, "maze"), counted(tasks, "task"), counted(metrics.num_scored, "episode"))
        print_prose("success rate ", rate, f": {', '.join(counts)}, {metrics.num_success} of them solved")
    _print_bounds(metrics)
    parts = [] if spl.score is None else [f"SPL {spl.score:z.3f} ({spl.interval[0]:z.3f} to {spl.interval[1]:z.3f})"]
    parts.append(f"mean reward {metrics.mean_reward:z.3f}")
    used = "" if budget.score is None else f", {budget.score:z.0%} of the budget ({percents(budget.interval)})"
    # Protocols other than step ask less than once a step, and unusable answers are asked for again.
    answers = "" if metrics.mean_answered == metrics.mean_steps else f", mean answers {metrics.mean_answered:.1f}"
    spent = metrics.cost_per_success
    cost = "" if spent is None else f", cost {spent:.4g} for each solved episode"
    print_prose(f"{', '.join(parts)}, mean steps {metrics.mean_steps:.1f}{used}{answers}{cost}")
    echo()


def _print_repeated(metrics: SuiteMetrics) -> None:
    """Print the parts of the variance, and what holds for k plays of a task; nothing if none was played twice."""
    rates, variance = metrics.pass_rates, metrics.success_variance
    if not rates:
        return
    between, within = (_or_dash(each, "z.3f") for each in (variance.between_mazes, variance.between_plays))
    print_prose(f"variance of success: {between} between mazes, {within} between plays of a task")
    echo()
    columns = [
        numeric("k"),
        numeric("Any solved: pass@k (95 %)"),
        numeric("All solved: pass^k (95 %)"),
        numeric("Mazes", 1),
    ]
    rows: list[list[Cell]] = [
        [str(each.k), _with_interval(each.any_solved), _with_interval(each.all_solved), str(each.mazes)]
        for each in rates
    ]
    print_table(columns, rows, "k plays of a task")


def _with_interval(rate: Estimate) -> str:
    return f"{rate.score:z.0%} ({percents(rate.interval)})"


def _print_bounds(metrics: SuiteMetrics) -> None:
    """Print the success rate for the worst and the best results of missing episodes, if any are missing."""
    success = metrics.success
    if success.missing:
        low, high = success.bounds
        missing = f"{success.missing} of {counted(success.episodes, 'episode')} {_is(success.missing)} missing"
        print_prose(
            f"{missing}: the success rate would be ",
            Styled(f"{low:z.0%}", bold=True),
            " if all of them were lost, ",
            Styled(f"{high:z.0%}", bold=True),
            " if won",
        )


def percents(interval: tuple[float, float]) -> str:
    """Format a range of rates, such as ``7% to 19%``."""
    return f"{interval[0]:z.0%} to {interval[1]:z.0%}"


def _print_answers(outcomes: Mapping[str, int], lost_steps: int, results: Sequence[TaskResult]) -> None:
    """Print answers by kind, lost steps, requests without parts of the prompt, and the main complaint.

    Parts missing from every request have been reported during the run.
    """
    counts = ", ".join(f"{count:,} {_kind(kind)}" for kind, count in outcomes.items() if count)
    parts = [f"answers: {counts or 'none'}"]
    parts += [f"{counted(lost_steps, 'step')} lost"] if lost_steps else []
    left_out = add_counts(result.left_out for result in results)
    parts += [
        f"{counted(n, 'request')} made without {part}" for part, n in left_out.items() if n < sum(outcomes.values())
    ]
    print_prose("; ".join(parts))
    useless = describe_useless_answers(outcomes)
    if useless is not None:
        print_prose(Styled(useless, "red"))
    complaints = Counter(result.complaint for result in results if result.complaint)
    for complaint, _ in sorted(complaints.items(), key=lambda each: (-each[1], each[0]))[:1]:
        print_prose(f"most frequent problem: {shorten(complaint)}")


def _print_unscored(place: str, metrics: SuiteMetrics) -> None:
    if metrics.num_unscored:
        verb = "is" if metrics.num_unscored == 1 else "are"
        episodes = counted(metrics.num_episodes, "episode")
        text = f"{place}{metrics.num_unscored} of {episodes} ended by an error, not by the model, and {verb} not scored"
        print_prose(Styled(text, "red"))
