"""Help and version of the programs, and how little they import."""

from importlib.metadata import version
from pathlib import Path

import pytest

from support.plugins import run_python
from support.programs import assert_refused, run

HEAVY = {"numpy", "scipy", "minigrid", "gymnasium", "PIL", "pygame", "cattrs"}

TELL_WHAT_IS_IMPORTED = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"


def imported_by(entry: str, *arguments: str) -> set[str]:
    """The modules that a program has imported when it ends."""
    call = f"import sys; sys.argv[1:] = {list(arguments)}; from multinet_eval.cli import {entry}; {entry}()"
    finished = run_python(f"{TELL_WHAT_IS_IMPORTED}\n{call}", [])
    assert finished.returncode == 0
    return set(finished.stderr.split())


@pytest.mark.parametrize(
    ("entry", "arguments"),
    [
        ("run_eval", ["--help"]),
        ("main", ["--help"]),
        ("main", ["--version"]),
        ("main", ["eval", "--help"]),
        ("main", ["compare", "--help"]),
        ("main", ["leaderboard", "--help"]),
        ("main", ["calibrate", "--help"]),
        ("main", ["plugins", "list"]),
        ("main", ["plugins", "list", "--json"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_help_and_the_list_of_plugins_import_nothing_heavy(entry: str, arguments: list[str]) -> None:
    imported = imported_by(entry, *arguments)
    assert "multinet_eval.cli.app" in imported
    assert not HEAVY & imported


def test_a_run_without_pictures_imports_little() -> None:
    imported = imported_by("run_eval", "--model", "random", "--tier", "1", "--no-record")
    assert not {"minigrid", "pygame", "PIL"} & imported
    assert not {"pydantic", "gridworld.generation.making", "gridworld.generation.certificate"} & imported
    assert {"numpy", "cattrs"} <= imported


def test_what_draws_or_reads_a_number_imports_them_of_course(tasks: Path, tmp_path: Path) -> None:
    """So that the tests above would notice."""
    task = next(tasks.glob("*.json"))
    imported = imported_by("main", "tasks", "render", str(task), "-o", str(tmp_path / "start.png"))
    assert {"minigrid", "pygame", "PIL"} <= imported
    seeded = imported_by(
        "run_eval", "--model", "random", "--task-dir", str(tasks), "--seed", "1", "--quiet", "--no-record"
    )
    assert "pydantic" in seeded


def test_the_version_is_that_of_the_distribution() -> None:
    finished = run("multinet", "--version")
    assert (finished.returncode, finished.stdout) == (0, f"multinet-eval {version('multinet-eval')}\n")


def test_a_command_is_needed_and_has_to_be_one_of_them() -> None:
    assert_refused(run("multinet"), "Missing command")
    assert_refused(run("multinet", "evaluate"), "No such command 'evaluate'", "eval")
