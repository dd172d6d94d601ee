from gridworld.hookspecs import NO_CELL, ObservationInfo
from gridworld.world import Episode, describe_thing


def write_ahead(episode: Episode) -> str:
    world, state = episode.world, episode.state
    ahead = world.topology.exits[state.cell * world.headings + state.heading]
    look = None if ahead == NO_CELL else episode.look(ahead)
    if look is None or look.wall:
        return "You cannot see further ahead."
    things = [describe_thing(world, shown) for shown in look.things]
    return f"Ahead: {', '.join(things) or 'floor'}."


AHEAD = ObservationInfo("ahead", "What is ahead.", f"{__name__}:write_ahead")
