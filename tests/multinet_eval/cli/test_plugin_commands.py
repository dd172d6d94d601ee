"""Commands that other distributions add to ``multinet``."""

from pathlib import Path

import pytest

from support.plugins import write_distribution
from support.programs import Finished, assert_refused, run, words

PLUGIN = """
from gridworld.hookspecs import CommandInfo, hookimpl

@hookimpl
def gridworld_commands():
    return [
        CommandInfo("greet", "Greet [bold]somebody.", "greeting:greet"),
        CommandInfo("eval", "No evaluation.", "greeting:greet"),
        CommandInfo("lost", "Its module is missing.", "nowhere:lost"),
    ]
"""

GREETING = """
import typer
from gridworld.errors import ArgumentError
from multinet_eval.cli.commands import command

@command()
def greet(name: str, loudly: bool = False) -> None:
    "Say hello in full."
    if not name:
        raise ArgumentError("nobody is to be greeted")
    typer.echo(f"HELLO {name}" if loudly else f"hello {name}")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a distribution that provides commands, one of which cannot be imported."""
    folder = tmp_path_factory.mktemp("plugins")
    files = {"greeting_plugin.py": PLUGIN, "greeting.py": GREETING}
    write_distribution(folder, "greeting", "1.0", {"greeting": "greeting_plugin"}, files)
    return folder


def multinet(installed: Path, *arguments: str) -> Finished:
    return run("multinet", *arguments, path=[installed])


def test_a_command_of_a_plugin_is_called_like_our_own(installed: Path) -> None:
    finished = multinet(installed, "greet", "Ada", "--loudly")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "HELLO Ada\n", "")
    assert "Say hello in full." in multinet(installed, "greet", "--help").stdout
    assert_refused(multinet(installed, "greet", ""), "nobody is to be greeted")


def test_help_lists_the_commands_of_plugins_without_importing_them(installed: Path) -> None:
    finished = multinet(installed, "--help")
    assert finished.returncode == 0
    for expected in ("greet Greet [bold]somebody.", "lost Its module"):
        assert expected in words(finished.stdout)
    assert_refused(multinet(installed, "lost"), "No module named 'nowhere'", exit_code=1)


def test_a_plugin_replaces_no_command_of_our_own(installed: Path) -> None:
    assert "--benchmark" in multinet(installed, "eval", "--help").stdout


def test_a_command_of_two_plugins_is_chosen_by_its_qualified_name(installed: Path, tmp_path: Path) -> None:
    source = 'from gridworld.hookspecs import CommandInfo\nGREET = CommandInfo("greet", "Greet.", "greeting:greet")\n'
    write_distribution(tmp_path, "manners", "1.0", {"manners": "manners:GREET"}, {"manners.py": source})
    assert_refused(
        run("multinet", "greet", "Ada", path=[installed, tmp_path]), "choose one of greeting/greet, manners/"
    )
    chosen = run("multinet", "manners/greet", "Ada", path=[installed, tmp_path])
    assert (chosen.returncode, chosen.stdout) == (0, "hello Ada\n")
