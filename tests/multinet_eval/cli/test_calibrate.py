"""``multinet calibrate``, as a whole program."""

import json
from pathlib import Path

import pytest

from support.commands import invoke, run
from support.programs import assert_refused, output_of
from support.run_folders import RECORDED
from support.runs import write_corridor


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of recorded runs of two tasks, of which the random model wins none."""
    folder = tmp_path_factory.mktemp("runs")
    write_corridor(folder / "suite", "short", "@....G")
    write_corridor(folder / "suite", "long", "@.....G")
    for model in ("optimal", "random"):
        options = ["-m", model, "--task-dir", folder / "suite", "-B", "tile_size=8", "--run-dir", folder / model, "-q"]
        assert invoke(["eval", *options], **RECORDED).exit_code == 0
    return folder


def test_it_prints_models_and_tasks(runs: Path) -> None:
    printed = output_of(run("multinet", "calibrate", "optimal", "random", cwd=runs))
    models, tasks = printed.split("Tasks\n")
    assert models.index("optimal") < models.index("random")
    assert tasks.count(" some ") == 2
    result = invoke(["calibrate", runs / "optimal", runs / "random", "--json"])
    assert [row["entry"] for row in json.loads(result.stdout)["models"]] == ["optimal", "random"]


def test_what_tells_nothing_is_said_to(runs: Path, tmp_path: Path) -> None:
    assert_refused(run("multinet", "calibrate", runs / "optimal"), "ended alike", exit_code=1)
    assert_refused(run("multinet", "calibrate", tmp_path), "is not a recorded run", exit_code=2)
