"""A Python file named by ``--plugin`` is a plugin in commands, worker processes and recordings."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from multinet_eval.cli.plugins import new
from support.commands import multinet, run_eval

FLOES = """
from gridworld.hookspecs import Explained, Glyph, MechanismType, Placed, Rectangle, Trait

FLOES = MechanismType(
    name="floes",
    noun="floe",
    summary="Can be walked on.",
    spec=Placed,
    traits=Trait.NONE,
    glyph=Glyph((Rectangle(0, 0, 1, 1, "skyblue"),)),
    explains=Explained("It can be walked on.", looks="pale blue"),
    local=True,
)
"""
TASKS = [
    {
        "task_id": f"floe-{number}",
        "seed": number,
        "difficulty_tier": 1,
        "maze": {"dimensions": [6 + number, 3], "start": [1, 1], "goal": [4 + number, 1]},
        "mechanisms": {"floes": [{"id": "f", "position": [2, 1]}]},
        "goal": {"type": "reach_position"},
        "max_steps": 20,
    }
    for number in range(2)
]


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Path]:
    """A file with a descriptor at its top level."""
    file = tmp_path / "floes_in_a_file.py"
    file.write_text(FLOES)
    yield file
    sys.modules.pop(file.stem, None)


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A folder of two tasks with the mechanism of the file."""
    folder = tmp_path / "tasks"
    folder.mkdir()
    for task in TASKS:
        (folder / f"{task['task_id']}.json").write_text(json.dumps(task))
    return folder


def test_a_file_that_is_given_twice_is_listed_once_as_a_plugin(plugin: Path) -> None:
    (plugin.parent / "folder").mkdir()
    beside = plugin.parent / "folder" / ".." / plugin.name

    finished = multinet("plugins", "list", "--plugin", plugin, "--plugin", beside, "--json")

    assert finished.exit_code == 0, finished.stderr
    (listed,) = (each for each in json.loads(finished.stdout)["plugins"] if each["entry_point"] == plugin.stem)
    assert listed["distribution"] == "floes-in-a-file-py"
    assert listed["version"].startswith("file-")
    assert "floes" in str(listed["provides"])


@pytest.mark.parametrize("name", ["floes", "floes-in-a-file-py"], ids=["what it provides", "the plugin"])
def test_a_file_and_what_it_provides_are_shown(plugin: Path, name: str) -> None:
    finished = multinet("plugins", "show", name, "--plugin", plugin, "--json")

    assert finished.exit_code == 0, finished.stderr
    (shown,) = (each for found in json.loads(finished.stdout).values() for each in found)
    assert (shown["distribution"], shown["entry_point"]) == ("floes-in-a-file-py", plugin.stem)


def test_a_file_which_may_import_libraries_is_checked_by_itself(plugin: Path) -> None:
    plugin.write_text(f"import numpy\n{FLOES}")

    finished = multinet("plugins", "check", plugin, "--json")

    assert finished.exit_code == 0, finished.stdout
    checked = {(each["kind"], each["name"]): each["verdict"] for each in json.loads(finished.stdout)}
    assert checked == {("plugin", plugin.stem): "passed", ("mechanism", "floes"): "passed"}


def test_a_defect_in_a_file_is_found(plugin: Path) -> None:
    plugin.write_text(FLOES.replace('noun="floe"', 'noun=""'))

    finished = multinet("plugins", "check", plugin)

    assert finished.exit_code == 1
    assert "mechanism floes" in finished.stdout


def test_a_run_with_a_file_is_played_by_workers_records_its_digest_and_resumes(
    plugin: Path, tasks: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    playing = ("--task-dir", tasks, "-m", "optimal", "--run-dir", run, "--workers", 2, "--executor", "processes", "-q")

    finished = run_eval(*playing, "--plugin", plugin)

    assert finished.exit_code == 0, finished.stderr
    versions = json.loads((run / "run.json").read_text())["circumstances"]["versions"]
    assert versions["floes-in-a-file-py"].startswith("file-")
    again = multinet("runs", "resume", run, "--plugin", plugin)
    assert again.exit_code == 0, again.stderr
    without = multinet("runs", "resume", run)
    assert without.exit_code != 0
    assert f"floes-in-a-file-py {versions['floes-in-a-file-py']}" in without.stderr
    assert "--plugin FILE" in without.stderr


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1\nraise RuntimeError('out of order')", "floes_in_a_file.py:2"),
        ("\n\ndef :", "line 3"),
        ("x = 1", "expected functions marked with @hookimpl, or a descriptor such as a MechanismType"),
    ],
    ids=["raises", "cannot be parsed", "is no plugin"],
)
def test_a_file_that_fails_ends_the_command_with_its_place(plugin: Path, source: str, expected: str) -> None:
    plugin.write_text(source)

    finished = multinet("plugins", "list", "--plugin", plugin)

    assert finished.exit_code != 0
    assert "floes_in_a_file.py" in finished.stderr
    assert expected in finished.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("json", "there is another module 'json'"),
        ("__main__", "there is another module '__main__'"),
        ("nowhere", "nowhere.py: cannot be read: No such file"),
    ],
)
def test_a_file_with_the_name_of_another_module_or_none_is_refused(tmp_path: Path, name: str, message: str) -> None:
    if name != "nowhere":
        (tmp_path / f"{name}.py").write_text(FLOES)

    finished = multinet("plugins", "list", "--plugin", tmp_path / f"{name}.py")

    assert finished.exit_code != 0
    assert message in finished.stderr


def test_tasks_are_generated_by_a_family_in_a_file_whose_digest_they_name(tmp_path: Path) -> None:
    file = tmp_path / "corridors_in_a_file.py"
    shutil.copy(Path(new.__file__).parent / "templates" / "generator.py", file)
    call = ("tasks", "generate", "corridors", "--plugin", file, "--count", 1, "-o", tmp_path / "tasks", "--workers", 1)

    for finished in (multinet(*call), multinet(*call)):
        assert finished.exit_code == 0, finished.stderr

    (task,) = (path for path in (tmp_path / "tasks").glob("corridors-*.json"))
    origin = json.loads(task.read_text())["metadata"]["certificate"]["generator"]
    assert (origin["distribution"], origin["version"][:5]) == ("corridors-in-a-file-py", "file-")
    sys.modules.pop(file.stem, None)


def test_levels_are_imported_by_an_importer_in_a_file_whose_digest_they_name(tmp_path: Path) -> None:
    file = tmp_path / "lengths_in_a_file.py"
    shutil.copy(Path(new.__file__).parent / "templates" / "importer.py", file)
    (tmp_path / "levels.txt").write_text("4\n5\n")
    call = ("tasks", "import", "lengths", tmp_path / "levels.txt", "--plugin", file, "-o", tmp_path / "tasks")

    for finished in (multinet(*call), multinet("tasks", "validate", tmp_path / "tasks", "--plugin", file)):
        assert finished.exit_code == 0, finished.stderr

    first, _ = (json.loads(path.read_text()) for path in sorted((tmp_path / "tasks").glob("levels-*.json")))
    origin = first["metadata"]["importer"]
    assert (origin["distribution"], origin["version"][:5]) == ("lengths-in-a-file-py", "file-")
    sys.modules.pop(file.stem, None)
