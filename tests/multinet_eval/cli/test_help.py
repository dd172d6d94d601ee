"""Help: every option, in panels, in lines that fit."""

import re
from typing import Any

import pytest
import typer
from typer.main import get_command

from multinet_eval.cli.app import multinet as multinet_app
from support.commands import leaf_commands, multinet, run_eval

COMMANDS = leaf_commands()
HEADING = re.compile(r"^(\S.*):$", re.MULTILINE)


def parameters(path: tuple[str, ...]) -> list[Any]:
    """The parameters of a command."""
    command: Any = get_command(multinet_app)
    for name in path:
        command = command.get_command(typer.Context(command), name)
    context = command.make_context(path[-1], [], resilient_parsing=True)
    return list(context.command.get_params(context))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_describes_every_option(path: tuple[str, ...]) -> None:
    shown = multinet(*path, "--help")
    assert (shown.exit_code, shown.stderr) == (0, "")
    for each in parameters(path):
        assert each.help
        assert max(each.opts, key=len) in shown.stdout or each.param_type_name == "argument"


def test_the_two_names_of_the_evaluation_have_the_same_help() -> None:
    assert run_eval("--help").stdout == multinet("eval", "--help").stdout.replace("multinet eval", "multinet-run-eval")


def test_options_are_grouped_by_what_a_user_wants() -> None:
    assert HEADING.findall(run_eval("--help").stdout) == [
        "What to play",
        "Which model",
        "Backend",
        "What the model sees",
        "How it answers",
        "How much and how fast",
        "Where results go",
        "Plugins",
        "Options",
    ]


@pytest.mark.parametrize("path", [(), ("runs",), ("eval",), ("tasks", "generate"), ("runs", "export")], ids=" ".join)
def test_help_is_plain_and_fits(path: tuple[str, ...]) -> None:
    helped = multinet(*path, "--help", COLUMNS="70").stdout
    assert helped.isascii()
    assert max(map(len, helped.splitlines())) <= 70


def test_brackets_and_addresses_in_help_are_kept() -> None:
    assert "pip install 'multinet-eval[export]'" in " ".join(multinet("runs", "export", "--help").stdout.split())
    assert "[base] and tables [[condition]]" in " ".join(multinet("experiment", "run", "--help").stdout.split())
    assert "127.0.0.1" in multinet("play", "--help").stdout
