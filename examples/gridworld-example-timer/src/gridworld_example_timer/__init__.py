"""Timers, which open and shut gates as time passes."""
