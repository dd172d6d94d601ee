"""What this distribution provides."""

from gridworld.hookspecs import MechanismType, hookimpl


@hookimpl
def gridworld_mechanisms() -> list[MechanismType]:
    from gridworld_example_one_way.one_way import ONE_WAY

    return [ONE_WAY]
