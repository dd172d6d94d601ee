"""Families of tasks."""
