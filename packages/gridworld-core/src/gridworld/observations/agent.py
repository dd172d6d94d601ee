"""What texts say of the agent: where it is, which way it faces, and what it carries."""

from __future__ import annotations

from gridworld.task_spec import Position
from gridworld.world import Episode
from gridworld.world.looks import Shown, show_thing
from gridworld.world.state import NOTHING

__all__ = ["agent_position", "arrow", "degrees", "facing", "held_thing"]

ARROWS = (">", "v", "<", "^")
FACING = ("right", "down", "left", "up")


def agent_position(episode: Episode) -> Position:
    """The lattice cell that it is on."""
    return episode.world.topology.lattice[episode.state.cell]


def held_thing(episode: Episode) -> Shown | None:
    """What it carries, as it is seen."""
    state = episode.state
    if state.carried == NOTHING:
        return None
    return show_thing(episode.world, state, state.carried, state.cell, episode.knowledge.met)


def arrow(episode: Episode) -> str:
    """The character of the four that is nearest to its heading."""
    return ARROWS[round(4 * episode.state.heading / episode.world.topology.heading_count) % 4]


def facing(episode: Episode) -> str | None:
    """The word for its heading on square cells; None elsewhere."""
    is_square = episode.world.topology.heading_count == len(FACING)
    return FACING[episode.state.heading] if is_square else None


def degrees(episode: Episode) -> int:
    """Its heading in degrees clockwise from right, 0 to 359."""
    return 360 * episode.state.heading // episode.world.topology.heading_count
