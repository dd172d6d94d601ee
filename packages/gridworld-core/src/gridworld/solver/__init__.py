"""Searches the kernel for shortest plans."""

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
