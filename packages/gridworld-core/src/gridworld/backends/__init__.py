"""Shared parts of backends; the backends themselves are plugins."""
