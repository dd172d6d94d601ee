"""`SceneView`: the scene of one episode, and what each step changes in it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import attrs

from gridworld.backends.kernel import KernelBackend
from gridworld.backends.scene_looks import SceneLooks
from gridworld.backends.scenes import Scene
from gridworld.plugins.faults import backend_name, blaming

__all__ = ["MadeScene", "SceneView"]


@attrs.frozen(eq=False)
class MadeScene:
    """What is left of a scene that has been made, for other episodes of the same task on the same tiling."""

    digest: str
    looks: SceneLooks


class SceneView:
    """What an episode looks like on a backend that is built on the kernel.

    Args:
        kernel: the backend, configured and reset.
        looks: those of an earlier episode of the same task on the same tiling, if there was one.

    Raises:
        PluginFault: the looks of a mechanism or goal type cannot be made.
    """

    def __init__(self, kernel: KernelBackend, looks: SceneLooks | None = None) -> None:
        self._kernel = kernel
        self._snapshot = kernel.snapshot()
        with self._blaming():
            self._scene = Scene(kernel.world, looks)

    @property
    def looks(self) -> SceneLooks:
        """How things and marks can look."""
        return self._scene.looks

    def to_json(self) -> str:
        """The scene; raises PluginFault where it cannot be made."""
        with self._blaming():
            return self._scene.to_json()

    def changes(self) -> tuple[list[Any], dict[str, Any]]:
        """Where the agent is, and which cells look different since this was asked last."""
        before, now = self._snapshot, self._kernel.snapshot()
        self._snapshot = now
        return self._scene.agent(now), self._scene.changes(before, now)

    def _blaming(self) -> AbstractContextManager[None]:
        return blaming(backend_name(self._kernel.name), "when its scene was recorded")
