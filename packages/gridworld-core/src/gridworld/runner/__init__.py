"""Runs policies through backends."""
