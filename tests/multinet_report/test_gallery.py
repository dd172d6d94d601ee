"""The page of a suite: what is found out of its tasks is found out once."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.solver import table_cache
from gridworld.solver.difficulty import measure_difficulty
from gridworld.support.caches import CACHE_VARIABLE
from multinet_eval.record.manifest import Suite
from multinet_report.gallery import write_gallery
from support.pages import blocks_of
from support.worlds import compiled, corridor, door, key

TASKS = (
    attrs.evolve(corridor("@.G"), task_id="near"),
    attrs.evolve(corridor("@kD..G", k=key("red"), D=door("red")), task_id="locked"),
)


@pytest.fixture
def tabulated(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The task and the tiling of each table that is made, in order; none is kept on disk."""
    made, tabulate = list[tuple[str, str]](), table_cache.tabulate

    def counted(world: Any, *arguments: Any, **options: Any) -> Any:
        made.append((world.task.task_id, world.topology.name))
        return tabulate(world, *arguments, **options)

    monkeypatch.setenv(CACHE_VARIABLE, "")
    monkeypatch.setattr(table_cache, "tabulate", counted)
    return made


def test_each_task_is_tabulated_once_on_each_tiling(tabulated: list[tuple[str, str]], tmp_path: Path) -> None:
    write_gallery(Suite("two", TASKS), ["square", "hex"], tmp_path / "page.html", max_states=10_000)
    assert sorted(tabulated) == [(name, tiling) for name in ("locked", "near") for tiling in ("hex", "square")]


def test_the_difficulty_of_each_task_is_that_of_the_solver(tmp_path: Path) -> None:
    write_gallery(Suite("two", TASKS), ["square"], tmp_path / "page.html", max_states=10_000)
    rows = blocks_of((tmp_path / "page.html").read_text(encoding="utf-8"))["index"]["runs"][0]["episodes"]
    assert {row["task_id"]: row["difficulty"] for row in rows} == {
        task.task_id: attrs.asdict(measure_difficulty(compiled(task))) for task in TASKS
    }
