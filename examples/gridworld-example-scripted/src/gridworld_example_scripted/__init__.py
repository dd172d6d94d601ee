"""A model that plays a list of actions."""

from gridworld.hookspecs import ModelInfo

SCRIPTED = ModelInfo(
    "scripted", "Plays a list of actions.", f"{__name__}.scripted:ScriptedModel", harmless=("actions",)
)
