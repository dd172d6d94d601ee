"""What every backend on the kernel inherits: it shows the kernel's world and has no rules of its own."""

import pytest

from gridworld.backends.kernel import KernelBackend
from gridworld.errors import NotResetError
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, square_topology
from support.worlds import corridor


class PlainBackend(KernelBackend):
    """Observes the number of steps, and draws nothing."""

    @property
    def name(self) -> str:
        return "plain"

    @property
    def tiling(self) -> str:
        return "square"

    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(task.maze.width, task.maze.height)

    def observe(self) -> int:
        return self.episode.state.steps

    def render(self) -> None:
        return None


@pytest.fixture
def backend() -> PlainBackend:
    return PlainBackend()


def test_tasks_have_to_be_reset_first(backend: PlainBackend) -> None:
    for row in ("@G", "@.G"):
        backend.configure(corridor(row))
        with pytest.raises(NotResetError, match=r"reset\(\) must be called"):
            backend.step(2)
        backend.reset()


def test_same_task_keeps_its_tables(backend: PlainBackend) -> None:
    task = corridor("@.G")
    backend.configure(task)
    world = backend.world
    backend.configure(task)
    assert backend.world is world
    backend.configure(corridor("@..G"))
    assert backend.world is not world
