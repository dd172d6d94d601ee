"""Confidence intervals, tests and models that know nothing of runs."""

ESTIMATORS_VERSION = 3
"""Version of the estimates and intervals in all outputs; increase it if the same run would give other numbers."""
