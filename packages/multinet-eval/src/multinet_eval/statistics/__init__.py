"""Intervals, tests and models that know nothing of runs."""

ESTIMATORS_VERSION = 2
"""Version of the estimates and intervals in all outputs: it goes up where the same run comes to other numbers.

Version 1, which outputs did not say, clustered success rates by task in the results of a run, and by base maze in
comparisons. Version 2 takes the mean over base mazes everywhere.
"""
