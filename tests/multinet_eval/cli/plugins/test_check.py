"""``multinet plugins check``: the kits, run on what is installed."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands import run
from support.plugins import write_distribution
from support.programs import Finished, output_of, words

PLUGIN = """
import attrs
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import MechanismType, ModelInfo, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait

@attrs.frozen
class Spec:
    id: str
    position: Position = attrs.field(converter=to_position)

@attrs.frozen
class RiddleSpec(Spec):
    answer: bytes = attrs.field()

def mechanism(name, noun, **more):
    return MechanismType(name=name, noun=noun, summary="A thing.", traits=lambda spec, value: Trait.NONE,
        glyph=lambda spec, value: Glyph(()), **more)

def breaks(world, state, entity):
    print("[/red] a word of the plugin's own")
    object.__setattr__(entity, "color", "red")

@hookimpl
def gridworld_mechanisms():
    return [
        mechanism("rugs", "rug", spec=Spec),
        mechanism("holes", "hole", spec=Spec, tick=breaks),
        mechanism("riddles", "riddle", spec=RiddleSpec),
    ]

@hookimpl
def gridworld_models():
    return [ModelInfo("walker", "Walks.", "third_models:Walker")]
"""

MODELS = """
from pathlib import Path
from gridworld.model_interface import ModelInterface, ModelOutput

class Walker(ModelInterface):
    model_name = "walker"

    def predict(self, input):
        Path("asked").touch()
        return ModelOutput(action=2)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three distributions: sound and broken things, and a plugin that does not load."""
    folder = tmp_path_factory.mktemp("checked")
    files = {"third_plugin.py": PLUGIN, "third_models.py": MODELS}
    write_distribution(folder, "Third-Party", "1.0", {"things": "third_plugin"}, files)
    write_distribution(folder, "broken", "1.0", {"entry": "broken_plugin"}, {"broken_plugin.py": "raise OSError('no')"})
    return folder


def check(installed: Path, *arguments: str, cwd: Path | None = None) -> Finished:
    return run("multinet", "plugins", "check", *arguments, path=[installed], cwd=cwd)


def as_json(finished: Finished) -> dict[str, Any]:
    """Results by name."""
    return {each["name"]: each for each in json.loads(finished.stdout)}


def test_something_sound_passes(installed: Path) -> None:
    finished = check(installed, "rugs")
    assert finished.returncode == 0
    assert "mechanism rugs third-party" in words(finished.stdout)
    assert "1 passed, 0 failed, 0 undecided" in finished.stdout


def test_a_broken_plugin_is_shown_with_the_rule(installed: Path) -> None:
    finished = check(installed, "third-party/holes")
    assert finished.returncode == 1
    told = words(finished.stdout)
    assert "mechanism holes: its hooks are pure tick of 'example' on" in told
    assert "has modified its arguments expected: Equal states have equal results" in told
    assert "0 passed, 1 failed, 0 undecided" in told


def test_what_a_plugin_prints_does_not_spoil_the_json(installed: Path) -> None:
    finished = check(installed, "holes", "--json")
    assert finished.returncode == 1
    assert "a word of the plugin's own" in finished.stderr
    (holes,) = json.loads(finished.stdout)
    assert (holes["kind"], holes["name"], holes["verdict"]) == ("mechanism", "holes", "failed")
    assert (holes["distribution"], holes["entry_point"], holes["kit"]) == (
        "third-party",
        "things",
        "MechanismConformance",
    )
    failed = {each["check"]: each for each in holes["results"] if each["verdict"] == "failed"}
    assert set(failed) == {"its_hooks_are_pure"}
    assert failed["its_hooks_are_pure"]["rule"].startswith("Equal states have equal results")


def test_a_plugin_without_examples_is_undecided_and_fails(installed: Path) -> None:
    finished = check(installed, "riddles")
    assert (finished.returncode, finished.stderr) == (1, "")
    told = words(finished.stdout)
    assert "the schema of the required field `answer` is not enough" in told
    assert told.count("subclass the kit in your tests") == 1
    assert "0 passed, 0 failed, 1 undecided" in told


def test_a_distribution_is_checked_with_all_that_it_provides(installed: Path, tmp_path: Path) -> None:
    for name in ("Third_Party", "third-party/things"):
        found = as_json(check(installed, name, "--json", cwd=tmp_path))
        assert {name: each["verdict"] for name, each in found.items()} == {
            "things": "passed",
            "rugs": "passed",
            "holes": "failed",
            "riddles": "undecided",
            "walker": "skipped",
        }
    assert not (tmp_path / "asked").exists()


def test_a_model_is_asked_only_with_live(installed: Path, tmp_path: Path) -> None:
    assert as_json(check(installed, "walker", "--json", cwd=tmp_path))["walker"]["verdict"] == "skipped"
    assert not (tmp_path / "asked").exists()
    assert as_json(check(installed, "walker", "--live", "--json", cwd=tmp_path))["walker"]["verdict"] == "passed"
    assert (tmp_path / "asked").exists()


def test_a_model_is_given_the_arguments_that_follow_its_name(tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("move_forward\n")
    printed = output_of(run("multinet", "plugins", "check", "replay", "--live", "-M", f"file={plan}"))
    assert "1 passed, 0 failed, 0 undecided, 0 skipped" in printed
    without = run("multinet", "plugins", "check", "replay", "--live")
    assert (without.returncode, "0 passed, 0 failed, 1 undecided" in without.stdout) == (1, True)


def test_a_plugin_that_does_not_load_fails(installed: Path) -> None:
    finished = check(installed, "broken", "--json")
    assert finished.returncode == 1
    (result,) = as_json(finished)["entry"]["results"]
    place = f"{installed / 'broken_plugin.py'}:1"
    assert result["wrong"] == f"it fails in phase 'import': OSError: no ({place})"
