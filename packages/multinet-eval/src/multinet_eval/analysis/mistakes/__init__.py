"""Mistakes: why episodes failed, in terms of what was needed and what was done."""
