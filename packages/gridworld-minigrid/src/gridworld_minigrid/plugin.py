"""The plugin of this distribution: the MiniGrid backend."""

from collections.abc import Iterable

from gridworld.hookspecs import BackendInfo, hookimpl


@hookimpl
def gridworld_backends() -> Iterable[BackendInfo]:
    return [
        BackendInfo(
            name="minigrid",
            summary="Square cells, drawn by MiniGrid.",
            target="gridworld_minigrid.backend:MiniGridBackend",
            environment="gridworld_minigrid.registration:Gridworld-v0",
        )
    ]
