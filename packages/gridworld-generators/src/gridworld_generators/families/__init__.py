"""Families of tasks, a module each."""
