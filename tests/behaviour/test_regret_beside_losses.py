"""Regret leaves out fatal actions, so it is always shown with the rate of losses."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.commands import multinet
from support.task_files import write_tasks


def test_losses_stand_beside_a_regret_that_is_asked_for_alone(tmp_path: Path) -> None:
    name = "regret_total"
    write_tasks(tmp_path / "suite")
    run = tmp_path / "run"
    multinet("eval", "--model", "random", "--task-dir", tmp_path / "suite", "--run-dir", run, "--quiet")
    tables = json.loads(multinet("runs", "rescore", run, "--metric", name, "--json").stdout)
    assert metrics_of(tables["runs"]) == [name, "loss"]
    assert metrics_of(tables["tasks"]) == [name, "loss"]
    assert all({name, "loss"} <= row.keys() for row in tables["episodes"])
    chosen = multinet("runs", "rescore", run, "--metric", "loss", "--metric", name, "--metric", "steps", "--json")
    assert metrics_of(json.loads(chosen.stdout)["runs"]) == ["loss", name, "steps"]


def metrics_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row["metric"] for row in rows))
