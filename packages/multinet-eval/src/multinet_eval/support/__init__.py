"""General utilities for text formats, files and processes."""
