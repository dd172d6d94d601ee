"""Experiments: conditions that are varied one at a time over a common base, from a TOML file to a table of results."""
