"""Whoever waits for a page is told how many of its episodes have been read."""

from pathlib import Path

import pytest

from multinet_eval import read
from multinet_eval.analysis.leaderboard import make_leaderboard
from multinet_eval.record.manifest import Suite
from multinet_report import gallery
from multinet_report.pages import HtmlPages
from support.runs import record_run
from support.worlds import draw

TASK = draw("#####\n#@.G#\n#####", max_steps=4)


def test_of_a_leaderboard_the_episodes_of_all_entries_are_counted_together(tmp_path: Path) -> None:
    runs = [record_run(tmp_path / f"{n}", [TASK], "FF", model_arguments=(f"seed={n}",)).path for n in range(2)]
    told: list[tuple[int, int]] = []
    HtmlPages().write_leaderboard(
        make_leaderboard([read(run) for run in runs]), tmp_path, lambda *counts: told.append(counts)
    )
    assert told == [(1, 2), (2, 2)]


def test_a_suite_has_distances_for_tasks_no_larger_than_those_that_metrics_have_them_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "MAX_STATES_OF_METRICS", 3)
    written = HtmlPages().write_suite(Suite("one", (TASK,)), ["hex", "square"], tmp_path / "suite.html", 1000)
    assert [problem.partition(";")[0] for problem in written.notes] == ["no distances: more than 3 states"]
    assert written.notes[0].endswith("(2 runs)")
