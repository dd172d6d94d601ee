"""Experiments: a TOML file of conditions that vary a common base, played and compared in one table."""
