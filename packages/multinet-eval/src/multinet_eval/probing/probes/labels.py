"""By what results are grouped: what a thing is, its colour, and how far from the agent it is."""

from __future__ import annotations

from gridworld.task_spec import Position
from multinet_eval.probing.names import Name

__all__ = ["distance_band", "labels_of"]

BANDS = ((1, "0-1"), (3, "2-3"), (7, "4-7"))
FAR = "8+"


def labels_of(name: Name, cell: Position, agent: Position) -> dict[str, str]:
    """What is known of a thing on a cell; without a colour where it has none."""
    color = {"color": name.color} if name.color else {}
    return {"thing": name.kind, **color, "distance": distance_band(cell, agent)}


def distance_band(cell: Position, agent: Position) -> str:
    """How many columns and rows, together, a cell is away from the agent, in bands."""
    distance = abs(cell.x - agent.x) + abs(cell.y - agent.y)
    return next((band for most, band in BANDS if distance <= most), FAR)
