"""Regret leaves fatal actions out, so the rate of losses stands beside it wherever it is asked for."""

import json
from pathlib import Path

import pytest

from support.commands import multinet
from support.small_tasks import write_tasks


@pytest.mark.parametrize("name", ["regret_total", "regret_mean"])
def test_losses_stand_beside_a_regret_that_is_asked_for_alone(name: str, tmp_path: Path) -> None:
    write_tasks(tmp_path / "suite")
    run = tmp_path / "run"
    multinet("eval", "--model", "random", "--task-dir", tmp_path / "suite", "--run-dir", run, "--quiet")
    tables = json.loads(multinet("runs", "rescore", run, "--metric", name, "--json").stdout)
    assert [row["metric"] for row in tables["runs"]] == [name, "loss"]
    assert [row["metric"] for row in tables["tasks"]] == [name, "loss"] * 3
    assert all({name, "loss"} <= row.keys() for row in tables["episodes"])
    chosen = multinet("runs", "rescore", run, "--metric", "loss", "--metric", name, "--metric", "steps", "--json")
    assert [row["metric"] for row in json.loads(chosen.stdout)["runs"]] == ["loss", name, "steps"]
