"""A recorded run as analyses take it."""

from pathlib import Path

import attrs

from multinet_eval import read
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
