"""The format ``surroundings``: what is on each cell beside the agent, from straight ahead clockwise."""

from collections.abc import Iterator

from gridworld.hookspecs import NO_CELL
from gridworld.world import Episode, describe_mark, describe_thing

__all__ = ["write_surroundings"]


def write_surroundings(episode: Episode) -> str:
    """A line for each heading that faces an edge: how far to turn clockwise, and what is beyond it."""
    topology, state = episode.world.topology, episode.state
    count = topology.heading_count
    turns = sorted((heading - state.heading) % count for heading in topology.edges[state.cell])
    return "\n".join(f"{360 * turn // count} degrees: {_beyond(episode, turn)}" for turn in turns)


def _beyond(episode: Episode, turn: int) -> str:
    """What is shown on the cell that lies there."""
    topology, state = episode.world.topology, episode.state
    heading = (state.heading + turn) % topology.heading_count
    cell = topology.exits[state.cell * topology.heading_count + heading]
    return "nothing" if cell == NO_CELL else ", ".join(_shown(episode, cell)) or "floor"


def _shown(episode: Episode, cell: int) -> Iterator[str]:
    look = episode.look(cell)
    if look is None:
        yield "unseen"
    elif look.wall:
        yield "wall"
    else:
        if look.mark is not None:
            yield describe_mark(look.mark)
        yield from (describe_thing(episode.world, shown) for shown in look.things)
