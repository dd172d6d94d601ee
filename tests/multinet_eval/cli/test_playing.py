"""How a run is played from the command line: what is refused before it begins."""

from typing import Any

import attrs
import pytest
import typer

from multinet_eval.cli.app import multinet
from multinet_eval.cli.run_options import AskingOptions, PlayingOptions

OPTIONS = {"playing": PlayingOptions, "asking": AskingOptions}
TAKEN = {
    ("eval",): "playing",
    ("runs", "resume"): "playing",
    ("experiment", "run"): "playing",
    ("probe",): "asking",
    ("diagnose",): "asking",
}


@pytest.mark.parametrize("words", TAKEN, ids=" ".join)
def test_commands_that_ask_models_share_options_and_defaults(words: tuple[str, ...]) -> None:
    command: Any = typer.main.get_command(multinet)
    for word in words:
        command = command.get_command(typer.Context(command), word)
    given = {each.name: each.default for each in command.params}
    wanted = {each.name: each.default for each in attrs.fields(OPTIONS[TAKEN[words]])}
    assert {name: given[name] for name in wanted} == wanted
    assert not {"playing", "asking", "show", "observers", "caching"} & given.keys()
