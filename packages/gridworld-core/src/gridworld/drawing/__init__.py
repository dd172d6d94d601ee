"""Renderer-independent appearance: shapes on a unit cell, palettes and frames."""
