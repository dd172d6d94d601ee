"""Commands and their help: every command can be made and describes every option, and little is imported for it."""

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs
import pytest
import typer
from typer.main import get_command

from multinet_eval.cli.app import COMMANDS, GROUPS
from multinet_eval.cli.app import multinet as multinet_app
from multinet_eval.cli.run_options import AskingOptions, PlayingOptions
from support.commands import leaf_commands, multinet, run_eval
from support.programs import run_python

HEADING = re.compile(r"^(\S.*):$", re.MULTILINE)
HEAVY = {"numpy", "scipy", "minigrid", "gymnasium", "PIL", "pygame", "cattrs"}
TELL_WHAT_IS_IMPORTED = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
SHARED_OPTIONS = {
    ("eval",): PlayingOptions,
    ("runs", "resume"): PlayingOptions,
    ("experiment", "run"): PlayingOptions,
    ("probe",): AskingOptions,
    ("diagnose",): AskingOptions,
}


def command_of(path: tuple[str, ...]) -> Any:
    command: Any = get_command(multinet_app)
    for name in path:
        command = command.get_command(typer.Context(command), name)
    return command


def test_every_command_is_called_as_it_is_listed() -> None:
    group = command_of(())
    assert set(group.commands) == {words.partition(" ")[0] for words in COMMANDS}
    assert set(GROUPS) == {words.partition(" ")[0] for words in COMMANDS if " " in words}
    for words in COMMANDS:
        assert command_of(tuple(words.split())).name == words.split()[-1]


@pytest.mark.parametrize("path", leaf_commands(), ids=" ".join)
def test_help_describes_every_option(path: tuple[str, ...]) -> None:
    shown = multinet(*path, "--help")
    assert (shown.exit_code, shown.stderr) == (0, "")
    command = command_of(path)
    assert command.help
    context = command.make_context(path[-1], [], resilient_parsing=True)
    for each in context.command.get_params(context):
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


def test_options_of_a_group_are_those_of_its_list() -> None:
    assert json.loads(multinet("plugins", "--json").stdout)["plugins"]


@pytest.mark.parametrize("path", SHARED_OPTIONS, ids=" ".join)
def test_commands_that_ask_models_share_options_and_defaults(path: tuple[str, ...]) -> None:
    given = {each.name: each.default for each in command_of(path).params}
    wanted = {each.name: each.default for each in attrs.fields(SHARED_OPTIONS[path])}
    assert {name: given[name] for name in wanted} == wanted
    assert not {"playing", "asking", "show", "observers", "caching"} & given.keys()


def test_the_version_is_that_of_the_distribution() -> None:
    assert multinet("--version")[:2] == (0, f"multinet-eval {version('multinet-eval')}\n")


def imported_by(entry: str, *calls: str) -> set[str]:
    """The modules that a program has imported after it was called with the arguments of each call."""
    code = f"""
import contextlib, sys
from multinet_eval.cli import {entry}
for call in {list(calls)}:
    sys.argv[1:] = call.split()
    with contextlib.suppress(SystemExit):
        {entry}()
"""
    finished = run_python(f"{TELL_WHAT_IS_IMPORTED}\n{code}", [])
    assert finished.returncode == 0
    return set(finished.stderr.split())


def test_a_command_imports_no_other_command() -> None:
    imported = {name.removeprefix("multinet_eval.cli.") for name in imported_by("main", "tasks schema --help")}
    assert "tasks.files" in imported
    assert not {"eval_command", "compare", "tasks.look", "tasks.check", "runs.check"} & imported


def test_help_and_the_list_of_plugins_import_nothing_heavy() -> None:
    calls = ["--help", "--version", "compare --help", "leaderboard --help", "calibrate --help", "eval --help"]
    imported = imported_by("main", *calls, "plugins list", "plugins list --json")
    assert {"multinet_eval.cli.calibrate", "multinet_eval.cli.plugins.listing"} <= imported
    assert not HEAVY & imported


def test_a_run_without_pictures_imports_little() -> None:
    imported = imported_by("run_eval", "--model random --tier 1 --no-record")
    assert not {"minigrid", "pygame", "PIL"} & imported
    assert not {"pydantic", "gridworld.generation.making", "gridworld.generation.certificate"} & imported
    assert {"numpy", "cattrs"} <= imported


@pytest.mark.more
def test_what_draws_or_reads_a_number_imports_them_of_course(tasks: Path, tmp_path: Path) -> None:
    """So that the tests above would notice."""
    task = next(tasks.glob("*.json"))
    assert {"minigrid", "pygame", "PIL"} <= imported_by("main", f"tasks render {task} -o {tmp_path / 'start.png'}")
    options = f"--model random --task-dir {tasks} --seed 1 --quiet --no-record"
    assert "pydantic" in imported_by("run_eval", options)
