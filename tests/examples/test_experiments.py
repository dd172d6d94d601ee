"""The example experiments, as they are, with a model and mazes that take no time."""

import json
import tomllib
from pathlib import Path

import pytest

from multinet_adapters.testing.model_servers import MODEL, serve
from support.commands import invoke
from support.run_folders import request_answer
from support.runs import write_corridor

FOLDER = Path(__file__).parents[2] / "examples" / "experiments"


@pytest.fixture
def mazes(tmp_path: Path) -> Path:
    write_corridor(tmp_path / "mazes", "a", "@.G", max_steps=4)
    write_corridor(tmp_path / "mazes", "b", "@..G", max_steps=4)
    return tmp_path / "mazes"


def conditions_of(name: str) -> list[str]:
    with (FOLDER / f"{name}.toml").open("rb") as file:
        return [condition["name"] for condition in tomllib.load(file)["condition"]]


def test_there_are_two() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == ["classic.toml", "tilings.toml"]


@pytest.mark.more
def test_the_classic_variations_are_played(mazes: Path, tmp_path: Path) -> None:
    with serve(request_answer) as server:
        address = ["--set", f"base_url={server.ollama_url}", "--set", f"model=ollama:{MODEL}"]
        options = [*address, "--set", f"suite={mazes}", "--set", "backend_arguments.tile_size=8"]
        finished = invoke(["experiment", "run", FOLDER / "classic.toml", *options, "-o", tmp_path / "out", "--json"])
    rows = json.loads(finished.stdout)["runs"]
    assert finished.exit_code == 0
    assert [row["condition"] for row in rows] == conditions_of("classic")
    assert all(row["complete"] and row["requests"] for row in rows)


def test_the_solver_wins_on_every_tiling(mazes: Path, tmp_path: Path) -> None:
    options = ["--set", f"suite={mazes}", "--set", "backend_arguments.image_size=64"]
    finished = invoke(["experiment", "run", FOLDER / "tilings.toml", *options, "-o", tmp_path / "out", "--json"])
    rows = json.loads(finished.stdout)["runs"]
    assert finished.exit_code == 0
    assert [row["condition"] for row in rows] == conditions_of("tilings")
    assert len({row["tiling"] for row in rows}) == 5
    assert all(row["results"]["success_rate"] == row["results"]["spl"] == 1 for row in rows)
