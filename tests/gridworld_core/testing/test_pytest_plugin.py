"""The fixtures that the tests of plugins can ask for, and that nobody has who does not."""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from gridworld.errors import UnknownNameError
from gridworld.plugins import get_registry
from gridworld.solver import solve
from gridworld.testing.conformance import NotConforming
from gridworld.testing.plugin_tester import PluginTester
from gridworld.testing.stage import COMPANION_IDS
from gridworld.world import Episode, World
from support.plugins import run_python

pytest_plugins = ["gridworld.testing.pytest_plugin"]

ASKING = 'pytest_plugins = ["gridworld.testing.pytest_plugin"]\n'
SUITE = """
from gridworld.testing import MechanismConformance
from gridworld.world import Episode, World


class TestHazards(MechanismConformance):
    mechanism = "hazards"


def test_the_fixtures_are_there(small_world, small_episode):
    assert isinstance(small_world, World)
    assert isinstance(small_episode, Episode)
"""


def pytest_in(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on one file, as an author of a plugin would."""
    (folder / "test_authors.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_an_authors_tests_have_the_kits_and_the_fixtures_that_they_ask_for(tmp_path: Path) -> None:
    finished = pytest_in(tmp_path, ASKING + SUITE)
    assert finished.returncode == 0, finished.stdout
    assert "31 passed" in finished.stdout


def test_nobody_has_the_fixtures_who_does_not_ask_for_them(tmp_path: Path) -> None:
    finished = pytest_in(tmp_path, SUITE, "-k", "fixtures")
    assert finished.returncode == 1
    assert "fixture 'small_world' not found" in finished.stdout


@pytest.mark.parametrize("name", ["gridworld-core", "multinet-adapters"])
def test_no_distribution_of_ours_puts_itself_into_every_run_of_pytest(name: str) -> None:
    assert not distribution(name).entry_points.select(group="pytest11")


def test_a_failing_check_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    suite = SUITE + "\n\nclass TestNothing(MechanismConformance):\n    pass\n"
    finished = pytest_in(tmp_path, suite, "-k", "Nothing and descriptor")
    assert finished.returncode == 1
    assert "TestNothing tests nothing" in finished.stdout
    assert "What to do: set the class attribute `mechanism`" in finished.stdout


def test_a_run_that_uses_nothing_of_it_imports_nothing_else_of_the_toolkit() -> None:
    code = "import sys, gridworld.testing.pytest_plugin; print(*(name for name in sys.modules if 'gridworld' in name))"
    imported = set(run_python(code, []).stdout.split())
    package = {"gridworld", "gridworld._version", "gridworld.support", "gridworld.support.lazy", "gridworld.testing"}
    light = package | {"gridworld.testing.pytest_plugin"}
    assert imported - {name for name in imported if name.startswith("_")} == light


def test_the_small_world_has_something_of_everything_and_can_be_won(small_world: World) -> None:
    assert set(small_world.by_id) == set(COMPANION_IDS)
    assert solve(small_world).length == 9


def test_the_small_episode_is_at_its_start(small_episode: Episode, small_world: World) -> None:
    assert small_episode.world is small_world
    assert small_episode.state == small_world.start


STILL = """
from gridworld.hookspecs import ModelInfo, ObservationInfo, hookimpl
from gridworld.model_interface import ModelInterface, ModelOutput

class Still(ModelInterface):
    model_name = "still"

    def predict(self, input):
        return ModelOutput(6)

def vague(episode):
    return "You are somewhere."

def blunt(episode):
    return str(episode.world.task.maze.goal)

@hookimpl
def gridworld_models():
    return [ModelInfo("still", "Never moves.", "still_plugin:Still")]

@hookimpl
def gridworld_observations():
    return [ObservationInfo(name, "A format.", "still_plugin:" + name) for name in ("vague", "blunt")]
"""


def test_a_plugin_is_in_use_without_being_installed(plugin_tester: PluginTester) -> None:
    registry = plugin_tester.install(plugin_tester.write("still_plugin", STILL), "still")
    assert registry is get_registry()
    assert registry.models.provider("still").distribution == "still"
    assert [each.verdict for each in plugin_tester.check("vague")] == ["passed"]


def test_a_check_that_fails_is_told(plugin_tester: PluginTester) -> None:
    plugin_tester.install(plugin_tester.write("still_plugin", STILL), "still")
    with pytest.raises(NotConforming, match="observation blunt: it tells nothing of a goal that has not been seen"):
        plugin_tester.check("blunt")


def test_what_the_core_has_no_kit_for_is_not_taken_to_be_checked(plugin_tester: PluginTester) -> None:
    source = "from gridworld.hookspecs import ObserverInfo\nIDLE = ObserverInfo('idle', 'Idles.', 'nowhere:Idle')"
    plugin_tester.install(f"{plugin_tester.write('idle_plugin', source)}:IDLE", "idle-plugin")
    with pytest.raises(NotConforming, match="multinet plugins check NAME"):
        plugin_tester.check("idle")
    assert "cannot load 'nowhere:Idle'" in plugin_tester.run("plugins", "check", "idle").stdout


def test_a_plugin_that_is_written_anew_replaces_the_one_before(plugin_tester: PluginTester) -> None:
    for model in ("first", "second"):
        source = f"from gridworld.hookspecs import ModelInfo\nMODEL = ModelInfo('{model}', 'A model.', 'nowhere:Model')"
        registry = plugin_tester.install(f"{plugin_tester.write('changing_plugin', source)}:MODEL")
        assert model in registry.models
    assert "first" not in registry.models


def test_the_plugin_of_one_test_is_gone_in_the_next(plugin_tester: PluginTester) -> None:
    with pytest.raises(UnknownNameError):
        get_registry().models.get("still")


def test_a_plugin_that_does_not_load_is_told(plugin_tester: PluginTester) -> None:
    with pytest.raises(NotConforming, match="OSError: no disk"):
        plugin_tester.install(plugin_tester.write("broken_plugin", "raise OSError('no disk')"))


def test_programs_find_it_too(plugin_tester: PluginTester) -> None:
    plugin_tester.install(plugin_tester.write("still_plugin", STILL), "still")
    finished = plugin_tester.run("plugins", "show", "still")
    assert (finished.returncode, "still_plugin:Still" in finished.stdout) == (0, True), finished.stderr
