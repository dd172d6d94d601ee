"""The family is what every family has to be, and the importer reads what it says."""

from pathlib import Path

from gridworld.testing import GeneratorConformance, PluginModuleConformance
from gridworld_example_mazes.bits import BitsImporter


class TestMoats(GeneratorConformance):
    generator = "moats"


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_mazes.plugin"


def test_a_maze_is_read_and_others_are_told(tmp_path: Path) -> None:
    file = tmp_path / "mazes.txt"
    file.write_text("11111\n10001\n11101\n11111\n\n111\n1x1\n111\n\n1111\n1001\n1111\n")
    first, second, third = BitsImporter().levels(str(file))
    assert first.validate() == (True, [])
    assert (second.level, second.reason) == ("maze 2", "its rows are not zeros and ones of one length")
    assert third.maze.goal == (2, 1)
