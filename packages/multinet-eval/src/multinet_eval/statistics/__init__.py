"""Confidence intervals, tests and models that know nothing of runs."""

ESTIMATORS_VERSION = 2
"""Version of the estimates and intervals in all outputs; increase it if the same run would give other numbers.

Version 1, which outputs did not state, clustered success rates by task in the results of a run, and by base maze in
comparisons. Version 2 takes the mean over base mazes everywhere.
"""
