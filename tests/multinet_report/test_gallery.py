"""The page of a suite: what is found out of its tasks is found out once."""

from pathlib import Path

import attrs

from gridworld.solver.difficulty import measure_difficulty
from multinet_eval.record.manifest import Suite
from multinet_report.gallery import write_gallery
from support.pages import blocks_of
from support.worlds import compiled, corridor, door, key

TASKS = (
    attrs.evolve(corridor("@.G"), task_id="near"),
    attrs.evolve(corridor("@kD..G", k=key("red"), D=door("red")), task_id="locked"),
)


def test_the_difficulty_of_each_task_is_that_of_the_solver(tmp_path: Path) -> None:
    write_gallery(Suite("two", TASKS), ["square"], tmp_path / "page.html", max_states=10_000)
    rows = blocks_of((tmp_path / "page.html").read_text(encoding="utf-8"))["index"]["runs"][0]["episodes"]
    assert {row["task_id"]: row["difficulty"] for row in rows} == {
        task.task_id: attrs.asdict(measure_difficulty(compiled(task))) for task in TASKS
    }
