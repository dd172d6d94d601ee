"""A plugin that fails while tasks are looked at is named on the command line, whatever the command."""

import json
from pathlib import Path

import pytest

from support.commands import run
from support.plugins import write_distribution
from support.programs import assert_refused
from support.runs import write_corridor, write_task
from support.worlds import describe

MINES = """
import attrs
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait

@attrs.frozen
class Mine:
    id: str
    position: Position = attrs.field(converter=to_position)
    hook: str = "validate"

def hook(name, otherwise):
    def fail(spec, *others):
        if spec.hook == name:
            raise RuntimeError("boom")
        return otherwise
    return fail

@hookimpl
def gridworld_mechanisms():
    return [MechanismType(
        name="mines", noun="mine", summary="Raises.", spec=Mine, traits=hook("traits", Trait.NONE),
        glyph=lambda mine, value: Glyph(()), validate=hook("validate", ()),
        on_enter=lambda world, state, mine: 7 if mine.spec.hook == "on_enter" else None,
        controls=lambda mine: 7 if mine.hook == "controls" else (),
    )]
"""

BLAMED = "mechanism 'mines' (miners/mines) failed in"


@pytest.fixture(scope="module")
def miners(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("miners")
    write_distribution(folder, "miners", "1.0", {"mines": "miners_plugin"}, {"miners_plugin.py": MINES})
    return folder


def write_mine(folder: Path, hook: str) -> Path:
    data = describe("#####\n#@.G#\n#####")
    data["mechanisms"] = {"mines": [{"id": "m", "position": [2, 1], "hook": hook}]}
    return write_task(folder, {**data, "task_id": f"mined_{hook}"})


@pytest.mark.parametrize(
    "command",
    [
        ("multinet-run-eval", "-m", "random", "--task-dir", "."),
        ("multinet", "tasks", "show", "mined_validate.json"),
        ("multinet", "prompts", "show", "mined_validate.json", "-m", "ollama", "-M", "model=any"),
    ],
    ids=" ".join,
)
def test_a_plugin_that_fails_at_validation_is_named(miners: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    write_mine(tmp_path, "validate")
    finished = run(*command, path=[miners], cwd=tmp_path)
    expected = f"error: {BLAMED} validate when the task 'mined_validate' was checked: RuntimeError: boom"
    assert_refused(finished, expected, exit_code=1)


def test_a_plugin_that_fails_at_layout_is_named(miners: Path, tmp_path: Path) -> None:
    finished = run("multinet", "tasks", "solve", write_mine(tmp_path, "traits"), path=[miners])
    assert_refused(
        finished,
        f"error: {BLAMED} traits when the task 'mined_traits' was laid out: RuntimeError: boom (miners_plugin.py, ",
        exit_code=1,
    )


@pytest.mark.parametrize(
    ("command", "hook", "told"),
    [
        ("solve ./mined.json", "on_enter", "returned 7, expected (a state of this world, "),
        ("show ./mined.json", "controls", "returned 7, expected tuple of str"),
        ("list .", "on_enter", "returned 7"),
        ("demos . -o demos", "controls", "returned 7, expected tuple of str"),
    ],
)
def test_one_that_returns_something_wrong_is_named(
    miners: Path, tmp_path: Path, command: str, hook: str, told: str
) -> None:
    write_mine(tmp_path, hook).rename(tmp_path / "mined.json")
    finished = run("multinet", "tasks", *command.split(), path=[miners], cwd=tmp_path)
    assert_refused(finished, f"error: {BLAMED} {hook} ", told, exit_code=1)


@pytest.mark.parametrize("hook", ["validate", "traits"])
def test_when_many_tasks_are_checked_it_is_a_finding_like_any_other(miners: Path, tmp_path: Path, hook: str) -> None:
    write_mine(tmp_path, hook)
    write_corridor(tmp_path, "sound")

    finished = run("multinet", "tasks", "validate", tmp_path, "--json", path=[miners])

    assert (finished.returncode, finished.stderr) == (1, "")
    mined, sound = json.loads(finished.stdout)
    assert sound["ok"]
    assert not mined["ok"]
    (finding,) = mined["findings"]
    when = "checked" if hook == "validate" else "laid out"
    expected = f"{BLAMED} {hook} when the task 'mined_{hook}' was {when}: RuntimeError: boom (miners_"
    assert finding["message"].startswith(expected)
