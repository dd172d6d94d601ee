"""What is refused as a place for what a command writes."""

import os
from pathlib import Path

import pytest

from gridworld.errors import ArgumentError
from multinet_eval.cli.output_places import refuse_output


def test_a_folder_that_cannot_be_written_is_refused_as_a_place_for_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_output(tmp_path / "results.json")
    refuse_output(Path("/dev/null"))
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)  # root may write anywhere
    with pytest.raises(ArgumentError, match=r"--output: cannot write .*results\.json: permission denied"):
        refuse_output(tmp_path / "results.json")


@pytest.mark.parametrize("name", ["run.json", "results.json"])
def test_the_files_of_a_recorded_run_are_no_place_for_anything_else(name: str, tmp_path: Path) -> None:
    refuse_output(tmp_path / name)
    (tmp_path / "run.json").touch()
    refuse_output(tmp_path / "page.html")
    with pytest.raises(ArgumentError, match=f"--output: .*{name} is a file of the record in {tmp_path}"):
        refuse_output(tmp_path / name)
