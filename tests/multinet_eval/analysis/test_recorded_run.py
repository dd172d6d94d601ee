"""A recorded run as analyses take it."""

from pathlib import Path

import attrs
import pytest

from multinet_eval import read
from multinet_eval.record.record_folders import NotRecordedError
from multinet_eval.record.run_directory import RunDirectory
from support.runs import record_run
from support.worlds import corridor

TASKS = [
    attrs.evolve(corridor("@.G", max_steps=4), task_id="plain"),
    attrs.evolve(corridor("@..G", max_steps=5), task_id="maze-mirrored", metadata={"base_id": "maze"}),
    attrs.evolve(corridor("@...G", max_steps=6), task_id="maze-turned", metadata={"base_id": "maze"}),
]


def test_every_episode_of_the_plan_is_there_with_its_maze_and_its_result(tmp_path: Path) -> None:
    run = read(record_run(tmp_path / "run", TASKS, "FFRF", requests=4).path)
    assert [each.base for each in run.played] == ["plain", "maze", "maze"]
    won, left, not_begun = (each.result for each in run.played)
    assert won is not None
    assert won.success
    assert left is not_begun is None
    assert (run.finished, run.complete) == (1, False)


def test_its_tables_are_plain(tmp_path: Path) -> None:
    run = read(str(record_run(tmp_path / "run", TASKS, "FF", epochs=2).path))
    assert run.complete
    episodes = run.episodes()
    assert [(row["task_id"], row["epoch"], row["base"]) for row in episodes] == [
        (task_id, epoch, base)
        for epoch in (0, 1)
        for task_id, base in (("plain", "plain"), ("maze-mirrored", "maze"), ("maze-turned", "maze"))
    ]
    assert sum(row["success"] for row in episodes) == 1
    assert len(run.steps()) == sum(row["steps_taken"] for row in episodes)


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotRecordedError, match="is not a recorded run"):
        read(tmp_path)


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, requests=2).path
    before = {each: each.read_bytes() for each in path.rglob("*") if each.is_file()}
    read(path)
    assert {each: each.read_bytes() for each in path.rglob("*") if each.is_file()} == before
    assert RunDirectory(path).manifest == read(path).manifest
