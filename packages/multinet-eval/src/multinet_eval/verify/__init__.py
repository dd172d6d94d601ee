"""Checks recorded runs by replaying their answers."""
