"""``multinet tasks import``: certified tasks from levels in another form."""

import json
import signal
import time
from pathlib import Path

import pytest

from gridworld.task_spec import TaskSpecification
from support.commands import run, runner
from support.programs import assert_refused, start

LEVELS = """\
; solved by two pushes
######
#@$ .#
######

; with a gap
#####
#@$.

; cannot be solved
######
#$ @.#
######
"""


@pytest.fixture
def levels(tmp_path: Path) -> Path:
    file = tmp_path / "levels.txt"
    file.write_text(LEVELS)
    return file


import_levels = runner("multinet", "tasks", "import")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_each_level_that_can_be_certified_becomes_a_file(levels: Path, tmp_path: Path) -> None:
    finished = import_levels("sokoban", levels, "-o", tmp_path / "out")
    assert finished.returncode == 1
    assert finished.stderr.splitlines() == [
        f"inexpressible: {levels}, line 7, level 2 (with a gap): the wall has a gap at line 8, column 2",
        "unsolvable: levels-003: unsolvable on square",
    ]
    assert finished.stdout == f"1 of 3 levels imported into {tmp_path / 'out'} (1 inexpressible, 1 unsolvable)\n"
    before = contents(tmp_path / "out")
    assert list(before) == ["levels-001.json"]
    told = json.loads(import_levels("sokoban", levels, "-o", tmp_path / "out", "--json").stdout)
    assert [level["outcome"] for level in told["levels"]] == ["imported", "inexpressible", "unsolvable"]
    assert told["levels"][0]["file"] == str(tmp_path / "out" / "levels-001.json")
    assert told["counts"] == {"imported": 1, "inexpressible": 1, "unsolvable": 1}
    assert contents(tmp_path / "out") == before
    task = TaskSpecification.from_json(tmp_path / "out" / "levels-001.json")
    assert task.metadata["certificate"]["optimal_length"] == {"square": 2}
    assert {name: task.metadata["importer"][name] for name in ("name", "distribution", "source")} == {
        "name": "sokoban",
        "distribution": "gridworld-generators",
        "source": str(levels),
    }


def test_what_is_imported_is_valid_and_verified(tmp_path: Path) -> None:
    out = tmp_path / "out"
    finished = import_levels(
        "minigrid", "MiniGrid-DoorKey-5x5-v0", "--seeds", "0-2", "-o", out, "--tilings", "square,hex"
    )
    assert finished.stdout == f"3 of 3 levels imported into {out}\n"
    assert run("multinet", "tasks", "validate", out).returncode == 0
    assert run("multinet", "tasks", "verify", out).returncode == 0


def test_imported_files_do_not_depend_on_workers(tmp_path: Path) -> None:
    call = ("minigrid", "MiniGrid-MultiRoom-N2-S4-v0", "--seeds", "0-2")
    for workers in ("1", "2"):
        import_levels(*call, "-o", tmp_path / workers, "--workers", workers)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert len(contents(tmp_path / "1")) == 3


@pytest.mark.parametrize("foreign", ["hello", None])
def test_files_of_another_origin_need_overwrite(foreign: str | None, levels: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    import_levels("sokoban", levels, "-o", out)
    file = out / "levels-001.json"
    if foreign is None:
        data = json.loads(file.read_text())
        data["metadata"]["importer"]["source"] = "elsewhere"
        foreign = json.dumps(data)
    file.write_text(foreign)
    assert_refused(import_levels("sokoban", levels, "-o", out), "levels-001.json exists", "--overwrite")
    assert file.read_text() == foreign
    assert import_levels("sokoban", levels, "-o", out, "--overwrite").stdout.startswith("1 of 3 levels")
    assert TaskSpecification.from_json(file).task_id == "levels-001"


def test_a_search_may_be_bounded(tmp_path: Path) -> None:
    call = ("minigrid", "MiniGrid-FourRooms-v0", "-o", tmp_path / "out", "--max-states", "3")
    finished = import_levels(*call)
    assert finished.returncode == 1
    assert "(1 undecided)" in finished.stdout
    assert not (tmp_path / "out").exists()


def test_a_bad_file_does_not_stop_an_import(tmp_path: Path) -> None:
    drawings, out = tmp_path / "drawings", tmp_path / "out"
    drawings.mkdir()
    for name, map_ in {
        "a": "#####\n#>.G#\n#####\n",
        "b": "#####\n#>AG#\n#####\n",
        "c": "#####\n#>G.#\n#####\n",
    }.items():
        (drawings / f"{name}.txt").write_text(map_)
    finished = import_levels("ascii", drawings, "-o", out)
    assert finished.returncode == 1
    assert finished.stderr.startswith(f"unreadable: {drawings / 'b.txt'}: line 2, column 3: 'A' is not explained")
    assert finished.stdout == f"2 of 3 levels imported into {out} (1 unreadable)\n"
    assert list(contents(out)) == ["a.json", "c.json"]


def test_nothing_is_written_without_a_good_level(tmp_path: Path) -> None:
    file, out = tmp_path / "levels.txt", tmp_path / "out"
    file.write_bytes(b"; \xfc\x1b[2J\n#####\n#@x.#\n#####\n\n#####\n# $.#\n#####\n")
    finished = import_levels("sokoban", file, "-o", out)
    assert finished.returncode == 1
    assert finished.stderr.splitlines() == [
        f"inexpressible: {file}, line 2, level 1 (\xfc\\x1b[2J): line 3, column 3: unexpected 'x'; "
        "expected # @ + $ * . or a blank",
        f"inexpressible: {file}, line 6, level 2: it has no players, expected one '@' or '+'",
    ]
    assert finished.stdout == f"0 of 2 levels imported into {out} (2 inexpressible)\n"
    assert not out.exists()


@pytest.mark.more
def test_an_interruption_leaves_whole_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    call = ("tasks", "import", "minigrid", "MiniGrid-MultiRoom-N6-v0", "--seeds", "0-500", "-o", out, "--workers", "1")
    process = start("multinet", *call)
    while not list(out.glob("*.json")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, "interrupted\n")
    assert [path.name for path in out.iterdir() if path.suffix != ".json"] == []
    for file in out.iterdir():
        TaskSpecification.from_json(file)
