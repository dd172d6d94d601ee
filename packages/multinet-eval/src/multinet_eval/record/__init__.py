"""What is recorded of a run: its manifest, its events and its results."""
