"""Watching runs while they are played, and checking models before."""
