"""What texts say of the agent: where it is, which way it faces, and what it carries."""

from __future__ import annotations

from gridworld.task_spec import Position
from gridworld.world import Episode, Topology
from gridworld.world.looks import Shown, held_look

__all__ = ["ARROWS", "agent_position", "arrow", "degrees", "describe_heading", "facing", "held_thing"]

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
