"""Base classes and shared parts of backends; the backends themselves are plugins."""
