"""The plugin of this distribution: the MiniGrid backend."""

from collections.abc import Iterable

from gridworld.hookspecs import BackendInfo, hookimpl


@hookimpl
def gridworld_backends() -> Iterable[BackendInfo]:
    return [BackendInfo("minigrid", "Square cells, drawn by MiniGrid.", "gridworld_minigrid.backend:MiniGridBackend")]
