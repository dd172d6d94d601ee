"""Demonstrations, datasets and pictures."""
