"""``multinet tasks``: read, check, draw, generate and import tasks."""
