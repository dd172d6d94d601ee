"""``multinet tasks validate``: what is said of many files at once, and that none of them stops the others."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands import runner
from support.plugins import write_distribution
from support.programs import output_of
from support.runs import write_corridor, write_task
from support.worlds import block, describe, door, key, teleporter

SUITE = """
from gridworld.hookspecs import BenchmarkInfo, hookimpl

@hookimpl
def gridworld_benchmarks():
    return [BenchmarkInfo("acme", "Tasks.", package="acme_suite", folder="tasks")]
"""


validate = runner("multinet", "tasks", "validate", "--workers", "1")


def findings(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(finding["severity"], finding["path"]) for finding in result["findings"]]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Good files around one of each kind of fault."""
    folder = tmp_path_factory.mktemp("mixed")
    write_corridor(folder, "a_good", "@.G")
    (folder / "b_broken.json").write_text('{\n  "task_id": }')
    write_task(folder, describe("#####\n#@.G#\n#####", max_steps=0), "c_invalid.json")
    (folder / "d_folder.json").mkdir()
    (folder / "d_gone.json").symlink_to("nowhere")
    write_corridor(folder, "e_walled_in", "@.#G")
    write_corridor(folder, "f_too_far", "@........G", max_steps=3)
    false_chain = describe("#####\n#@.G#\n#kD.#\n#####", k=key(), D=door("red"))
    false_chain["dependency_chain"] = {
        "depth": 1,
        "sequence": [{"step": 1, "type": "key-door", "element": "k", "unlocks": "D"}],
    }
    write_task(folder, false_chain, "g_false.json")
    dead_end = {**describe("######\n#@..##\n#.b.G#\n######", b=block()), "task_id": "dead_end"}
    write_task(folder, dead_end, "sub/h_dead_end.json")
    (folder / "i_text.json").write_bytes(b'{"task_id": "\xff"}')
    write_corridor(folder, "z_good", "@..G")
    return folder


@pytest.fixture(scope="module")
def checked(mixed: Path) -> dict[str, dict[str, Any]]:
    """File to what ``--json`` says of it."""
    finished = validate(mixed, "--json")
    assert (finished.returncode, finished.stderr) == (1, "")
    return {result["file"]: result for result in json.loads(finished.stdout)}


def test_every_file_is_checked_and_what_is_wrong_is_told_by_its_place(checked: dict[str, dict[str, Any]]) -> None:
    assert {name: findings(result) for name, result in checked.items()} == {
        "a_good.json": [],
        "b_broken.json": [("error", "line 2, column 14")],
        "c_invalid.json": [("error", "max_steps")],
        "d_gone.json": [("error", "")],
        "e_walled_in.json": [("error", "goal")],
        "f_too_far.json": [("error", "max_steps")],
        "g_false.json": [
            ("error", "dependency_chain.sequence[0].element"),
            ("error", "dependency_chain.sequence[0].unlocks"),
        ],
        "i_text.json": [("error", "byte 13")],
        "sub/h_dead_end.json": [],
        "z_good.json": [],
    }
    assert all(result["ok"] == (not result["findings"]) for result in checked.values())


def test_a_dead_end_is_told_by_its_actions(checked: dict[str, dict[str, Any]]) -> None:
    assert checked["sub/h_dead_end.json"]["dead_end"] == ["turn_right", "move_forward", "turn_left", "move_forward"]
    assert checked["a_good.json"]["dead_end"] is None


def test_each_file_and_each_finding_has_a_line(mixed: Path) -> None:
    finished = validate(mixed)
    assert (finished.returncode, finished.stderr) == (1, "")
    lines = finished.stdout.splitlines()
    assert lines[0] == "good  a_good.json: 2 of 6 actions, 4 states"
    assert lines[1] == "BAD   b_broken.json"
    assert lines[2].strip() == "error: line 2, column 14: broken JSON: Expecting value"
    assert "BAD   e_walled_in.json" in lines
    assert "      error: goal: cannot be reached: all 8 states were searched" in lines
    (dead_end,) = (line for line in lines if "h_dead_end" in line)
    assert dead_end.startswith("good ")
    assert dead_end.endswith("dead end after 4: turn_right move_forward turn_left move_forward")
    assert lines[-1] == "3 of 10 tasks are good"


def test_files_folders_and_suites_can_be_named_together(tmp_path: Path) -> None:
    single = write_corridor(tmp_path, "single")
    write_corridor(tmp_path / "folder", "inside")
    suite = write_corridor(tmp_path, "installed").read_text(encoding="utf-8")
    files = {"acme_suite/__init__.py": "", "acme_suite/plugin.py": SUITE, "acme_suite/tasks/installed.json": suite}
    write_distribution(tmp_path / "site", "acme-suite", "1.0", {"suite": "acme_suite.plugin"}, files)
    finished = validate(single, tmp_path / "folder", "acme", "--json", path=[tmp_path / "site"])
    assert finished.returncode == 0
    assert [result["task_id"] for result in json.loads(finished.stdout)] == ["single", "inside", "installed"]


def test_a_search_cut_short_is_undecided(tmp_path: Path) -> None:
    write_corridor(tmp_path, "large", "@......#G", max_steps=50)
    finished = validate(tmp_path, "--max-states", "5", "--json")
    assert finished.returncode == 1
    (result,) = json.loads(finished.stdout)
    assert (result["ok"], result["verdict"]) == (False, "gave up")
    assert findings(result) == [("undecided", "goal")]
    assert result["findings"][0]["message"] == "no plan found within 5 states; raise max_states"


# --- single tasks of suites ----------------------------------------------------------------------------------------

RECIPES = '[[recipes]]\nfamily = "perfect_maze"\ncount = 2\nsize = [7, 9]\n'


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two installed suites: `acme` of files, and `mazes` of recipes."""
    site = tmp_path_factory.mktemp("site")
    files = {"acme_suite/__init__.py": "", "acme_suite/plugin.py": SUITE}
    files["acme_suite/tasks/1.json"] = write_corridor(site / "tasks", "one").read_text(encoding="utf-8")
    files["acme_suite/tasks/2.json"] = write_corridor(site / "tasks", "two", "@.#G").read_text(encoding="utf-8")
    write_distribution(site, "acme-suite", "1.0", {"suite": "acme_suite.plugin"}, files)
    mazes = SUITE.replace("acme", "mazes").replace('"tasks"', '"recipes.toml"')
    files = {"mazes_suite/__init__.py": "", "mazes_suite/plugin.py": mazes, "mazes_suite/recipes.toml": RECIPES}
    write_distribution(site, "mazes-suite", "1.0", {"mazes": "mazes_suite.plugin"}, files)
    return site


def test_a_single_task_of_a_suite_is_checked_alone(suites: Path) -> None:
    printed = output_of(validate("acme/one", path=[suites]))
    assert printed.splitlines() == ["good  acme/one: 2 of 6 actions, 4 states", "1 of 1 task is good"]
    assert [result["ok"] for result in json.loads(validate("acme/two", "--json", path=[suites]).stdout)] == [False]


@pytest.mark.parametrize(
    "kept", [pytest.param(True, marks=pytest.mark.more), False], ids=["kept on disk", "kept nowhere"]
)
def test_generated_suites_and_their_single_tasks_are_checked(suites: Path, kept: bool, tmp_path: Path) -> None:
    cache = {"GRIDWORLD_CACHE": str(tmp_path / "cache") if kept else "", "TMPDIR": str(tmp_path)}
    whole = validate("mazes", "--json", path=[suites], variables=cache)
    assert whole.returncode == 0, whole.stderr
    first, second = json.loads(whole.stdout)
    finished = validate(f"mazes/{second['task_id']}", "--json", path=[suites], variables=cache)
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout) == [{**second, "file": f"mazes/{second['task_id']}"}]
    assert first["task_id"] != second["task_id"]
    assert [path.name for path in tmp_path.iterdir()] == ["cache"] * kept


def test_dead_ends_beyond_the_allowance_are_noted_and_no_fault(tmp_path: Path) -> None:
    write_corridor(tmp_path, "far", "a........@G#b", ab=teleporter(bidirectional=False))
    finished = validate(tmp_path, "--max-table-states", "10")
    assert finished.returncode == 0
    (note,) = (line.strip() for line in finished.stdout.splitlines() if "note" in line)
    assert note.startswith("note: more than 10 states")
    assert note.endswith(": dead ends were not looked for; raise max_table_states")
    assert "dead end after" in validate(tmp_path, "--max-table-states", "100").stdout
