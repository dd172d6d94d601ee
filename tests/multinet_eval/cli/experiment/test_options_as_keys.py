"""Everything that an option of a run decides can be said in an experiment file."""

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from gridworld.errors import ArgumentError
from gridworld.suites import read_suite
from multinet_eval.cli.app import multinet
from multinet_eval.experiments.experiment_file import ConditionRun, read_experiment
from multinet_eval.experiments.preparing import prepare_runs

SAID = {
    "benchmark": 'suite = "tiers"',
    "task_dir": 'suite = "some/folder"',
    "tier": 'tier = "1-3"',
    "tiling": 'tilings = ["hex"]',
    "seed": "seed = 7",
    "epochs": "epochs = 2",
    "budget_factor": 'budget_factor = "2"',
    "model": 'model = "greedy"',
    "base_url": 'model = "ollama:m"\nbase_url = "http://there"',
    "model_arg": "model_arguments = { seed = 3 }",
    "backend": 'backend = "multigrid"',
    "backend_arg": "backend_arguments = { tile_size = 8 }",
    "observation": 'observation = "text"',
    "image_size": "image_size = 96",
    "image_coordinates": "image_coordinates = true",
    "image_style": 'image_style = "letters"',
    "explain": 'explain = "none"',
    "examples": "examples = 1",
    "examples_from": 'examples = 1\nexamples_from = "worked_examples"',
    "observation_control": 'observation_control = "swapped"',
    "history_images": "history_images = 2",
    "history_text": "history_text_window = 10",
    "history_text_window": "history_text_window = 3",
    "feedback": 'feedback = "effect"',
    "context": 'context = "conversation"',
    "context_steps": 'context = "conversation"\ncontext_steps = 2',
    "context_images": 'context = "conversation"\ncontext_images = 1',
    "memory": "note_length = 500",
    "note_length": "note_length = 80",
    "mission": 'mission = "both"',
    "protocol": 'protocol = "plan"',
    "on_unparsable": 'policies = { on_unparsable = "fail" }',
    "on_refused": 'policies = { on_refused = "fail" }',
    "on_illegal": 'policies = { on_illegal = "fail" }',
    "on_truncated": 'policies = { on_truncated = "fail" }',
    "on_infrastructure": 'policies = { on_infrastructure = "fail" }',
    "cache": 'cache = { folder = "answers" }',
    "cache_sampled": 'cache = { folder = "answers", sampled = true }',
    "prices": "prices = { input = 1, output = 2 }",
}
"""How a condition says what an option says."""
PLAYING = "an option of 'multinet experiment run', for all conditions together"
ELSEWHERE = {
    "until_decided": "an experiment compares its conditions after all of them are played",
    "alpha": "as until_decided",
    "run_dir": "the folder of an experiment has a folder for each of its runs: --output",
    "no_record": "an experiment is always recorded",
    "report": "'multinet report' writes a page of recorded runs",
    "output": "--json prints the results",
    **dict.fromkeys(
        (
            *("workers", "max_requests", "max_tokens", "max_time", "max_cost", "patience", "wait_for_server"),
            *("batch_size", "executor", "observer", "observer_arg", "dry_run", "as_json", "quiet"),
            *("disable_plugin", "plugin_file", "strict_plugins"),
        ),
        PLAYING,
    ),
}
"""Options without effect on the results of a condition, each with the reason why it is no key."""


def options(*path: str) -> set[str]:
    """Names of the options of a command."""
    command: Any = get_command(multinet)
    for name in path:
        command = command.get_command(typer.Context(command), name)
    return {each.name for each in command.get_params(typer.Context(command)) if each.param_type_name == "option"}


def run_of(file: Path, condition: str) -> ConditionRun:
    file.write_text(f'model = "random"\n[[condition]]\nname = "one"\n{condition}\n', encoding="utf-8")
    (run,) = read_experiment(file).runs
    return run


def test_every_option_of_a_run_is_a_key_or_has_a_reason_not_to_be_one() -> None:
    assert options("eval") - {"help"} == {*SAID, *ELSEWHERE}
    assert not SAID.keys() & ELSEWHERE.keys()


def test_options_for_all_conditions_together_are_those_of_the_experiment() -> None:
    assert {name for name, reason in ELSEWHERE.items() if reason == PLAYING} <= options("experiment", "run")


@pytest.mark.parametrize("option", SAID)
def test_a_key_makes_another_run(option: str, tmp_path: Path) -> None:
    usual = run_of(tmp_path / "study.toml", "")
    varied = run_of(tmp_path / "study.toml", SAID[option])
    assert (varied.suite, varied.tier, varied.settings) != (usual.suite, usual.tier, usual.settings)


@pytest.mark.parametrize(
    ("tier", "message"),
    [
        ('"two"', "tier: expected numbers or ranges such as 2, 1-3 or 1,4, got 'two'"),
        ("true", "tier: expected a string such as '1-3', or a number, got True"),
        ('"3-1"', "tier: the range 3-1 is empty"),
    ],
)
def test_tiers_that_make_no_sense_are_refused_by_their_place(tier: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError) as caught:
        run_of(tmp_path / "study.toml", f"tier = {tier}")
    assert f"condition[0].{message}" in str(caught.value)


def test_a_tier_chooses_the_tasks_of_a_condition(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    text = 'model = "random"\nsuite = "tiers"\n[[condition]]\nname = "easy"\ntier = 1\n[[condition]]\nname = "hard"\n'
    file.write_text(f'{text}tier = "2,4-5"\n', encoding="utf-8")
    runs = prepare_runs(read_experiment(file), read_suite)
    assert [{task.difficulty_tier for task in each.suite.tasks} for each in runs] == [{1}, {2, 4, 5}]
    file.write_text(f"{text}tier = 9\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match="condition 'hard': tier 9: 'tiers' has no such tier; it has 1, 2"):
        prepare_runs(read_experiment(file), read_suite)


def test_conditions_that_choose_the_same_tiers_are_the_same(tmp_path: Path) -> None:
    text = 'model = "random"\n[[condition]]\nname = "one"\ntier = "1,2"\n[[condition]]\nname = "other"\ntier = "1-2"\n'
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ArgumentError, match="would play the same runs as"):
        read_experiment(tmp_path / "study.toml")
