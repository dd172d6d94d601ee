"""Checks recorded runs by playing their answers again."""
