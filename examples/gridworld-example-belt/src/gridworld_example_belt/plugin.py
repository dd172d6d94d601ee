"""What this distribution provides."""

from gridworld.hookspecs import MechanismType, hookimpl


@hookimpl
def gridworld_mechanisms() -> list[MechanismType]:
    from gridworld_example_belt.belt import BELTS

    return [BELTS]
