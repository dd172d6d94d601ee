"""``multinet runs``: read, resume, verify and remove recorded runs."""
