"""Searches the kernel for shortest plans."""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.solver.checks import Finding, TaskReport, check_task
    from gridworld.solver.difficulty import Difficulty, measure_difficulty
    from gridworld.solver.search import DEFAULT_MAX_STATES, Solution, Verdict, solve

__all__ = [
    "DEFAULT_MAX_STATES",
    "Difficulty",
    "Finding",
    "Solution",
    "TaskReport",
    "Verdict",
    "check_task",
    "measure_difficulty",
    "solve",
]

MODULES = {
    "DEFAULT_MAX_STATES": "search",
    "Difficulty": "difficulty",
    "Finding": "checks",
    "Solution": "search",
    "TaskReport": "checks",
    "Verdict": "search",
    "check_task": "checks",
    "measure_difficulty": "difficulty",
    "solve": "search",
}

__getattr__ = names_from(__name__, MODULES)
