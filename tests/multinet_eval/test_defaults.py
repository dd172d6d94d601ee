"""Defaults that are written down twice agree."""

from gridworld.solver import DEFAULT_MAX_STATES
from multinet_eval.defaults import MAX_STATES


def test_searches_of_the_command_line_give_up_where_those_of_the_solver_do() -> None:
    assert MAX_STATES == DEFAULT_MAX_STATES
