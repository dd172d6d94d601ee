"""What this distribution provides."""

from gridworld.hookspecs import ObservationInfo, hookimpl


@hookimpl
def gridworld_observations() -> list[ObservationInfo]:
    target = "gridworld_example_surroundings.surroundings:write_surroundings"
    return [ObservationInfo("surroundings", "What is on the cells around the agent.", target)]
