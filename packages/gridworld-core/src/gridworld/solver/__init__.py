"""Searches the kernel for shortest plans."""

from gridworld.solver.search import DEFAULT_MAX_STATES, Solution, Verdict, solve

__all__ = ["DEFAULT_MAX_STATES", "Solution", "Verdict", "solve"]
