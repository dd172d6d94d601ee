"""``multinet runs``: read, resume, verify and export recorded runs."""
