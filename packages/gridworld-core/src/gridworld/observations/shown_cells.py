"""What is shown of a board at one moment, lattice cell by lattice cell."""

from __future__ import annotations

from typing import NamedTuple

from gridworld.task_spec import Position
from gridworld.world import Episode
from gridworld.world.looks import CellLook

__all__ = ["ShownCell", "shown_cells"]


class ShownCell(NamedTuple):
    """A lattice cell as it is shown, by the anchor of its patch, where things sit."""

    position: Position
    cell: int
    """The anchor."""
    look: CellLook | None
    """How it is shown; None for one that is shown as unseen."""
    remembered: bool
    """Whether it is out of view and shown as it was last seen."""


def shown_cells(episode: Episode) -> tuple[ShownCell, ...]:
    """All lattice cells in reading order."""
    topology, visible = episode.world.topology, episode.knowledge.visible
    positions = (Position(x, y) for y in range(topology.height) for x in range(topology.width))
    anchors = ((position, topology.anchor(position)) for position in positions)
    return tuple(_shown(episode, position, cell, cell in visible) for position, cell in anchors)


def _shown(episode: Episode, position: Position, cell: int, in_view: bool) -> ShownCell:
    look = episode.look(cell)
    return ShownCell(position, cell, look, remembered=look is not None and not in_view)
