"""Words that a command does not take are refused with the option that takes them."""

from pathlib import Path

import pytest

from support.commands import invoke
from support.programs import assert_refused, run, words
from support.runs import record_run, write_corridor
from support.worlds import corridor


def refused(*arguments: str | Path) -> str:
    """Message with which a wrong call of ``multinet`` is refused."""
    result = invoke(arguments, COLUMNS="250")
    assert result.exit_code == 2
    return words(result.stderr)


@pytest.mark.parametrize("suite", ["validation_10", "generated:maze?count=2", "recipes.toml"])
def test_a_suite_is_an_option_of_those_who_play(suite: str) -> None:
    quoted = f"'{suite}'" if "?" in suite else suite
    assert_refused(
        run("multinet-run-eval", suite, "--model", "random"),
        f"Unexpected argument '{suite}': give a suite as --benchmark {quoted}",
    )


def test_a_suite_or_model_that_is_nearly_named_is_meant() -> None:
    assert "Unexpected argument 'validation_01': did you mean --benchmark validation_10?" in refused(
        "eval", "validation_01"
    )
    assert "did you mean --model greedy?" in refused("eval", "gredy")
    assert "Unexpected argument 'zzz': expected only options" in refused("eval", "zzz")


def test_of_several_words_each_is_told_where_it_belongs() -> None:
    assert (
        "Unexpected arguments 'tiers' and 'random': give a suite as --benchmark tiers; "
        "give a model as --model random" in refused("eval", "tiers", "random")
    )
    assert "Unexpected argument 'random': give a model as --model random" in refused("probe", "tiers", "random")


def test_tasks_of_ones_own_are_an_option_too(tmp_path: Path) -> None:
    write_corridor(tmp_path / "my tasks", "one")
    folder = tmp_path / "my tasks"
    assert f"give a folder of tasks as --task-dir '{folder}'" in refused("eval", folder)
    assert "--task-dir, which takes a folder" in refused("eval", folder / "one.json")


def test_a_folder_of_runs_is_an_option_where_runs_are_listed(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        assert f"Unexpected argument '{folder}': give a folder of recorded runs as --runs {folder}" in refused(
            "runs", "list", folder
        )


def test_a_record_is_named_with_the_command_for_it(tmp_path: Path) -> None:
    folder = record_run(tmp_path / "walked", [corridor("@.G")]).path
    assert f"this is a recorded run; read it with 'multinet runs show {folder}'" in refused("runs", "list", folder)
    assert f"this is a recorded run; read it with 'multinet runs show {folder}'" in refused("eval", folder)


def test_what_belongs_to_no_option_is_told_what_is_expected() -> None:
    assert "Unexpected argument 'b': expected only DIR and options" in refused("runs", "show", "a", "b")
    assert "Unexpected argument '[red]x': expected only options" in refused("models", "list", "[red]x")


def test_disabled_plugins_suggest_no_names() -> None:
    given = ["eval", "validation_10", "--disable-plugin", "multinet-eval"]
    assert "Unexpected argument 'validation_10': expected only options" in refused(*given)
