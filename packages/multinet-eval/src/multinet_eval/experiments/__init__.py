"""Experiments: conditions that vary a common base one setting at a time, from a TOML file to a table of results."""
