"""Results are computed anew from what is recorded."""

import json
from pathlib import Path

import pytest

from multinet_eval.record.record_folders import RunError
from multinet_eval.record.results import rescore_run
from support.runs import being_played, go_on, record_run
from support.worlds import corridor

TASKS = [corridor("@.G", max_steps=4), corridor("@..G", max_steps=5)]


@pytest.mark.parametrize(
    "settings", [{}, {"tilings": ("hex", "square"), "compares_tilings": True, "backend_arguments": ()}, {"epochs": 3}]
)
def test_results_of_a_run_that_was_just_played_are_as_they_were_to_the_byte(settings: dict, tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, "FF", **settings).path
    before = (path / "results.json").read_bytes()
    assert rescore_run(path).changed == ()
    assert (path / "results.json").read_bytes() == before


def test_so_are_those_of_a_run_that_was_left_and_gone_on_with(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, requests=3).path
    go_on(path)
    assert rescore_run(path).changed == ()


def test_parts_that_were_changed_by_hand_are_named_and_put_right(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, "FF").path
    good = (path / "results.json").read_text(encoding="utf-8")
    data = json.loads(good)
    del data["usage"]
    (path / "results.json").write_text(json.dumps({**data, "spl": 1.0, "note": "mine"}), encoding="utf-8")
    assert rescore_run(path).changed == ("note", "spl", "usage")
    assert (path / "results.json").read_text(encoding="utf-8") == good


@pytest.mark.parametrize("content", [None, "", "{", "[]", "\u2028{}"])
def test_a_results_file_that_is_missing_or_damaged_is_written_anew(content: str | None, tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS).path
    good = (path / "results.json").read_bytes()
    (path / "results.json").unlink()
    if content is not None:
        (path / "results.json").write_text(content, encoding="utf-8")
    rescored = rescore_run(path)
    assert set(rescored.changed) == set(json.loads(good))
    assert (path / "results.json").read_bytes() == good


def test_an_unfinished_run_is_refused_and_keeps_its_results(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", TASKS)
    before = (directory.path / "results.json").read_bytes()
    directory.update(directory.manifest.extended(TASKS, 2))
    with pytest.raises(RunError, match="unfinished: 2 of 4 episodes have ended"):
        rescore_run(directory.path)
    assert (directory.path / "results.json").read_bytes() == before


def test_a_run_that_is_being_played_is_refused(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS).path
    with being_played(path), pytest.raises(RunError, match="is being played by process"):
        rescore_run(path)
