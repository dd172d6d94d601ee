"""The examples as their users meet them: installed, listed, and used from the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gridworld.plugins import Registry
from gridworld.plugins.catalog import KINDS
from support.plugins import EXAMPLES
from support.programs import run
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

TRACKERS = {"gridworld-example-mlflow", "gridworld-example-tensorboard"}
"""Their own tests need what they write to, which is not installed for the tests of the toolkit."""

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
def test_an_example_is_a_distribution_of_its_own(name: str) -> None:
    example = EXAMPLES[name]
    assert example.project["name"] == name
    assert any(requirement.startswith("gridworld-core") for requirement in example.project["dependencies"])
    assert sorted(path.name for path in example.folder.iterdir() if path.name != "__pycache__") == [
        "README.md", "pyproject.toml", "src", "tests",
    ]  # fmt: skip


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


def test_the_command_line_lists_what_they_provide(example_path: list[Path]) -> None:
    finished = run("multinet", "plugins", "list", "--json", path=example_path)
    assert finished.returncode == 0
    listed = {record["distribution"]: record for record in json.loads(finished.stdout)["plugins"]}
    for name, provided in PROVIDED.items():
        assert listed[name]["status"] == "loaded"
        assert [[each["kind"], each["name"]] for each in listed[name]["provides"]] == provided


def test_a_scripted_model_is_evaluated_on_the_example_suite(example_path: list[Path]) -> None:
    options = ("--model", "scripted", "-M", "actions=move_forward turn_right done")
    finished = run("multinet", "eval", "--benchmark", "three_rooms", *options, path=example_path)
    assert finished.returncode == 0
    assert "0 of 3 tasks solved" in finished.stdout


def test_a_bundled_task_is_solved_on_the_example_tiling(example_path: list[Path]) -> None:
    finished = run(
        "multinet", "tasks", "solve", "validation_10/v01_empty_room", "--tiling", "rhombille", path=example_path
    )
    assert (finished.returncode, finished.stderr) == (0, "")


def test_the_schema_knows_their_mechanisms_and_goals(example_path: list[Path]) -> None:
    finished = run("multinet", "tasks", "schema", path=example_path)
    definitions = json.loads(finished.stdout)["$defs"]
    assert {"belts", "ice", "one_way", "timers"} <= set(definitions["mechanisms"]["properties"])
    assert "tour" in definitions["goal"]["properties"]["type"]["enum"]
    direction = definitions["gridworld_example_one_way.one_way.OneWaySpec"]["properties"]["direction"]
    assert direction["enum"] == ["right", "down", "left", "up"]


@pytest.mark.thorough  # `nox -s examples` runs them too, beside the wheels
@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - TRACKERS))
def test_the_tests_of_an_example_pass(name: str, example_path: list[Path]) -> None:
    inherited = filter(None, [os.environ.get("PYTHONPATH")])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*map(str, example_path), *inherited])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    finished = subprocess.run(
        command, cwd=EXAMPLES[name].folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert finished.returncode == 0, finished.stdout[-3000:]
    assert "skipped" not in finished.stdout
