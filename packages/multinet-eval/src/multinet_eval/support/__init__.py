"""Helpers that know nothing of runs: text formats, files, processes."""
