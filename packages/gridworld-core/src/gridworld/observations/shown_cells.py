"""The cells as shown to the agent, by lattice cell, and descriptions of the agent in words."""

from __future__ import annotations

from typing import NamedTuple

from gridworld.task_spec import Position
from gridworld.world import Episode, Topology
from gridworld.world.knowledge import shown_look
from gridworld.world.looks import CellLook, Shown, held_look


class ShownCell(NamedTuple):
    """How one lattice cell is shown."""

    position: Position
    cell: int
    """First of the topology's cells that make up the lattice cell."""
    look: CellLook | None
    """The look; None for an unseen cell."""
    remembered: bool
    """Whether the cell is out of view and shown as last seen."""


def shown_cells(episode: Episode) -> tuple[ShownCell, ...]:
    """Return the lattice cells as shown, in reading order."""
    world, snapshot = episode.world, episode.snapshot
    visible = snapshot.knowledge.visible
    looks = ((position, cell, shown_look(world, snapshot, cell)) for position, cell in world.topology.anchors)
    return tuple(
        ShownCell(position, cell, look, look is not None and cell not in visible) for position, cell, look in looks
    )


ARROWS = (">", "v", "<", "^")
"""Characters of the agent on maps, facing right, down, left and up."""
FACING = ("right", "down", "left", "up")


def agent_position(episode: Episode) -> Position:
    """Return the lattice cell of the agent."""
    return episode.world.topology.lattice[episode.state.cell]


def held_thing(episode: Episode) -> Shown | None:
    """Return the carried entity as shown; None if the agent carries nothing."""
    look = held_look(episode.world, episode.state, episode.knowledge.met)
    return None if look is None else look.things[0]


def arrow(topology: Topology, heading: int) -> str:
    """Return the arrow that points nearest to a heading."""
    return ARROWS[round(4 * heading / topology.heading_count) % 4]


def facing(topology: Topology, heading: int) -> str | None:
    """Return the word for a heading on a square tiling; None on other tilings."""
    return FACING[heading] if topology.heading_count == len(FACING) else None


def degrees(topology: Topology, heading: int) -> int:
    """Return a heading in degrees clockwise from right, 0 to 359."""
    return 360 * heading // topology.heading_count


def describe_heading(topology: Topology, heading: int) -> str:
    """Describe a heading in words: a direction on squares, degrees on other tilings."""
    return facing(topology, heading) or f"{degrees(topology, heading)} degrees clockwise from right"
