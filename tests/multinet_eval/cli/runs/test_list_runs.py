"""``multinet runs list``: a row for each recorded run, whatever has become of it."""

import json
from collections.abc import Callable
from pathlib import Path

from support.commands import invoke, run
from support.runs import being_played, record_run
from support.worlds import corridor


def test_each_run_has_a_row_by_name(copied: Callable[[str], Path], cut_short: Path) -> None:
    held, damaged = copied("held"), copied("damaged")
    copied("done")
    (damaged / "run.json").write_text('{"version": 1', encoding="utf-8")
    with being_played(held):
        finished = run("multinet", "runs", "list", "--runs", cut_short.parent)
    assert (finished.returncode, finished.stderr) == (0, "")
    lines = finished.stdout.splitlines()
    rows = [line.split() for line in lines[1:5]]
    assert [row[:-1] for row in rows] == [
        ["cut-short", "small", "walker", "square", "unfinished", "1", "of", "3", "1"],
        ["damaged", "-", "-", "-", "unreadable", "-", "-"],
        ["done", "small", "walker", "square", "finished", "3", "of", "3", "2"],
        ["held", "small", "walker", "square", "being", "played", "3", "of", "3", "2"],
    ]
    assert lines[-1].startswith("damaged: ")
    assert "run.json: it is not JSON" in lines[-1]


def test_similar_runs_are_listed_with_their_differences(tmp_path: Path) -> None:
    tasks = [corridor("@.G", max_steps=2)]
    settings = {"model": "random", "backend_arguments": (), "requests": 0}
    for name, tilings, seed in (("one", ("hex",), 1), ("other", ("square",), 2), ("all", ("hex", "488", "3464"), 1)):
        record_run(tmp_path / name, tasks, tilings=tilings, seed=seed, **settings)
    lines = invoke(["runs", "list", "--runs", tmp_path], COLUMNS="150").stdout.splitlines()
    assert lines[0].endswith("Differs in")
    assert [(line.split()[0], line.split()[3], line.split()[-1]) for line in lines[1:4]] == [
        ("all", "3", "seed=1"),
        ("one", "hex", "seed=1"),
        ("other", "square", "seed=2"),
    ]
    assert "  3 tilings  " in lines[1]


def test_json_has_the_same(copied: Callable[[str], Path], cut_short: Path) -> None:
    copied("done")
    rows = json.loads(run("multinet", "runs", "list", "--runs", cut_short.parent, "--json").stdout)
    assert [(row["name"], row["status"], row["finished"], row["planned"], row["solved"]) for row in rows] == [
        ("cut-short", "unfinished", 1, 3, 1),
        ("done", "finished", 3, 3, 2),
    ]
    assert rows[1]["path"] == str(cut_short.parent / "done")


def test_runs_are_looked_for_where_they_are_recorded(walked: Path, tmp_path: Path) -> None:
    for options in ({"cwd": tmp_path}, {"variables": {"MULTINET_RUNS": str(tmp_path)}}):
        finished = run("multinet", "runs", "list", **options)
        assert (finished.returncode, finished.stdout) == (0, "")
        assert finished.stderr.startswith("no recorded runs in ")
    assert "walked" in run("multinet", "runs", "list", variables={"MULTINET_RUNS": str(walked.parent)}).stdout
    assert run("multinet", "runs", "list", "--json", cwd=tmp_path).stdout == "[]\n"


def test_a_run_in_place_of_a_folder_of_runs_is_said_to_be_one(walked: Path) -> None:
    finished = run("multinet", "runs", "list", "--runs", walked)
    assert finished.stdout == ""
    assert finished.stderr == (
        f"no recorded runs in {walked}\n{walked} is itself a recorded run; read it with: multinet runs show {walked}\n"
    )
