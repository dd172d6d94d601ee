"""Watching runs as they are played."""
