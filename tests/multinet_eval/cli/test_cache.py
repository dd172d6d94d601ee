"""``multinet cache``: the tables that are kept are shown and removed, and nothing else is."""

import json
from pathlib import Path
from typing import Any

import pytest

from gridworld.solver.state_table import tabulate
from gridworld.solver.table_cache import write_table
from support.commands import invoke
from support.programs import Finished, json_of, output_of, run
from support.worlds import compiled, corridor

TASKS = {"b" * 32: corridor("@.G"), "a" * 32: corridor("@....G")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cache with two tables of a task ``drawn``, and something else."""
    tables = tmp_path / "tables"
    for name, task in TASKS.items():
        write_table(tabulate(compiled(task)), tables / name)
    (tables / "notes").mkdir()
    (tables / "notes" / "notes.txt").write_text("Not a table.")
    return tmp_path


def cache(*arguments: str, folder: Path | str) -> Finished:
    return run("multinet", "cache", *arguments, variables={"GRIDWORLD_CACHE": str(folder)})


def shown(folder: Path) -> Any:
    return json_of(cache("show", "--json", folder=folder))


def size_of(path: Path) -> int:
    return sum(file.stat().st_size for file in path.iterdir())


def test_json_has_all_that_is_known_of_each_table(folder: Path) -> None:
    tables = [
        {
            "task_id": "drawn",
            "tiling": "square",
            "states": len(tabulate(compiled(TASKS[name]))),
            "size": size_of(folder / "tables" / name),
            "path": str(folder / "tables" / name),
        }
        for name in sorted(TASKS)
    ]
    size = sum(size_of(folder / "tables" / name) for name in TASKS)
    assert shown(folder) == {"folder": str(folder), "size": size, "tables": tables, "suites": []}


def test_the_last_line_says_where_they_are_and_what_they_take(folder: Path) -> None:
    printed = output_of(cache("show", folder=folder))
    lines = printed.splitlines()
    assert lines[0].split() == ["What", "Tiling", "States", "Size"]
    assert [line.split()[:2] for line in lines[1:3]] == [["drawn", "square"]] * 2
    assert lines[-1] == f"2 tables, 0 suites, 0.0 MB in {folder}"


def test_what_a_command_has_kept_is_shown(tmp_path: Path) -> None:
    """A task with more states than `gridworld.solver.table_cache.WORTH_KEEPING`."""
    arguments = ["tasks", "list", "validation_10", "--workers", "1", "--max-table-states", "50000"]
    kept = run("multinet", *arguments, variables={"GRIDWORLD_CACHE": str(tmp_path)})
    assert kept.returncode == 0
    assert [table["task_id"] for table in shown(tmp_path)["tables"]] == ["v07_switch_key_chain"]


@pytest.mark.parametrize("command", [("show",), ("clear",), ("clear", "--yes")], ids=" ".join)
def test_where_nothing_is_kept_that_is_said(command: tuple[str, ...], tmp_path: Path) -> None:
    finished = cache(*command, folder=tmp_path)
    assert (finished.returncode, finished.stdout) == (0, "")
    assert finished.stderr == f"nothing cached in {tmp_path}\n"

    finished = cache(*command, folder="")
    assert (finished.returncode, finished.stdout) == (0, "")
    assert finished.stderr == "no cache: GRIDWORLD_CACHE is empty\n"


def test_where_nothing_is_kept_json_is_json(tmp_path: Path) -> None:
    assert shown(tmp_path) == {"folder": str(tmp_path), "size": 0, "tables": [], "suites": []}
    assert json.loads(cache("show", "--json", folder="").stdout) == {
        "folder": None,
        "size": 0,
        "tables": [],
        "suites": [],
    }


def test_tables_alone_are_removed(folder: Path) -> None:
    finished = cache("clear", "--yes", folder=folder)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "removed 2 tables, 0 suites, 0.0 MB\n", "")
    assert [path.name for path in folder.rglob("*")] == ["tables", "notes", "notes.txt"]


def test_generated_suites_are_shown_and_removed_too(folder: Path) -> None:
    suite = folder / "suites" / ("c" * 32)
    suite.mkdir(parents=True)
    (suite / "maze.json").write_text("{}")
    assert shown(folder)["suites"] == [{"tasks": 1, "size": 2, "path": str(suite)}]
    finished = cache("clear", "--yes", folder=folder)
    assert finished.stdout == "removed 2 tables, 1 suite, 0.0 MB\n"
    assert not suite.exists()


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_nothing_is_removed_unless_it_is_confirmed(answer: str, folder: Path) -> None:
    result = invoke(["cache", "clear"], stdin=answer, GRIDWORLD_CACHE=str(folder))
    assert result.exit_code == 1
    assert f"{folder}: 2 tables, 0 suites, 0.0 MB" in result.stderr
    assert len(shown(folder)["tables"]) == 2


def test_confirmed_tables_are_removed(folder: Path) -> None:
    result = invoke(["cache", "clear"], stdin="y\n", GRIDWORLD_CACHE=str(folder))
    assert result.exit_code == 0
    assert result.stdout.endswith("removed 2 tables, 0 suites, 0.0 MB\n")
    assert shown(folder)["tables"] == []
