"""``multinet runs remove``: asks, and removes runs only."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import invoke
from support.programs import assert_refused, output_of, run
from support.runs import being_played


def test_runs_are_removed_without_a_question_if_told_so(copied: Callable[[str], Path]) -> None:
    paths = [copied("first"), copied("second")]
    printed = output_of(run("multinet", "runs", "remove", *paths, "--yes"))
    assert printed == "".join(f"removed {path}\n" for path in paths)
    assert list(paths[0].parent.iterdir()) == []


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_nothing_is_removed_unless_it_is_confirmed(answer: str, copied: Callable[[str], Path]) -> None:
    path = copied("run")
    result = invoke(["runs", "remove", path], stdin=answer)
    assert result.exit_code == 1
    assert f"{path}: walker on small, 3 of 3 episodes finished" in result.stderr
    assert path.exists()


def test_a_confirmed_run_is_removed(copied: Callable[[str], Path]) -> None:
    path = copied("run")
    assert invoke(["runs", "remove", path], stdin="y\n").exit_code == 0
    assert not path.exists()


def test_one_that_cannot_be_removed_keeps_the_others(copied: Callable[[str], Path], tmp_path: Path) -> None:
    path, held = copied("run"), copied("held")
    assert_refused(run("multinet", "runs", "remove", path, tmp_path, "-y"), "is not a recorded run")
    with being_played(held):
        assert_refused(run("multinet", "runs", "remove", path, held, "-y"), "is being played by process", exit_code=1)
    assert path.exists()
    assert held.exists()


def test_a_damaged_run_is_removed_too(copied: Callable[[str], Path]) -> None:
    path = copied("run")
    (path / "run.json").write_text("{", encoding="utf-8")
    result = invoke(["runs", "remove", path], stdin="y\n")
    assert "run.json is damaged" in result.stderr
    assert not path.exists()
