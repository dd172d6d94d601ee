"""Groups of commands, of which no more is imported than a call needs."""

import json

import pytest
import typer

from multinet_eval.cli import app
from multinet_eval.cli.groups import group_of
from support.plugins import run_python
from support.programs import assert_refused, run

GROUPS = {
    "experiment": app.EXPERIMENT,
    "models": app.MODELS,
    "plugins": app.PLUGINS,
    "prompts": app.PROMPTS,
    "runs": app.RUNS,
    "tasks": app.TASKS,
}


@pytest.fixture(scope="module")
def multinet() -> typer.main.TyperGroup:
    """The program as a group of commands."""
    group = typer.main.get_command(app.multinet)
    assert isinstance(group, typer.main.TyperGroup)
    return group


def test_every_command_can_be_made_and_is_called_as_it_is_listed(multinet: typer.main.TyperGroup) -> None:
    assert list(multinet.commands) == [
        *app.TOP,
        "plugins",
        "tasks",
        "models",
        "runs",
        "experiment",
        "prompts",
    ]
    for name, commands in GROUPS.items():
        group = multinet.commands[name]
        assert isinstance(group, typer.main.TyperGroup)
        made = {each: group.get_command(typer.Context(group), each) for each in group.commands}
        assert {each: command and command.name for each, command in made.items()} == {each: each for each in commands}
        assert all(command and command.help for command in made.values())


def test_a_command_imports_no_other_command() -> None:
    code = """
import json, sys
sys.argv[1:] = ["tasks", "schema", "--help"]
from multinet_eval.cli import main
try:
    main()
finally:
    print(json.dumps([name for name in sys.modules if name.startswith("multinet_eval.cli.tasks.")]), file=sys.stderr)
"""
    assert set(json.loads(run_python(code, []).stderr)) <= {
        "multinet_eval.cli.tasks.finding",
        "multinet_eval.cli.tasks.files",
    }


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_the_help_of_a_group_tells_of_each_command(group: str) -> None:
    finished = run("multinet", group, "-h")
    assert finished.returncode == 0
    for name in GROUPS[group]:
        assert f"\n  {name} " in finished.stdout


def test_a_misspelt_command_is_refused_with_the_nearest_one() -> None:
    assert_refused(run("multinet", "tasks", "shwo"), "No such command 'shwo'", "show")
    assert_refused(run("multinet", "plugin"), "No such command 'plugin'", "plugins")


def test_options_are_read_where_some_are_given() -> None:
    assert_refused(run("multinet", "plugins", "--jsn"), "No such option", "--json")
    assert_refused(run("multinet", "plugins", "--disable-plugin", "nobody"), "unknown plugin 'nobody'")
    assert json.loads(run("multinet", "plugins", "--json").stdout)["plugins"]


def test_added_commands_follow_imported_ones() -> None:
    main_app, added = (
        typer.Typer(cls=group_of({"first": "multinet_eval.cli.plugins.check:check_plugins"})),
        typer.Typer(),
    )
    added.command("inner")(lambda: None)
    main_app.add_typer(added, name="second")
    group = typer.main.get_command(main_app)
    assert isinstance(group, typer.main.TyperGroup)
    assert list(group.commands) == ["first", "second"]
    assert len(group.commands) == 2
