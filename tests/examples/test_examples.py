"""The examples as their users meet them: installed, listed, and used from the command line."""

import json
import sys

import pytest

from gridworld.plugins import Registry
from gridworld.plugins.catalog import KINDS
from support.commands import multinet
from support.plugins import EXAMPLES
from support.sources import imported_names

PROVIDED = {
    "gridworld-example-belt": [["mechanism", "belts"]],
    "gridworld-example-ice": [["mechanism", "ice"]],
    "gridworld-example-mazes": [["generator", "moats"], ["importer", "bits"]],
    "gridworld-example-mlflow": [["observer", "mlflow"]],
    "gridworld-example-one-way": [["mechanism", "one_way"]],
    "gridworld-example-rhombille": [["tiling", "rhombille"]],
    "gridworld-example-scripted": [["model", "scripted"]],
    "gridworld-example-simulator": [["backend", "warehouse"]],
    "gridworld-example-suite": [["benchmark", "three_rooms"]],
    "gridworld-example-surroundings": [["observation", "surroundings"]],
    "gridworld-example-tensorboard": [["observer", "tensorboard"]],
    "gridworld-example-text-backend": [["backend", "text"]],
    "gridworld-example-timer": [["mechanism", "timers"]],
    "gridworld-example-tour": [["goal", "tour"]],
}

on_every_example = pytest.mark.parametrize("name", EXAMPLES)


def test_there_is_an_example_of_every_kind_of_plugin() -> None:
    assert set(EXAMPLES) == set(PROVIDED)
    provided = {kind for provided in PROVIDED.values() for kind, _ in provided}
    assert provided == {kind.name for kind in KINDS} - {
        "command",
        "executor",
        "metric",
        "page",
        "protocol",
        "probe",
        "renderer",
    }  # their pages show ours


def test_all_of_them_load_beside_each_other(example_registry: Registry) -> None:
    assert example_registry.failures == ()
    assert example_registry.conflicts() == []


@on_every_example
def test_it_imports_no_distribution_that_it_does_not_declare(name: str) -> None:
    example = EXAMPLES[name]
    own = next(path.name for path in example.source.iterdir() if path.is_dir())
    declared = {requirement.split("=")[0].rstrip("><") for requirement in example.project["dependencies"]}
    imported = {
        module.split(".")[0]
        for path in example.source.rglob("*.py")
        for module, _ in imported_names(path.read_text(encoding="utf-8"))
    }
    known = {
        "gridworld": "gridworld-core",
        "gridworld_generators": "gridworld-generators",
        "gridworld_polygons": "gridworld-multigrid",
        "mlflow": "mlflow-skinny",
        "multinet_eval": "multinet-eval",
    }
    assert {known.get(each, each) for each in imported - {own} - sys.stdlib_module_names} <= declared


def test_the_command_line_lists_what_they_provide() -> None:
    finished = multinet("plugins", "list", "--json")
    listed = {record["distribution"]: record for record in json.loads(finished.stdout)["plugins"]}
    for name, provided in PROVIDED.items():
        assert listed[name]["status"] == "loaded"
        assert [[each["kind"], each["name"]] for each in listed[name]["provides"]] == provided


def test_a_scripted_model_is_evaluated_on_the_example_suite() -> None:
    options = ("--model", "scripted", "-M", "actions=move_forward turn_right done")
    finished = multinet("eval", "--benchmark", "three_rooms", *options)
    assert finished.exit_code == 0, finished.stderr
    assert "0 of 3 tasks solved" in finished.stdout


def test_a_bundled_task_is_solved_on_the_example_tiling() -> None:
    finished = multinet("tasks", "solve", "validation_10/v01_empty_room", "--tiling", "rhombille")
    assert (finished.exit_code, finished.stderr) == (0, "")


def test_the_schema_knows_their_mechanisms_and_goals() -> None:
    definitions = json.loads(multinet("tasks", "schema").stdout)["$defs"]
    assert {"belts", "ice", "one_way", "timers"} <= set(definitions["mechanisms"]["properties"])
    assert "tour" in definitions["goal"]["properties"]["type"]["enum"]
    direction = definitions["gridworld_example_one_way.one_way.OneWaySpec"]["properties"]["direction"]
    assert direction["enum"] == [0, 1, 2, 3, "right", "down", "left", "up"]
