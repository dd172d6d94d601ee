"""Commands that plugins add to ``multinet``."""

from pathlib import Path

import pytest

from support.plugins import write_distribution
from support.programs import Finished, assert_refused, run, words

COMMANDS = """
from gridworld.hookspecs import CommandInfo, hookimpl

@hookimpl
def gridworld_commands():
    return [CommandInfo(name, summary, target) for name, summary, target in {commands!r}]
"""

GREETING = """
from pathlib import Path
from typing import Annotated

import typer
from gridworld.errors import ArgumentError

def greet(name: str, loudly: bool = False) -> None:
    "Say hello in full."
    if not name:
        raise ArgumentError("nobody is to be greeted")
    typer.echo(f"HELLO {name}" if loudly else f"hello {name}")

def shout(
    text: Annotated[str, typer.Argument(parser=str.upper)],
    times: int = 2,
    end: Annotated[str, typer.Option()] = "!",
    more: list[str] | None = None,
    where: Path = typer.Option("not/here"),
) -> None:
    "Say it louder."
    typer.echo(repr((text, times, end, more, where.name)))

def not_typed(name: "Unknown") -> None:
    pass
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three distributions that provide commands, one of which cannot be imported."""
    folder = tmp_path_factory.mktemp("plugins")
    greeting = COMMANDS.format(
        commands=[
            ("greet", "Greet [bold]somebody\x1b[2J.", "greeting:greet"),
            ("shout", "Say it louder.", "greeting:shout"),
            ("eval", "No evaluation.", "greeting:greet"),
            ("lost", "Its module is missing.", "nowhere:lost"),
            ("untyped", "Typer makes nothing of it.", "greeting:not_typed"),
        ]
    )
    files = {"greeting_plugin.py": greeting, "greeting.py": GREETING}
    write_distribution(folder, "greeting", "1.0", {"greeting": "greeting_plugin"}, files)
    second = {"second_plugin.py": COMMANDS.format(commands=[("wave", "Wave.", "greeting:greet")])}
    write_distribution(folder, "second", "1.0", {"second": "second_plugin"}, second)
    third = {"third_plugin.py": COMMANDS.format(commands=[("wave", "Wave, too.", "greeting:greet")])}
    write_distribution(folder, "third", "1.0", {"third": "third_plugin"}, third)
    write_distribution(folder, "broken", "1.0", {"broken": "broken_plugin"}, {"broken_plugin.py": "1 / 0"})
    return folder


def multinet(installed: Path, *arguments: str) -> Finished:
    return run("multinet", *arguments, path=[installed])


def test_what_a_command_is_given_is_converted_as_typer_does(installed: Path) -> None:
    """Also where texts and defaults are taken as they are."""
    assert multinet(installed, "shout", "hi").stdout == "('HI', 2, '!', None, 'here')\n"
    loud = multinet(installed, "shout", "hi", "--times", "3", "--end", "?", "--more", "a", "--more", "b").stdout
    assert loud == "('HI', 3, '?', ['a', 'b'], 'here')\n"
    assert_refused(multinet(installed, "shout", "hi", "--times", "x"), "--times", "valid integer")


def test_a_command_of_a_plugin_is_called_like_our_own(installed: Path) -> None:
    finished = multinet(installed, "greet", "Ada", "--loudly")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "HELLO Ada\n", "")


def test_its_own_help_is_that_of_its_function(installed: Path) -> None:
    finished = multinet(installed, "greet", "--help")
    assert finished.returncode == 0
    assert "Say hello in full." in finished.stdout
    assert "--loudly" in finished.stdout


def test_help_lists_the_commands_of_plugins_without_markup(
    installed: Path,
) -> None:
    finished = multinet(installed, "--help")
    assert finished.returncode == 0
    text = words(finished.stdout)
    for expected in (
        "greet Greet [bold]somebody\\x1b[2J.",
        "greeting/eval No evaluation.",
        "lost Its module",
        "leaderboard",
    ):
        assert expected in text


def test_a_plugin_replaces_no_command_of_our_own(
    installed: Path,
) -> None:
    assert "--benchmark" in multinet(installed, "eval", "--help").stdout
    assert multinet(installed, "greeting/eval", "Ada").stdout == "hello Ada\n"


def test_of_two_plugins_that_have_one_name_neither_is_called_by_it(installed: Path) -> None:
    assert_refused(multinet(installed, "wave", "Ada"), "wave", "second/wave", "third/wave")
    assert multinet(installed, "third/wave", "Ada").stdout == "hello Ada\n"


@pytest.mark.parametrize(
    ("name", "why"), [("lost", "No module named 'nowhere'"), ("untyped", "name 'Unknown' is not defined")]
)
def test_a_command_that_cannot_be_loaded_says_whose_it_is_and_why(installed: Path, name: str, why: str) -> None:
    finished = multinet(installed, name, "Ada")
    assert_refused(finished, f"command '{name}' (greeting)", why, exit_code=1)


def test_an_error_of_the_toolkit_that_it_raises_is_a_message(installed: Path) -> None:
    assert_refused(multinet(installed, "greet", ""), "nobody is to be greeted")


def test_an_unknown_command_names_failed_plugins(installed: Path) -> None:
    assert_refused(multinet(installed, "grert"), "No such command 'grert'", "broken/broken")
