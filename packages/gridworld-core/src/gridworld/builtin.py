"""The core's own plugin: its mechanisms, goals, models, text formats, PNG renderer and square tiling."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gridworld.hookspecs import ModelInfo, ObservationInfo, RendererInfo, TilingInfo, hookimpl

if TYPE_CHECKING:
    from gridworld.hookspecs import GoalType, MechanismType


@hookimpl
def gridworld_mechanisms() -> Iterable[MechanismType]:
    """Return the seven mechanisms of the task format."""
    from gridworld.mechanisms.blocks import BLOCKS
    from gridworld.mechanisms.doors import DOORS
    from gridworld.mechanisms.gates import GATES
    from gridworld.mechanisms.hazards import HAZARDS
    from gridworld.mechanisms.keys import KEYS
    from gridworld.mechanisms.switches import SWITCHES
    from gridworld.mechanisms.teleporters import TELEPORTERS

    return [BLOCKS, DOORS, GATES, HAZARDS, KEYS, SWITCHES, TELEPORTERS]


@hookimpl
def gridworld_goals() -> Iterable[GoalType]:
    """Return the four goal types of the task format."""
    from gridworld.goals import COLLECT_ALL, PUSH_BLOCK_TO, REACH_POSITION, SURVIVE_STEPS

    return [COLLECT_ALL, PUSH_BLOCK_TO, REACH_POSITION, SURVIVE_STEPS]


@hookimpl
def gridworld_models() -> Iterable[ModelInfo]:
    """Return the baseline models, and the models that run in other processes."""
    package = "gridworld.model_interface"
    return [
        ModelInfo("random", "Uniformly random actions.", f"{package}:RandomModelInterface"),
        ModelInfo("greedy", "Walks toward its target as the crow flies.", f"{package}.baselines:GreedyModel"),
        ModelInfo("optimal", "Plays the solver's shortest plan.", "gridworld.solver.optimal_model:OptimalModel"),
        ModelInfo(
            "explorer",
            "Explores, and plans over what it has been shown.",
            "gridworld.solver.explorer_model:ExplorerModel",
        ),
        ModelInfo("replay", "Plays the actions of a file.", f"{package}.replay_model:ReplayModel"),
        ModelInfo(
            "file",
            "Asks another process, through files.",
            f"{package}:FileBasedModelInterface",
            ("folder", "timeout", "poll_interval"),
        ),
    ]


@hookimpl
def gridworld_tilings() -> Iterable[TilingInfo]:
    """Return the square tiling."""
    return [TilingInfo("square", "Squares, as in MiniGrid.", "gridworld.world.square:square_topology")]


@hookimpl
def gridworld_observations() -> Iterable[ObservationInfo]:
    """Return the text formats of observations."""
    package = "gridworld.observations"
    return [
        ObservationInfo(
            "coordinates", "What is shown as JSON, by column and row.", f"{package}.coordinates:coordinates_text"
        ),
        ObservationInfo("map", "A character for each cell, with a legend.", f"{package}.character_map:map_text"),
        ObservationInfo(
            "sentences", "A sentence for each thing, as the agent sees it.", f"{package}.sentences:sentences_text"
        ),
        ObservationInfo("text", "Map, legend and sentences.", "gridworld.text:full_text"),
    ]


@hookimpl
def gridworld_renderers() -> Iterable[RendererInfo]:
    """Return the renderers that need no extra library."""
    return [RendererInfo("png", "A task at its start.", "gridworld.shortcuts:write_png")]
