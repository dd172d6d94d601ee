"""Conveyor belts."""
