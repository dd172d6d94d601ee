"""Recorded runs are removed whole, and nothing else is."""

import shutil
from pathlib import Path

import pytest

from gridworld.errors import ArgumentError
from multinet_eval.record import lock
from multinet_eval.record.lock import check_removable, remove_run
from multinet_eval.record.record_folders import RunError, is_run
from support.runs import being_played, record_run
from support.worlds import corridor

TASKS = [corridor("@.G", max_steps=4)]


def test_the_folder_is_gone_with_all_that_is_in_it(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS).path
    (path / "notes").mkdir()
    (path / "notes" / "mine.txt").touch()
    remove_run(path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_run_can_be_removed(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS).path
    (path / "run.json").write_text("{", encoding="utf-8")
    remove_run(path)
    assert not path.exists()


def test_what_a_link_leads_to_stays(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS).path
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "kept").touch()
    (path / "link").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    remove_run(path)
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["elsewhere", "kept"]


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "thesis.tex"):
        with pytest.raises(ArgumentError, match="is not a recorded run"):
            remove_run(path)
    assert (tmp_path / "thesis.tex").exists()


def test_a_run_that_is_being_played_is_refused_unless_it_is_taken_over(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS).path
    with being_played(path):
        for refuse in (check_removable, remove_run):
            with pytest.raises(RunError, match="is being played by process"):
                refuse(path)
        assert is_run(path)
        remove_run(path, take_over=True)
    assert not path.exists()


def test_a_removal_that_was_interrupted_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = record_run(tmp_path / "run", TASKS).path

    def fail(folder: Path) -> None:
        raise OSError(5, "the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(lock.shutil, "rmtree", fail)
        with pytest.raises(RunError, match=r"cannot remove .*: the disk is gone"):
            remove_run(path)
    assert lock.shutil is shutil
    remove_run(path)
    assert not path.exists()
