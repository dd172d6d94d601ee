"""Models and tasks are put on one scale by all that is recorded of them."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.errors import ArgumentError
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from multinet_eval import read
from multinet_eval.analysis.calibration import calibrate_runs
from multinet_eval.analysis.recorded_run import RecordedRun
from multinet_eval.analysis.shared_conditions import NotComparable
from multinet_eval.statistics.item_response import CalibrationError
from support.runs import AnsweringModel, record_run
from support.worlds import corridor


def task(task_id: str, row: str) -> TaskSpecification:
    return attrs.evolve(corridor(row, max_steps=6), task_id=task_id)


NEAR, FAR, UNSEEN = task("near", "@.G"), task("far", "@...G"), task("unseen", "@....G")
FORWARD = "F" * 40


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., RecordedRun]:
    """Records a run by a model that plays letters, one after another in all episodes, before it waits."""

    def record(
        name: str, letters: str, tasks: Iterable[TaskSpecification] = (NEAR, FAR), **settings: Any
    ) -> RecordedRun:
        given = {"model_arguments": (f"seed={len(name)}",), **settings}
        return read(record_run(tmp_path / name, tasks, AnsweringModel(*letters), **given).path)

    return record


def test_all_runs_of_all_suites_are_on_one_scale(recorded: Callable[..., RecordedRun]) -> None:
    """The second model wins the near task alone, and the third one was given another task beside it."""
    runs = [
        recorded("good", FORWARD, epochs=2),
        recorded("fair1", "FFLLLLLLFFLLLLLL", epochs=2),
        recorded("other1", "FF", [NEAR, UNSEEN]),
    ]
    found = calibrate_runs(runs)
    models = found.model_table()
    assert [row["episodes"] for row in models] == [4, 2, 4]
    assert [row["success"] for row in models] == [1, 0.5, 0.5]
    assert all(row["ability_interval_low"] < row["ability"] < row["ability_interval_high"] for row in models)
    tasks = {row["task_id"]: row for row in found.task_table()}
    assert {name: (row["solved_by"], row["episodes"], row["success"]) for name, row in tasks.items()} == {
        "near": ("all", 5, 1),
        "far": ("some", 4, 0.5),
        "unseen": ("none", 1, 0),
    }
    assert tasks["near"]["difficulty"] < tasks["far"]["difficulty"] < tasks["unseen"]["difficulty"]
    assert all(0 < row["information"] <= 1 for row in tasks.values())
    assert json.loads(json.dumps(found.to_dict()))["tasks"] == found.task_table()
    assert calibrate_runs(runs[::-1]).to_dict() == found.to_dict()


def test_what_tells_nothing_is_refused(recorded: Callable[..., RecordedRun], tmp_path: Path) -> None:
    good, text = recorded("good", FORWARD), recorded("text", FORWARD, presentation=Presentation("text"))
    with pytest.raises(CalibrationError, match="ended alike"):
        calibrate_runs([good])
    with pytest.raises(NotComparable, match=r"--by presentation\.observation:"):
        calibrate_runs([good, text])
    with pytest.raises(CalibrationError, match="ended alike"):
        calibrate_runs([good, text], ["presentation", "suite"])
    with pytest.raises(ArgumentError, match="at least 1 run"):
        calibrate_runs([])
    broken = record_run(tmp_path / "broken", [NEAR], AnsweringModel(LookupError("out of words")))
    with pytest.raises(CalibrationError, match="no episode is scored"):
        calibrate_runs([read(broken.path)])
