"""Watching runs in progress, and checking models beforehand."""
