"""What has to be known of an SPL where it is shown: which tasks it is the mean of, and which nobody can win."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gridworld.support.wording import counted
from multinet_eval.cli.table import print_prose
from multinet_eval.record.suite_metrics import SuiteMetrics

__all__ = ["print_spl_notes"]


def print_spl_notes(named: Iterable[tuple[str, SuiteMetrics]]) -> None:
    """Print a line for each thing that has to be known, with the names of those of which it is true.

    Args:
        named: what a row is called, and its metrics; an empty name where there is only one.
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
        print_prose("these SPLs are means over different tasks, so they are not comparable")


def _notes(metrics: SuiteMetrics) -> Iterator[str]:
    if metrics.num_unsolvable or 0 < metrics.num_rated < metrics.num_scored:
        rated, unsolvable = metrics.num_rated, metrics.num_unsolvable
        unknown = metrics.num_scored - rated - unsolvable
        left_out = [f"{unsolvable} {_is(unsolvable)} unsolvable"] * bool(unsolvable)
        left_out += [f"the optimum of {unknown} is not known"] * bool(unknown)
        yield f"SPL is the mean of {rated} of {counted(metrics.num_scored, 'task')}: {', '.join(left_out)}"
    over = metrics.num_over_budget
    if over:
        yield f"{counted(over, 'task')} {_is(over)} over budget: no plan is short enough, so SPL has 0 for {_it(over)}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _it(number: int) -> str:
    return "it" if number == 1 else "them"
