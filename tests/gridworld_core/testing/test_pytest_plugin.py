"""The fixtures that the tests of plugins can ask for, and that nobody has who does not."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gridworld.errors import PluginFault, UnknownNameError
from gridworld.plugins import Registry, get_registry
from gridworld.solver import solve
from gridworld.testing.stage import COMPANION_IDS
from gridworld.world import Episode, World
from support.programs import run_python

pytest_plugins = ["gridworld.testing.pytest_plugin"]

SUITE = """
from gridworld.testing import MechanismConformance, ModelConformance
from gridworld.world import Episode, World


class TestRandom(ModelConformance):
    model = "random"


class TestNothing(MechanismConformance):
    pass


def test_the_fixtures_are_there(small_world, small_episode):
    assert isinstance(small_world, World)
    assert isinstance(small_episode, Episode)
"""


def pytest_in(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on one file, as an author of a plugin would."""
    (folder / "test_authors.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.more
def test_an_authors_tests_have_the_kits_and_the_fixtures_that_they_ask_for(tmp_path: Path) -> None:
    asking = 'pytest_plugins = ["gridworld.testing.pytest_plugin"]\n'
    finished = pytest_in(tmp_path, asking + SUITE, "-k", "not Nothing or descriptor")
    assert (finished.returncode, "9 passed" in finished.stdout) == (1, True)
    assert "TestNothing tests nothing: set the class attribute `mechanism`" in finished.stdout


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


UsePlugin = Callable[[Path], Registry]
MODEL = "from gridworld.hookspecs import ModelInfo\nMODEL = ModelInfo({name!r}, 'A model.', 'nowhere:Model')"


def test_a_plugin_is_in_use_without_being_installed_and_can_be_written_anew(
    use_plugin: UsePlugin, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        (tmp_path / "changing.py").write_text(MODEL.format(name=name), encoding="utf-8")
        registry = use_plugin(tmp_path / "changing.py")
        assert registry is get_registry()
        assert registry.models.provider(name).distribution == "changing-py"
    assert "first" not in registry.models


def test_the_plugin_of_one_test_is_gone_in_the_next() -> None:
    with pytest.raises(UnknownNameError):
        get_registry().models.get("second")


def test_a_plugin_that_does_not_load_is_told(use_plugin: UsePlugin, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise OSError('no disk')", encoding="utf-8")
    with pytest.raises(PluginFault, match="OSError: no disk"):
        use_plugin(tmp_path / "broken.py")
