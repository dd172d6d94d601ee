"""Verification of recorded runs by replaying their answers."""
