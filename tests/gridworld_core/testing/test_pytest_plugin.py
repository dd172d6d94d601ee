"""What every pytest run has where this distribution is installed with pytest."""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

from gridworld.solver import solve
from gridworld.testing.stage import COMPANION_IDS
from gridworld.world import Episode, World
from plugin_factory import run_python

SUITE = """
import json
from urllib.request import Request, urlopen

from gridworld.testing import MechanismConformance
from gridworld.world import Episode, World


class TestGates(MechanismConformance):
    mechanism = "gates"


def test_the_fixtures_are_there(small_world, small_episode):
    assert isinstance(small_world, World)
    assert isinstance(small_episode, Episode)


def test_a_server_records_what_a_model_is_asked(model_server):
    question = {"model": model_server.models[0], "messages": [{"role": "user", "content": "Where to?"}]}
    request = Request(f"{model_server.openai_url}/chat/completions", json.dumps(question).encode())
    model_server.answer = lambda chat: "Action: turn_left"
    with urlopen(request) as reply:
        answer = json.load(reply)
    assert answer["choices"][0]["message"]["content"] == "Action: turn_left"
    assert model_server.chats[0].text == "Where to?"
"""


def test_its_entry_point_is_declared() -> None:
    entries = distribution("gridworld-core").entry_points.select(group="pytest11")
    assert [(entry.name, entry.value) for entry in entries] == [("gridworld", "gridworld.testing.pytest_plugin")]


def test_an_authors_tests_have_the_kits_and_the_fixtures(tmp_path: Path) -> None:
    (tmp_path / "test_authors.py").write_text(SUITE, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 0, finished.stdout
    assert "26 passed" in finished.stdout


def test_a_failing_check_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    suite = SUITE + "\n\nclass TestNothing(MechanismConformance):\n    pass\n"
    (tmp_path / "test_authors.py").write_text(suite, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "Nothing", str(tmp_path)]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 1
    assert "TestNothing tests nothing" in finished.stdout
    assert "What to do: set the class attribute `mechanism`" in finished.stdout


def test_a_run_that_uses_nothing_of_it_imports_nothing_else_of_the_toolkit() -> None:
    code = "import sys, gridworld.testing.pytest_plugin; print(*(name for name in sys.modules if 'gridworld' in name))"
    imported = set(run_python(code, []).stdout.split())
    light = {"gridworld", "gridworld._version", "gridworld.testing", "gridworld.testing.pytest_plugin"}
    assert imported - {name for name in imported if name.startswith("_")} == light


def test_the_small_world_has_something_of_everything_and_can_be_won(small_world: World) -> None:
    assert set(small_world.by_id) == set(COMPANION_IDS)
    assert solve(small_world).length == 9


def test_the_small_episode_is_at_its_start(small_episode: Episode, small_world: World) -> None:
    assert small_episode.world is small_world
    assert small_episode.state == small_world.start
