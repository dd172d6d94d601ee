"""Legends and rules for models, which depend on a suite's vocabulary and not on single tasks."""
