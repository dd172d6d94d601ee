"""Exact answers about tasks: shortest plans, and tables of all states."""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.solver.answers import Play, distance_from, noisy_success, optimal_actions, random_play
    from gridworld.solver.checks import Finding, TaskReport, check_task
    from gridworld.solver.difficulty import Difficulty, measure_difficulty
    from gridworld.solver.expansion import DEAD, WON
    from gridworld.solver.exploration import Limits
    from gridworld.solver.optimal_model import OptimalModel
    from gridworld.solver.plans import DEFAULT_MAX_STATES, Solution, Verdict
    from gridworld.solver.search import replay, solve
    from gridworld.solver.state_table import LOST, NotTabulatedError, StateTable, tabulate

__all__ = [
    "DEAD",
    "DEFAULT_MAX_STATES",
    "LOST",
    "WON",
    "Difficulty",
    "Finding",
    "Limits",
    "NotTabulatedError",
    "OptimalModel",
    "Play",
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
    "Limits": "exploration",
    "WON": "expansion",
    "DEFAULT_MAX_STATES": "plans",
    "Difficulty": "difficulty",
    "Finding": "checks",
    "NotTabulatedError": "state_table",
    "Play": "answers",
    "Solution": "plans",
    "StateTable": "state_table",
    "TaskReport": "checks",
    "Verdict": "plans",
    "check_task": "checks",
    "distance_from": "answers",
    "measure_difficulty": "difficulty",
    "noisy_success": "answers",
    "optimal_actions": "answers",
    "random_play": "answers",
    "replay": "search",
    "solve": "search",
    "tabulate": "state_table",
    "OptimalModel": "optimal_model",
}

__getattr__ = names_from(__name__, MODULES)
