"""What this distribution provides."""

from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models() -> list[ModelInfo]:
    return [ModelInfo("scripted", "Plays a list of actions.", "gridworld_example_scripted.scripted:ScriptedModel")]
