"""`SceneView`: the scene of one episode, and what each step changes in it."""

from __future__ import annotations

from contextlib import AbstractContextManager

import attrs

from gridworld.backends.kernel import KernelBackend
from gridworld.backends.scene_looks import SceneLooks
from gridworld.backends.scenes import Scene
from gridworld.plugins.faults import backend_name, blaming
from gridworld.world import State, World
from multinet_eval.play.observers import Place

__all__ = ["MadeScene", "SceneView", "place_in"]


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

    @property
    def place(self) -> Place:
        """Where the agent was when changes were last asked for."""
        return place_in(self._kernel.world, self._snapshot.state)

    def to_json(self) -> str:
        """The scene; raises PluginFault where it cannot be made."""
        with self._blaming():
            return self._scene.to_json()

    def changes_to_json(self) -> str:
        """What has changed since this was asked last, as `Scene.changes_to_json` has it."""
        before, self._snapshot = self._snapshot, self._kernel.snapshot()
        return self._scene.changes_to_json(before, self._snapshot)

    def _blaming(self) -> AbstractContextManager[None]:
        return blaming(backend_name(self._kernel.name), "when its scene was recorded")


def place_in(world: World, state: State) -> Place:
    """Where the agent is in a state of a world."""
    return (*world.topology.lattice[state.cell], state.heading)
