"""What is around the agent."""

from gridworld.hookspecs import ObservationInfo

SURROUNDINGS = ObservationInfo(
    "surroundings", "What is on the cells around the agent.", f"{__name__}.surroundings:write_surroundings"
)
