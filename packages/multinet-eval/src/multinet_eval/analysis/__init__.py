"""Analyses of recorded runs."""
