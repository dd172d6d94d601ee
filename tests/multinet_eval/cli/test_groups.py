"""Groups of commands, of which no more is imported than a call needs."""

import json
from typing import Any

import pytest
import typer

from multinet_eval.cli.app import COMMANDS, GROUPS
from multinet_eval.cli.app import multinet as multinet_app
from support.commands import multinet
from support.plugins import run_python


def test_every_command_can_be_made_and_is_called_as_it_is_listed() -> None:
    group: Any = typer.main.get_command(multinet_app)
    assert set(group.commands) == {words.partition(" ")[0] for words in COMMANDS}
    assert set(GROUPS) == {words.partition(" ")[0] for words in COMMANDS if " " in words}
    for words in COMMANDS:
        *above, name = words.split()
        found = group.get_command(typer.Context(group), above[0]) if above else group
        command = found.get_command(typer.Context(found), name)
        assert command.name == name
        assert command.help


def test_a_command_imports_no_other_command() -> None:
    code = """
import json, sys
sys.argv[1:] = ["tasks", "schema", "--help"]
from multinet_eval.cli import main
try:
    main()
finally:
    print(json.dumps([name for name in sys.modules if name.startswith("multinet_eval.cli.")]), file=sys.stderr)
"""
    imported = {name.removeprefix("multinet_eval.cli.") for name in json.loads(run_python(code, []).stderr)}
    assert not {"eval_command", "compare", "tasks.look", "tasks.check", "runs.check"} & imported


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_the_help_of_a_group_tells_of_each_command(group: str) -> None:
    finished = multinet(group, "-h")
    assert finished.exit_code == 0
    for words in COMMANDS:
        if words.startswith(f"{group} "):
            assert f"\n  {words.partition(' ')[2]} " in finished.stdout


def test_options_of_a_group_are_read() -> None:
    assert "unknown plugin 'nobody'" in multinet("plugins", "list", "--disable-plugin", "nobody").stderr
    assert json.loads(multinet("plugins", "list", "--json").stdout)["plugins"]
