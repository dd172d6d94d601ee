"""What this distribution provides."""

from gridworld.hookspecs import MechanismType, hookimpl


@hookimpl
def gridworld_mechanisms() -> list[MechanismType]:
    from gridworld_example_timer.timer import TIMERS

    return [TIMERS]
