"""``multinet leaderboard``, as a whole program."""

import json
import shutil
from pathlib import Path

import pytest

from support.commands import invoke, run
from support.programs import assert_refused
from support.run_folders import RECORDED
from support.runs import write_corridor

MODELS = ("greedy", "optimal", "random")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of recorded runs of two tasks, by model."""
    folder = tmp_path_factory.mktemp("runs")
    write_corridor(folder / "suite", "short")
    write_corridor(folder / "suite", "long", "@...G", tier=2)
    for model in MODELS:
        options = ["-m", model, "--task-dir", folder / "suite", "-B", "tile_size=8", "--run-dir", folder / model, "-q"]
        result = invoke(["eval", *options], **RECORDED)
        assert (result.exit_code, result.stderr) == (0, "")
    return folder


def forge(runs: Path, folder: Path) -> Path:
    """A copy of the random run in which one success more is claimed."""
    forged = Path(shutil.copytree(runs / "random", folder / "forged"))
    data = json.loads((forged / "results.json").read_text(encoding="utf-8"))
    data["task_results"][0]["success"] = not data["task_results"][0]["success"]
    (forged / "results.json").write_text(json.dumps(data), encoding="utf-8")
    return forged


def test_it_prints_tables_and_writes_them(runs: Path, tmp_path: Path) -> None:
    finished = run("multinet", "leaderboard", *MODELS, "-o", tmp_path / "board", cwd=runs)
    assert finished.returncode == 0
    files = [tmp_path / "board" / f"leaderboard.{suffix}" for suffix in ("json", "md", "csv")]
    assert finished.stderr == "".join(f"written: {file}\n" for file in files)
    assert [line for line in finished.stdout.splitlines() if line in ("Leaderboard", "By tier")] == [
        "Leaderboard",
        "By tier",
    ]
    assert "This does not prove who gave the answers" in finished.stdout
    data = json.loads(files[0].read_text(encoding="utf-8"))
    assert data == json.loads(run("multinet", "leaderboard", *MODELS, "--json", cwd=runs).stdout)
    assert [row["entry"] for row in data["table"] if row["axis"] == "all"][:2] == ["greedy", "optimal"]


def test_a_run_that_is_not_consistent_is_refused_by_name_or_marked(runs: Path, tmp_path: Path) -> None:
    forged = forge(runs, tmp_path)
    finished = run("multinet", "leaderboard", runs / "optimal", forged, "-o", tmp_path / "board")
    assert_refused(finished, f"{forged}: {forged}/results.json: task_results[0].success", exit_code=1)
    assert not (tmp_path / "board").exists()
    result = invoke(["leaderboard", runs / "optimal", forged, "--unverified"], COLUMNS="200")
    assert result.exit_code == 0
    assert "random [not verified]" in result.stdout
    assert "optimal [not" not in result.stdout
