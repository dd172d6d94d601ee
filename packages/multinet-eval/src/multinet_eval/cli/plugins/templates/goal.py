from collections.abc import Callable

from gridworld.hookspecs import GoalType, Position, State, World


def reached(world: World) -> Callable[[State], bool]:
    corner = world.topology.patches[Position(1, 1)]
    return lambda state: state.cell in corner and state.steps > 0


CORNER = GoalType(
    name="corner",
    summary="Be in the top left corner after the first step.",
    reached=reached,
    mission="get to the top left corner",
    timed=True,
)
