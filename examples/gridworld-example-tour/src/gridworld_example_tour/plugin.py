"""What this distribution provides."""

from gridworld.hookspecs import GoalType, MechanismType, hookimpl


@hookimpl
def gridworld_mechanisms() -> list[MechanismType]:
    from gridworld_example_tour.waypoints import WAYPOINTS

    return [WAYPOINTS]


@hookimpl
def gridworld_goals() -> list[GoalType]:
    from gridworld_example_tour.visit_in_order import VISIT_IN_ORDER

    return [VISIT_IN_ORDER]
