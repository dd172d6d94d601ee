"""Exact answers about tasks: shortest plans, and tables of all states."""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.solver.difficulty import Difficulty, measure_difficulty
    from gridworld.solver.exact_answers import Play, distance_from, noisy_success, optimal_actions, random_play
    from gridworld.solver.expansion import DEAD, WON
    from gridworld.solver.exploration import SearchLimits
    from gridworld.solver.optimal_model import OptimalModel
    from gridworld.solver.plans import DEFAULT_MAX_STATES, Solution, Verdict
    from gridworld.solver.search import replay, solve
    from gridworld.solver.state_table import LOST, NotTabulatedError, StateTable, tabulate
    from gridworld.solver.task_report import Finding, TaskReport, check_task

__all__ = [
    "DEAD",
    "DEFAULT_MAX_STATES",
    "LOST",
    "WON",
    "Difficulty",
    "Finding",
    "NotTabulatedError",
    "OptimalModel",
    "Play",
    "SearchLimits",
    "Solution",
    "StateTable",
    "TaskReport",
    "Verdict",
    "check_task",
    "distance_from",
    "measure_difficulty",
    "noisy_success",
    "optimal_actions",
    "random_play",
    "replay",
    "solve",
    "tabulate",
]

MODULES = {
    "DEAD": "expansion",
    "LOST": "state_table",
    "SearchLimits": "exploration",
    "WON": "expansion",
    "DEFAULT_MAX_STATES": "plans",
    "Difficulty": "difficulty",
    "Finding": "task_report",
    "NotTabulatedError": "state_table",
    "Play": "exact_answers",
    "Solution": "plans",
    "StateTable": "state_table",
    "TaskReport": "task_report",
    "Verdict": "plans",
    "check_task": "task_report",
    "distance_from": "exact_answers",
    "measure_difficulty": "difficulty",
    "noisy_success": "exact_answers",
    "optimal_actions": "exact_answers",
    "random_play": "exact_answers",
    "replay": "search",
    "solve": "search",
    "tabulate": "state_table",
    "OptimalModel": "optimal_model",
}

__getattr__ = names_from(__name__, MODULES)
