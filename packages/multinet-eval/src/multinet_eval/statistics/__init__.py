"""Intervals, tests and models that know nothing of runs."""
