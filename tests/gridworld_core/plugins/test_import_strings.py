"""Import strings: targets of descriptors are imported on use."""

import sys

import pytest

from gridworld.errors import PluginFault
from gridworld.plugins import load_registry
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from support.plugins import Install

LIGHT = """
from gridworld.hookspecs import BackendInfo, hookimpl

@hookimpl
def gridworld_backends():
    return [BackendInfo("text", "Draws with letters.", "heavy_backend:TextBackend")]
"""

HEAVY = """
from gridworld.backends.kernel import KernelBackend
from gridworld.world import square_topology

class TextBackend(KernelBackend):
    name, tiling = "text", "square"

    def make_topology(self, task):
        return square_topology(*task.maze.dimensions)

    def observe(self):
        return self.render()

    def render(self):
        width, agent = self.world.topology.width, self.episode.state.cell
        letters = ["#" if cell in self.world.walls else "." for cell in range(self.world.topology.cell_count)]
        letters[agent] = "@"
        return ["".join(letters[start : start + width]) for start in range(0, len(letters), width)]
"""

BROKEN_TARGETS = {
    "raising_target.py": "raise RuntimeError('no graphics card')",
    "exiting.py": "raise SystemExit('no licence')",
    "empty.py": "",
}


def test_a_third_party_backend_is_imported_on_use(install: Install) -> None:
    install("third-party", {"text": "light_plugin"}, {"light_plugin.py": LIGHT, "heavy_backend.py": HEAVY})
    target = load_registry().backends.get("text").target
    assert "heavy_backend" not in sys.modules
    task = TaskSpecification.from_dict(
        {
            "task_id": "corridor",
            "seed": 1,
            "difficulty_tier": 1,
            "maze": {"dimensions": [5, 3], "start": [1, 1], "goal": [3, 1]},
            "goal": {"type": "reach_position"},
            "max_steps": 10,
        }
    )

    backend = load_object(target)()
    backend.configure(task)
    assert backend.reset()[0] == ["#####", "#@..#", "#####"]
    assert backend.step(2)[0] == ["#####", "#.@.#", "#####"]
    _, reward, terminated, _, state, _ = backend.step(2)

    assert (reward, terminated, state.goal_reached) == (pytest.approx(1 - 0.9 * 2 / 10), True, True)


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("nowhere.to_be_found:Model", "ModuleNotFoundError: No module named 'nowhere'"),
        ("empty:Model", "AttributeError: module 'empty' has no attribute 'Model'"),
        ("raising_target:Model", "RuntimeError: no graphics card"),
        ("exiting:Model", "SystemExit: no licence"),
        ("empty", "AttributeError"),
        (":Model", "ValueError"),
        ("", "ValueError"),
    ],
)
def test_a_target_that_cannot_be_loaded_is_a_fault_of_its_plugin(install: Install, target: str, error: str) -> None:
    install("third-party", {}, BROKEN_TARGETS)

    with pytest.raises(PluginFault) as caught:
        load_object(target)

    assert f"cannot load '{target}': {error}" in str(caught.value)
