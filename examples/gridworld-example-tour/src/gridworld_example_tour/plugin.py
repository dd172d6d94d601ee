"""What this distribution provides."""

from gridworld.hookspecs import GoalType, hookimpl


@hookimpl
def gridworld_goals() -> list[GoalType]:
    from gridworld_example_tour.tour import TOUR

    return [TOUR]
