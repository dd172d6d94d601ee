"""``multinet tasks import``: certified tasks from levels in another form."""

import json
import signal
import time
from pathlib import Path

import pytest

from gridworld.task_spec import TaskSpecification
from support.programs import assert_refused, output_of, run, runner, start

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
    printed = output_of(import_levels("sokoban", levels, "-o", tmp_path / "out"))
    assert printed.splitlines() == [
        f"inexpressible: {levels}, level 2 (with a gap): the wall has a gap at line 8, column 2",
        "unsolvable: levels-003: unsolvable on square",
        f"1 of 3 levels imported into {tmp_path / 'out'} (1 inexpressible, 1 unsolvable)",
    ]
    assert list(contents(tmp_path / "out")) == ["levels-001.json"]
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


def test_json_tells_all_levels(levels: Path, tmp_path: Path) -> None:
    finished = import_levels("sokoban", levels, "-o", tmp_path / "out", "--json")
    told = json.loads(finished.stdout)
    assert [level["outcome"] for level in told["levels"]] == ["imported", "inexpressible", "unsolvable"]
    assert told["levels"][0]["file"] == str(tmp_path / "out" / "levels-001.json")
    assert told["counts"] == {"imported": 1, "inexpressible": 1, "unsolvable": 1}


def test_imported_files_do_not_depend_on_workers(tmp_path: Path) -> None:
    call = ("minigrid", "MiniGrid-MultiRoom-N2-S4-v0", "--seeds", "0-5")
    for workers in ("1", "2"):
        import_levels(*call, "-o", tmp_path / workers, "--workers", workers)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert len(contents(tmp_path / "1")) == 6


def test_importing_again_changes_nothing(levels: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    import_levels("sokoban", levels, "-o", out)
    before = contents(out)
    assert import_levels("sokoban", levels, "-o", out).returncode == 0
    assert contents(out) == before


@pytest.mark.parametrize("foreign", ["{}", "hello", None])
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
    assert import_levels("sokoban", levels, "-o", out, "--overwrite").returncode == 0
    assert TaskSpecification.from_json(file).task_id == "levels-001"


def test_a_search_may_be_bounded(tmp_path: Path) -> None:
    call = ("minigrid", "MiniGrid-FourRooms-v0", "-o", tmp_path / "out", "--max-states", "3")
    finished = import_levels(*call)
    assert finished.returncode == 1
    assert "(1 undecided)" in finished.stdout
    assert not (tmp_path / "out").exists()


def test_nothing_imported_is_a_failure(tmp_path: Path) -> None:
    finished = import_levels("minigrid", "MiniGrid-Unlock-v0", "-o", tmp_path / "out")
    assert finished.returncode == 1
    assert "inexpressible: MiniGrid-Unlock-v0, seed 0: success is an open door" in finished.stdout


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
    assert (finished.returncode, finished.stderr) == (1, "")
    told, summary = finished.stdout.splitlines()
    assert told.startswith(f"unreadable: {drawings / 'b.txt'}: line 2, column 3: 'A' is not explained")
    assert summary == f"2 of 3 levels imported into {out} (1 unreadable)"
    assert list(contents(out)) == ["a.json", "c.json"]


def test_wrong_calls_are_refused_before_anything_is_written(levels: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.txt").write_text("#####\n#@x.#\n#####\n")
    (tmp_path / "drawing.txt").write_text("#####\n#>A.#\n#####\n")
    before = contents(tmp_path)
    out = ("-o", tmp_path / "out")
    empty = "MiniGrid-Empty-5x5-v0"
    assert_refused(import_levels("sokobam", levels, *out), "unknown importer 'sokobam' (did you mean 'sokoban'?)")
    assert_refused(import_levels("sokoban", tmp_path / "nowhere", *out), "nowhere: no such file or folder")
    assert_refused(import_levels("sokoban", tmp_path / "empty", *out), "empty: no levels (*.txt, *.xsb, *.sok) in it")
    assert_refused(import_levels("sokoban", tmp_path / "bad.txt", *out), "bad.txt: line 2, column 3: unexpected 'x'")
    assert_refused(import_levels("ascii", tmp_path / "drawing.txt", *out), "line 2, column 3: 'A' is not explained")
    assert_refused(import_levels("sokoban", levels, "-o", levels), "--output:", "is a file, expected a folder")
    assert_refused(
        import_levels("sokoban", levels, *out, "--seeds", "1"), "has no argument 'seeds'; it takes: max_states"
    )
    assert_refused(
        import_levels("minigrid", empty, *out, "--seeds", "9-1"), "importer 'minigrid': the band 9-1 is empty"
    )
    assert_refused(import_levels("minigrid", empty, *out, "-I", "sead=1"), "did you mean 'seeds'?")
    assert_refused(import_levels("minigrid", empty, *out, "--tilings", "hexx"), "unknown tiling 'hexx'")
    assert_refused(import_levels("minigrid", "MiniGrid-Emty-5x5-v0", *out), "did you mean 'MiniGrid-Empty-5x5-v0'?")
    assert_refused(
        import_levels("minigrid", empty, *out, "--seeds", "1,1"),
        "several levels have the id 'MiniGrid-Empty-5x5-v0-1'",
    )
    assert contents(tmp_path) == before


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


def test_what_show_draws_is_read_again(tmp_path: Path) -> None:
    shown = run("multinet", "tasks", "show", "tiers/t5_07_clockwork", "--drawing")
    assert (shown.returncode, shown.stderr) == (0, "")
    drawing = tmp_path / "clockwork.txt"
    drawing.write_text(shown.stdout, encoding="utf-8")
    assert import_levels("ascii", drawing, "-o", tmp_path).returncode == 0
    again = run("multinet", "tasks", "show", tmp_path / "t5_07_clockwork.json", "--drawing")
    drawn, read = ([line for line in each.stdout.splitlines() if "metadata" not in line] for each in (shown, again))
    assert read == drawn
    as_json = run("multinet", "tasks", "show", "tiers/t5_07_clockwork", "--drawing", "--json")
    assert json.loads(as_json.stdout) == {"task": "t5_07_clockwork", "drawing": shown.stdout}
