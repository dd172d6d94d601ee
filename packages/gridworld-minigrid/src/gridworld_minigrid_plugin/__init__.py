"""Plugin of this distribution: the MiniGrid backend, and the importer of MiniGrid's own levels."""

from collections.abc import Iterable

from gridworld.hookspecs import BackendInfo, ImporterInfo, hookimpl


@hookimpl
def gridworld_backends() -> Iterable[BackendInfo]:
    return [
        BackendInfo(
            name="minigrid",
            summary="Square cells, drawn by MiniGrid.",
            target="gridworld_minigrid.backend:MiniGridBackend",
            environment="gridworld_minigrid:gridworld/MiniGrid-v0",
        )
    ]


@hookimpl
def gridworld_importers() -> Iterable[ImporterInfo]:
    return [
        ImporterInfo(
            "minigrid",
            "Levels that MiniGrid's own environments draw from seeds.",
            "gridworld_minigrid.importer:MiniGridImporter",
        )
    ]
