"""What is shown of a board at one moment, lattice cell by lattice cell."""

from __future__ import annotations

from typing import NamedTuple

from gridworld.task_spec import Position
from gridworld.world import Episode, Topology
from gridworld.world.knowledge import shown_look
from gridworld.world.looks import CellLook, Shown, held_look


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


ARROWS = (">", "v", "<", "^")
"""The agent as maps have it: right, down, left and up."""
FACING = ("right", "down", "left", "up")


def agent_position(episode: Episode) -> Position:
    """The lattice cell that it is on."""
    return episode.world.topology.lattice[episode.state.cell]


def held_thing(episode: Episode) -> Shown | None:
    """What it carries, as it is seen."""
    look = held_look(episode.world, episode.state, episode.knowledge.met)
    return None if look is None else look.things[0]


def arrow(topology: Topology, heading: int) -> str:
    """The character of the four that is nearest to a heading."""
    return ARROWS[round(4 * heading / topology.heading_count) % 4]


def facing(topology: Topology, heading: int) -> str | None:
    """The word for a heading on square cells; None elsewhere."""
    return FACING[heading] if topology.heading_count == len(FACING) else None


def degrees(topology: Topology, heading: int) -> int:
    """A heading in degrees clockwise from right, 0 to 359."""
    return 360 * heading // topology.heading_count


def describe_heading(topology: Topology, heading: int) -> str:
    """A heading in words: the four directions on square cells, degrees elsewhere."""
    return facing(topology, heading) or f"{degrees(topology, heading)} degrees clockwise from right"
