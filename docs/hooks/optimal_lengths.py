"""The table of optimal lengths.

``python docs/hooks/optimal_lengths.py`` makes it anew, in a minute; a test checks that it is complete and true.
"""

from kept import DOCS

from gridworld.plugins import get_registry
from gridworld.plugins.tilings import compile_on
from gridworld.solver import solve
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification

PAGE = DOCS / "reference" / "optimal-lengths.md"
SUITES = ("tiers", "validation_10")


def length_table() -> str:
    """A row for each bundled task, with a column for each tiling."""
    tilings = get_registry().tilings.names()
    lines = [["Task", "Budget", *tilings], ["---", *["---:"] * (len(tilings) + 1)]]
    for suite in SUITES:
        for task in load_benchmark(get_registry().benchmarks.get(suite)):
            lengths = [_length(task, tiling) for tiling in tilings]
            lines.append([f"{suite}/{task.task_id}", str(task.max_steps), *lengths])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _length(task: TaskSpecification, tiling: str) -> str:
    solution = solve(compile_on(tiling, task))
    return solution.verdict.value if solution.length is None else str(solution.length)


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index("| Task |")] + length_table(), encoding="utf-8")
