"""Help that a newcomer can read: few options, grouped, in lines that fit; all options on demand."""

import re
from typing import Any

import pytest
import typer
from typer.main import get_command

from multinet_eval.cli.app import multinet as multinet_app
from multinet_eval.cli.help import MOST_OPTIONS
from support.commands import leaf_commands, multinet, run_eval
from support.programs import assert_refused, run

COMMANDS = leaf_commands()
OPTION = re.compile(r"^  (?:-\w, )?(--[a-z][a-z-]+)", re.MULTILINE)
HEADING = re.compile(r"^(\S.*):$", re.MULTILINE)
PLUGINS = [("play",), ("report",)]
"""Commands that are read when they are called."""
WEEK = {
    "--benchmark",
    "--task-dir",
    "--tier",
    "--model",
    "--model-arg",
    "--observation",
    "--workers",
    "--output",
    "--help",
}
"""Options without which a first week is hard."""


def parameters(path: tuple[str, ...]) -> list[Any]:
    """The parameters of a command."""
    command: Any = get_command(multinet_app)
    for name in path:
        command = command.get_command(typer.Context(command), name)
    context = command.make_context(path[-1], [], resilient_parsing=True)
    return list(context.command.get_params(context))


def declared_options(path: tuple[str, ...]) -> list[str]:
    """The long names of a command's options."""
    names = [each.opts for each in parameters(path) if each.param_type_name == "option"]
    return [next(name for name in of_one if name.startswith("--")) for of_one in names]


def long_commands() -> list[tuple[str, ...]]:
    return [path for path in COMMANDS if path not in PLUGINS and "--help-all" in declared_options(path)]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_shows_at_most_25_options_and_says_where_the_others_are(path: tuple[str, ...]) -> None:
    helped = multinet(*path, "--help").stdout
    shown, declared = OPTION.findall(helped), declared_options(path)
    assert len(shown) <= MOST_OPTIONS == 25
    assert set(shown) <= set(declared)
    missing = len(declared) - len(shown)
    assert missing == 0 or f"{missing} more options: multinet {' '.join(path)} --help-all" in helped


@pytest.mark.parametrize("path", long_commands(), ids=" ".join)
def test_help_all_shows_every_option(path: tuple[str, ...]) -> None:
    shown = multinet(*path, "--help-all")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert sorted(OPTION.findall(shown.stdout)) == sorted(declared_options(path))


def test_the_two_names_of_the_evaluation_have_the_same_help() -> None:
    for option in ("--help", "--help-all"):
        assert run_eval(option).stdout == multinet("eval", option).stdout.replace("multinet eval", "multinet-run-eval")


def test_options_of_the_first_week_are_grouped_by_what_a_user_wants() -> None:
    helped = run_eval("--help").stdout
    assert set(OPTION.findall(helped)) >= WEEK
    groups = ["What to play", "Which model", "What the model sees", "How it answers", "How much and how fast"]
    assert HEADING.findall(helped) == [*groups, "Where results go", "Options"]


def test_help_all_takes_no_other_arguments_into_account() -> None:
    assert multinet("eval", "--model", "no_such_model", "--help-all").exit_code == 0
    assert_refused(run("multinet", "tasks", "list", "--help-all"), "No such option")


@pytest.mark.parametrize("width", [None, 60])
@pytest.mark.parametrize("path", [(), ("runs",), ("eval",), ("tasks", "generate"), ("runs", "export")], ids=" ".join)
def test_help_is_plain_and_fits(path: tuple[str, ...], width: int | None) -> None:
    helped = multinet(*path, "--help", COLUMNS="" if width is None else str(width)).stdout
    assert helped.isascii()
    lines = helped.splitlines()
    assert max(map(len, lines)) <= (width or 80)
    assert all(line == line.rstrip() for line in lines)


def test_brackets_in_help_are_kept() -> None:
    assert "pip install 'multinet-eval[export]'" in " ".join(multinet("runs", "export", "--help").stdout.split())
    assert "[base] and tables [[condition]]" in " ".join(multinet("experiment", "run", "--help").stdout.split())


def test_the_commands_have_no_option_without_a_description() -> None:
    without = {path: [each.name for each in parameters(path) if not each.help] for path in COMMANDS}
    assert not any(without.values()), without
