"""Experiments as files: what a base and its conditions come to, and what is refused, by its place."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.runner.presentation import Presentation
from multinet_eval.experiments.experiment_file import Experiment, read_experiment
from multinet_eval.experiments.keys import check_keys, fields_of
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.settings.converting import FOUND
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import Prices

BASE = """
[base]
model = "random"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "study.toml"


def read(file: Path, text: str, *changes: str) -> Experiment:
    file.write_text(text, encoding="utf-8")
    return read_experiment(file, changes)


def settings_of(file: Path, condition: str, base: str = BASE) -> RunSettings:
    """The settings of the only run of a condition."""
    (run,) = read(file, f'{base}\n[[condition]]\nname = "one"\n{condition}').runs
    return run.settings


def refusal(file: Path, text: str, *changes: str) -> str:
    with pytest.raises(ArgumentError) as caught:
        read(file, text, *changes)
    return str(caught.value).replace(str(file), "FILE")


# --- Keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [RunSettings, Presentation])
def test_every_field_that_can_be_asked_for_is_a_key(kind: Any) -> None:
    asked = {field.name for field in attrs.fields(kind) if field.eq and FOUND not in field.metadata}
    assert set(fields_of(kind)) == asked
    check_keys(dict.fromkeys(asked), "FILE")


def test_values_become_those_of_the_fields(file: Path) -> None:
    condition = """
    observation = "text"
    history_text_window = 3
    tilings = ["square", "hex"]
    seed = 7
    epochs = 2
    mission = "both"
    protocol = "step"
    policies = { on_unparsable = "retry:4" }
    prices = { input = 1, output = 2.5 }
    model_arguments = ["seed=3"]
    """
    assert settings_of(file, condition) == RunSettings(
        model="random",
        model_arguments=("seed=3",),
        tilings=("square", "hex"),
        compares_tilings=True,
        seed=7,
        epochs=2,
        mission="both",
        presentation=Presentation("text", history_text_window=3),
        policies=AnswerPolicies(on_unparsable="retry:4"),  # type: ignore[arg-type]  # which its converter reads
        prices=Prices(1, 2.5),
    )


def test_all_stands_for_every_installed_tiling(file: Path) -> None:
    assert settings_of(file, 'tilings = "all"').tilings == tuple(get_registry().tilings.names())


# --- What a condition varies -------------------------------------------------------------------------------------


def test_arguments_are_added_one_by_one_and_another_model_begins_with_none(file: Path) -> None:
    base = '[base]\nmodel = "ollama"\nmodel_arguments = { model = "m", temperature = 0 }\n'
    added = settings_of(file, 'model_arguments = { prompt = "minimal", temperature = 0.5 }', base)
    assert added.model_arguments == ("model=m", "temperature=0.5", "prompt=minimal")
    assert settings_of(file, 'model = "random"', base).model_arguments == ()


def test_arguments_of_a_base_without_a_model_are_for_whichever_is_named(file: Path) -> None:
    base = "[base]\nmodel_arguments = { seed = 1 }\nbackend_arguments = { tile_size = 8 }\n"
    assert settings_of(file, 'model = "random"', base).model_arguments == ("seed=1",)
    other = settings_of(file, 'model = "random"\nbackend = "multigrid"', base)
    assert (other.model_arguments, other.backend_arguments) == (("seed=1",), ())


def test_a_list_stands_for_a_run_each_and_lists_for_all_combinations(file: Path) -> None:
    text = f"""{BASE}
    [[condition]]
    name = "many"
    models = ["random", {{ model = "random", model_arguments = {{ seed = 4 }} }}, "greedy"]
    seeds = [1, 2]
    suites = ["validation_10"]
    """
    runs = read(file, text).runs
    assert [(run.settings.model, run.settings.model_arguments, run.settings.seed) for run in runs] == [
        ("random", (), 1), ("random", (), 2),
        ("random", ("seed=4",), 1), ("random", ("seed=4",), 2),
        ("greedy", (), 1), ("greedy", (), 2),
    ]  # fmt: skip
    assert [run.folder for run in runs] == [
        "many-random-1", "many-random-2", "many-random-seed-4-1", "many-random-seed-4-2",
        "many-greedy-1", "many-greedy-2",
    ]  # fmt: skip
    assert {run.suite for run in runs} == {"validation_10"}


def test_runs_of_several_models_are_named_after_the_models(file: Path) -> None:
    plain, other = '"lmstudio:model-a", "lmstudio:model-b"', '"ollama:model-a", "greedy"'
    warm = '{ model = "lmstudio:model-b", model_arguments = { temperature = 1 } }'
    named = {
        plain: ["text-step-model-a", "text-step-model-b"],
        f"{plain}, {other}": [
            *("text-step-lmstudio-model-a", "text-step-model-b", "text-step-ollama-model-a", "text-step-greedy")
        ],
        f"{plain}, {warm}": [*("text-step-model-a", "text-step-model-b", "text-step-model-b-temperature-1")],
    }
    for models, folders in named.items():
        runs = read(file, f'[base]\nmodels = [{models}]\n[[condition]]\nname = "text-step"\n').runs
        assert [run.folder for run in runs] == folders


def test_arguments_of_a_condition_reach_all_of_its_models(file: Path) -> None:
    base = '[base]\nmodels = [{ model = "random", model_arguments = { seed = 1 } }]\n'
    assert settings_of(file, "model_arguments = { seed = 2 }", base).model_arguments == ("seed=2",)


def test_folders_have_names_of_their_own_whatever_conditions_are_called(file: Path) -> None:
    names = ["a b", "a/b", "experiment.json", "A b"]
    conditions = "".join(f'\n[[condition]]\nname = "{name}"\nseed = {n}' for n, name in enumerate(names))
    folders = [run.folder for run in read(file, BASE + conditions).runs]
    assert folders == ["a-b", "a-b-2", "experiment.json-2", "A-b-3"]


def test_the_base_can_be_told_otherwise(file: Path) -> None:
    text = f'{BASE}seed = 1\n[[condition]]\nname = "one"\n'
    given = read(file, text, "seed=2", "model=ollama", "model_arguments.model=name", "model_arguments.temperature=0")
    assert given.runs[0].settings.seed == 2
    assert given.runs[0].settings.model_arguments == ("model=name", "temperature=0")


# --- One name for a model and its server -----------------------------------------------------------------------------

ONE = '[base]\nmodel = "openai:one"\nbase_url = "http://a/v1"\n'
APART = ("base_url=http://a/v1",)


@pytest.mark.parametrize(
    ("condition", "model", "arguments"),
    [
        ("", "openai", ("model=one", *APART)),
        ('model = "openai:two"', "openai", ("model=two", *APART)),
        ('model_arguments = { model = "two" }', "openai", ("model=two", *APART)),
        ('models = ["openai:two"]', "openai", ("model=two", *APART)),
        ('models = [{ model = "openai:two", base_url = "b" }]', "openai", ("model=two", "base_url=b")),
        ('base_url = "http://b"', "openai", ("model=one", "base_url=http://b")),
        ('model_arguments = { base_url = "http://b" }', "openai", ("model=one", "base_url=http://b")),
        ('model = "ollama:two"', "ollama", ("model=two",)),
        ('model = "random"', "random", ()),
    ],
)  # fmt: skip
def test_another_model_of_a_plugin_keeps_the_keys_of_its_server(
    condition: str, model: str, arguments: tuple[str, ...], file: Path
) -> None:
    settings = settings_of(file, condition, ONE)
    assert (settings.model, settings.model_arguments) == (model, arguments)


@pytest.mark.parametrize("base", [ONE, ONE.replace("base_url =", "model_arguments.base_url =")])
@pytest.mark.parametrize("change", ["base_url=http://b", "model_arguments.base_url=http://b"])
def test_a_changed_address_holds_for_another_model_of_the_plugin(base: str, change: str, file: Path) -> None:
    text = f'{base}[[condition]]\nname = "one"\n[[condition]]\nname = "two"\nmodel = "openai:two"\n'
    assert ["base_url=http://b" in run.settings.model_arguments for run in read(file, text, change).runs] == [True] * 2


@pytest.mark.parametrize("keys", ["model_arguments", "models"])
def test_an_address_of_a_condition_replaces_those_of_the_base(keys: str, file: Path) -> None:
    model = 'model = "openai:m"\nmodel_arguments = { base_url = "http://a" }'
    base = model if keys == "model_arguments" else 'models = [{ model = "openai:m", base_url = "http://a" }]'
    assert settings_of(file, 'base_url = "http://b"', base).model_arguments == ("model=m", "base_url=http://b")


def test_the_order_of_changes_does_not_matter(file: Path) -> None:
    text = '[base]\nmodel = "ollama:one"\nmodel_arguments = { seed = 1 }\n[[condition]]\nname = "one"\n'
    changes = ("base_url=http://a", "model=openai:two", "model_arguments.seed=2")
    runs = [read(file, text, *order).runs for order in (changes, reversed(changes))]
    assert runs[0] == runs[1]
    assert set(runs[0][0].settings.model_arguments) == {"model=two", "base_url=http://a", "seed=2"}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            "model = 'openai:a'\nmodel_arguments.model = 'b'",
            "FILE: condition[0]: 'openai:a' and model_arguments.model exclude each other: leave out one of them",
        ),
        (
            "base_url = 'a'\nmodel_arguments.base_url = 'b'",
            "FILE: condition[0]: base_url and model_arguments.base_url exclude each other: leave out one of them",
        ),
        (
            "models = ['random', { model = 'openai:a', model_arguments = { model = 'b' } }]",
            "FILE: condition[0].models[1]: 'openai:a' and model_arguments.model exclude each other",
        ),
        (
            "models = ['openai:a']\nmodel_arguments.model = 'b'",
            "FILE: condition[0].models[0]: model is given for all models, too: leave out one of them",
        ),
        ("models = ['openai:a', 'openai:']", "FILE: condition[0].models[1]: model 'openai:': expected a name after"),
        ("models = ['openai:a', { model = 'openai', model_arguments = { model = 'a' } }]", "models[1]: the same as"),
        ("model = 'random'\nbase_url = 'a'", "FILE: condition[0] ('one'): model 'random' has no argument 'base_url'"),
    ],
)
def test_what_is_written_in_two_ways_is_told_with_its_place(file: Path, written: str, message: str) -> None:
    assert message in refusal(file, f'{BASE}\n[[condition]]\nname = "one"\n{written}')


@pytest.mark.parametrize("place", ["base", "condition"])
def test_an_address_for_all_models_that_one_does_not_take_is_to_go_into_an_entry(file: Path, place: str) -> None:
    models, argument = 'models = ["random", { model = "openai:a" }]', 'base_url = "http://a"'
    condition = f'[[condition]]\nname = "one"\n{argument if place == "condition" else ""}'
    told = refusal(file, f"[base]\n{models}\n{argument if place == 'base' else ''}\n{condition}")
    assert told.startswith("FILE: condition[0] ('one'): model 'random' has no argument 'base_url'")
    assert "write it into the entries of 'models' that take it, such as { model = \"openai:NAME\", base_url = " in told
    within = models.replace("}", f", {argument} }}")
    first, second = read(file, f'[base]\n{within}\n[[condition]]\nname = "one"').runs
    assert (first.settings.model_arguments, "base_url=http://a" in second.settings.model_arguments) == ((), True)


@pytest.mark.parametrize(("written", "factor"), [("2", "2"), ("1.0", "1.0"), ('"1.5"', "1.5"), ('"none"', "none")])
def test_a_budget_factor_is_a_number_or_a_word(file: Path, written: str, factor: str) -> None:
    assert settings_of(file, f"budget_factor = {written}").budget_factor == factor


# --- What is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("histroy_images = 2", "FILE: condition[0]: unknown key 'histroy_images' (did you mean 'history_images'?)"),
        ("presentation = {}", "FILE: condition[0]: unknown key 'presentation' (did you mean 'observation'?)"),
        ("history_images = true", "FILE: condition[0].history_images: expected a whole number, got True"),
        ("history_images = 2.0", "FILE: condition[0].history_images: expected a whole number, got 2.0"),
        ("history_images = -1", "FILE: condition[0] ('one'): history_images: expected at least 0, got -1"),
        ("budget_factor = true", "FILE: condition[0].budget_factor: expected a string, got True"),
        ("budget_factor = 0.5", "FILE: condition[0] ('one'): budget factor: expected a number of at least 1, or none"),
        ('tasks = ["a"]', "unknown key 'tasks'; to play single tasks, write suites = [\"SUITE/TASK_ID\", ...]"),
        ('mission = "gaol"', "expected one of goal, description, both, got 'gaol' (did you mean 'goal'?)"),
        ("tilings = [1]", "FILE: condition[0].tilings[0]: expected a string, got 1"),
        ('tilings = "hexx"', "FILE: condition[0] ('one'): unknown tiling 'hexx' (did you mean 'hex'?)"),
        ("policies = { on_unparsabel = 1 }", "condition[0].policies: unknown key 'on_unparsabel' (did you mean"),
        ('policies = { on_refused = "x" }', "FILE: condition[0].policies: expected skip, fail, retry:N,"),
        ('prices = { input = "1" }', "FILE: condition[0].prices: output is missing"),
        ("models = []", "FILE: condition[0].models: expected a list with at least one entry, got []"),
        ('seeds = ["1"]', "FILE: condition[0].seeds[0]: expected a whole number, got '1'"),
        ("seeds = [1, 2, 1]", "FILE: condition[0].seeds[2]: the same as FILE: condition[0].seeds[0]"),
        ("models = ['a', { model = 'a' }]", "models[1]: the same as FILE: condition[0].models[0]"),
        ("context_steps = 2", "condition[0] ('one'): context_steps has no effect without context = \"conversation\""),
        ("context_images = 2", "condition[0] ('one'): context_images has no effect without context ="),
        ("model = 'a'\nmodels = ['a']", "FILE: condition[0]: 'models' and 'model' exclude each other"),
        ("models = [{ modle = 'a' }]", "FILE: condition[0].models[0]: expected a table with model and optionally"),
        ("model_arguments = { seed = [] }", "FILE: condition[0].model_arguments.seed: expected a string, a number,"),
        ("model_arguments = { sede = 1 }", "FILE: condition[0] ('one'): model 'random' has no argument 'sede' (did"),
        ('model = "radnom"', "FILE: condition[0] ('one'): unknown model 'radnom' (did you mean 'random'?)"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(file: Path, written: str, message: str) -> None:
    assert message in refusal(file, f'{BASE}\n[[condition]]\nname = "one"\n{written}')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[base", "FILE: it is not TOML: "),
        (BASE, "FILE: expected tables [[condition]], each with a name and the settings it varies"),
        (f"{BASE}[[conditions]]", "FILE: there are no tables [[condition]]: 'conditions' (did you mean 'condition'?)"),
        (
            "[[conditions]]\nname = 'a'",
            "FILE: there are no tables [[condition]]: 'conditions' (did you mean 'condition'?)",
        ),
        ("base = 3\n[[condition]]", "FILE: base: expected a table, got 3"),
        ("seed = 3\n[base]\n[[condition]]", "FILE: 'seed' beside the tables [base] and [[condition]]"),
        ('[base]\nname = "x"\n[[condition]]\nname = "one"', "FILE: base.name: only conditions have names"),
        ('[[condition]]\nname = "one"', "FILE: condition[0] ('one'): no model: name one here or in [base]"),
        (f"{BASE}[[condition]]\nseed = 1", "FILE: condition[0]: a condition needs a name"),
        (
            f'{BASE}[[condition]]\nname = "one"\n[[condition]]\nname = "one"\nseed = 1',
            "FILE: condition[1]: 'one' is already the name of condition[0]",
        ),
        (
            '[base]\nmodels = ["ollama:a", "ollama:b"]\n[[condition]]\nname = "c"\nmodel_arguments = { model = "d" }',
            "FILE: condition[0] ('c'): it would play the same run twice: its models, or other entries, end up equal",
        ),
    ],
)
def test_a_file_of_another_form_is_refused(file: Path, text: str, message: str) -> None:
    assert message in refusal(file, text)


@pytest.mark.parametrize(
    "written",
    [
        "",
        'observation = "image"',
        "model_arguments = { seed = 0 }",
        'suite = "validation_10"',
        "seeds = [5]\nmodel = 'random'",
        "prices = { input = 1, output = 1 }",
        'backend_arguments = { render_mode = "rgb_array" }',
    ],
)
def test_conditions_that_are_equal_once_all_has_its_default_are_refused(file: Path, written: str) -> None:
    base = f"{BASE}seed = 5\n" if "seeds" in written else BASE
    conditions = f'[[condition]]\nname = "plain"\n[[condition]]\nname = "same"\n{written}'
    assert refusal(file, base + conditions) == (
        "FILE: condition[1] ('same') would play the same runs as condition[0] ('plain'): change a setting, or remove "
        "one of the two"
    )


def test_a_change_that_is_none_is_told(file: Path) -> None:
    text = f'{BASE}[[condition]]\nname = "one"'
    assert refusal(file, text, "seed") == "--set: expected KEY=VALUE, got 'seed'"
    assert refusal(file, text, "sede=1").startswith("--set sede=1: unknown key 'sede' (did you mean 'seed'?)")


def test_no_credential_is_among_what_a_condition_is_shown_to_vary(file: Path) -> None:
    written = (
        'models = [{ model = "openai", model_arguments = { model = "m", base_url = "http://me:s3cret@localhost/v1" } }]'
    )
    experiment = read(file, f'{BASE}\n[[condition]]\nname = "one"\n{written}')
    assert "s3cret" not in str(experiment.conditions[0].varied)
    assert "base_url=http://me:s3cret@localhost/v1" in experiment.runs[0].settings.model_arguments
