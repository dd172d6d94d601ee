"""How a run is played from the command line: what is refused before it begins."""

import os
from pathlib import Path
from typing import Any

import attrs
import pytest
import typer

from gridworld.errors import ArgumentError
from multinet_eval.cli.app import multinet
from multinet_eval.cli.playing import AskingOptions, PlayingOptions, refuse_output


def test_a_folder_that_cannot_be_written_is_refused_as_a_place_for_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_output(tmp_path / "results.json")
    refuse_output(Path("/dev/null"))
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)  # root may write anywhere
    with pytest.raises(ArgumentError, match=r"--output: cannot write .*results\.json: permission denied"):
        refuse_output(tmp_path / "results.json")


OPTIONS = {"playing": PlayingOptions, "asking": AskingOptions}
TAKEN = {
    ("eval",): "playing",
    ("runs", "resume"): "playing",
    ("runs", "extend"): "playing",
    ("experiment", "run"): "playing",
    ("probe",): "asking",
    ("diagnose",): "asking",
}


@pytest.mark.parametrize("words", TAKEN, ids=" ".join)
def test_whatever_asks_a_model_has_the_same_options_of_playing_with_the_same_defaults(words: tuple[str, ...]) -> None:
    command: Any = typer.main.get_command(multinet)
    for word in words:
        command = command.commands[word]
    given = {each.name: each.default for each in command.params}
    wanted = {each.name: each.default for each in attrs.fields(OPTIONS[TAKEN[words]])}
    assert {name: given[name] for name in wanted} == wanted
    assert not {"playing", "asking", "show", "observers", "kept"} & given.keys()
