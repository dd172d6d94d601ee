"""Refused places for the files of commands."""

import os
from pathlib import Path

import pytest

from gridworld.errors import ArgumentError
from multinet_eval.cli.output_files import refuse_file_as_folder, refuse_output
from support.commands import invoke
from support.runs import write_corridor


def test_an_unwritable_folder_is_refused_for_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_output(tmp_path / "results.json")
    refuse_output(Path("/dev/null"))
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)  # root may write anywhere
    with pytest.raises(
        ArgumentError, match=r"--output: cannot write .*results\.json: permission denied, or the disk is read-only"
    ):
        refuse_output(tmp_path / "results.json")


def test_a_name_that_the_system_does_not_take_is_refused(tmp_path: Path) -> None:
    place = tmp_path / ("x" * 300)
    for refuse in (refuse_output, refuse_file_as_folder):
        with pytest.raises(ArgumentError, match=r"--there: .*xxx: File name too long"):
            refuse(place, "--there")


@pytest.mark.parametrize("name", ["run.json", "results.json"])
def test_the_files_of_a_recorded_run_are_no_place_for_anything_else(name: str, tmp_path: Path) -> None:
    refuse_output(tmp_path / name)
    (tmp_path / "run.json").touch()
    refuse_output(tmp_path / "page.html")
    with pytest.raises(ArgumentError, match=f"--output: .*{name} is a file of the record in {tmp_path}"):
        refuse_output(tmp_path / name)


@pytest.mark.parametrize(
    ("given", "place"),
    [("~/schema.json", "home/schema.json"), ("./~", "here/~"), ("~nobody-here", "here/~nobody-here")],
)
def test_a_tilde_in_a_path_is_expanded(given: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("home", "here"):
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    assert invoke(["tasks", "schema", f"--output={given}"]).exit_code == 0
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()] == [place]


def test_folders_of_variables_may_do_so_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MULTINET_RUNS", "~/runs")
    write_corridor(tmp_path / "tasks", "one", "@.G")
    played = ["eval", "--model", "optimal", f"--task-dir={tmp_path / 'tasks'}", "-q"]
    assert invoke(played, MULTINET_NO_RECORD="").exit_code == 0
    (run,) = (tmp_path / "runs").iterdir()
    assert run.name in invoke(["runs", "list"]).stdout
    assert invoke(["runs", "verify", f"~/runs/{run.name}"]).exit_code == 0
