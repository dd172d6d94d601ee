"""What the solver knows of a task is found out once for all runs of a page, as long as there is room for it."""

from pathlib import Path

import attrs
import pytest

from multinet_eval.record.run_directory import RunDirectory
from multinet_report.analysis import Boards
from support.runs import record_run
from support.worlds import draw

SHORT = attrs.evolve(draw("#####\n#@.G#\n#####"), task_id="short")
LONG = attrs.evolve(draw("######\n#@..G#\n######"), task_id="long")


@pytest.fixture
def runs(tmp_path: Path) -> list[RunDirectory]:
    """Two runs of the same two tasks."""
    return [RunDirectory(record_run(tmp_path / name, [SHORT, LONG], "FFFFF").path) for name in ("one", "two")]


def test_runs_of_the_same_tasks_share_what_is_known_of_them(runs: list[RunDirectory]) -> None:
    boards = Boards(1000)
    first, second = ([boards.known(run, planned) for planned in run.manifest.plan] for run in runs)
    assert len(first) == 2
    assert all(one is other is not None for one, other in zip(first, second, strict=True))
    assert first[0] is not first[1]


def test_what_was_asked_for_longest_ago_makes_room(runs: list[RunDirectory]) -> None:
    boards = Boards(1000, kept_states=0)
    one, other = runs[0].manifest.plan
    first = boards.known(runs[0], one)
    assert boards.known(runs[0], one) is first
    assert boards.known(runs[0], other) is not None
    again = boards.known(runs[0], one)
    assert again is not first
    assert again is not None
    assert first is not None
    assert (again.world.task, again.distances([0])) == (first.world.task, (2,))


def test_nothing_is_known_where_nothing_is_asked_for(runs: list[RunDirectory]) -> None:
    assert Boards(0).known(runs[0], runs[0].manifest.plan[0]) is None
