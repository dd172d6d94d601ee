"""A suite of three tasks."""
