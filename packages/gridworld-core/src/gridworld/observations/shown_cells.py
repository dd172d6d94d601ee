"""What is shown of a board at one moment, lattice cell by lattice cell."""

from __future__ import annotations

from typing import NamedTuple

from gridworld.task_spec import Position
from gridworld.world import Episode
from gridworld.world.knowledge import shown_look
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
    world, snapshot = episode.world, episode.snapshot
    visible = snapshot.knowledge.visible
    looks = ((position, cell, shown_look(world, snapshot, cell)) for position, cell in world.topology.anchors)
    return tuple(
        ShownCell(position, cell, look, look is not None and cell not in visible) for position, cell, look in looks
    )
