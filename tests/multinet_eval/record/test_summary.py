"""Recorded runs in one row each: how far they have come is told from their episodes, and damage never raises."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import AnswerFault, AnswerOutcome
from gridworld.task_spec import TaskSpecification
from multinet_eval.record.lock import RunLock
from multinet_eval.record.run_directory import RunDirectory, last_line
from multinet_eval.record.summary import RunStatus, find_runs, summarize_run
from support.runs import AnsweringModel, add_line, being_played, record_run
from support.worlds import corridor

TASKS = [corridor("@.G", max_steps=4), corridor("@..G", max_steps=5)]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two tasks, the first of which is solved."""
    return record_run(tmp_path_factory.mktemp("runs") / "finished", TASKS, "FFL").path


def test_a_finished_run_says_how_many_tasks_were_solved(finished: Path) -> None:
    run = summarize_run(finished)
    assert (run.status, run.planned, run.begun, run.finished, run.solved) == (RunStatus.FINISHED, 2, 2, 2, 1)
    assert (run.suite, run.model, run.problem) == ("small", "scripted", None)
    assert run.to_dict()["name"] == "finished"


@pytest.mark.parametrize(("requests", "begun", "ended"), [(0, 1, 0), (1, 1, 0), (2, 2, 1), (6, 2, 1), (7, 2, 2)])
def test_a_stopped_run_counts_begun_and_ended_episodes(requests: int, begun: int, ended: int, tmp_path: Path) -> None:
    run = summarize_run(record_run(tmp_path / "run", TASKS, "FFL", requests=requests).path)
    assert (run.begun, run.finished, run.solved) == (begun, ended, min(ended, 1))
    assert run.status is (RunStatus.FINISHED if ended == 2 else RunStatus.UNFINISHED)


def test_a_second_attempt_replaces_the_first(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS[:1], "FF").path
    (path / "episodes" / "0.2.jsonl").touch()
    assert summarize_run(path).status is RunStatus.FINISHED
    header = (path / "episodes" / "0.jsonl").read_text(encoding="utf-8").splitlines()[0]
    add_line(path / "episodes" / "0.2.jsonl", header)
    run = summarize_run(path)
    assert (run.status, run.begun, run.finished, run.solved) == (RunStatus.UNFINISHED, 1, 0, 0)


def test_a_torn_last_line_is_not_an_end(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS[:1], "FF").path
    file = path / "episodes" / "0.jsonl"
    file.write_bytes(file.read_bytes()[:-1])
    assert summarize_run(path).status is RunStatus.UNFINISHED


def test_episodes_ended_by_errors_are_not_solved(tmp_path: Path) -> None:
    run = summarize_run(record_run(tmp_path / "run", TASKS[:1], AnsweringModel(LookupError("out of words"))).path)
    assert (run.status, run.finished, run.solved, run.unscored) == (RunStatus.FINISHED, 1, 0, 1)


@pytest.mark.parametrize("tasks", [TASKS, TASKS[:1]], ids=["others-are-left", "it-is-the-last-one"])
def test_a_permanent_error_leaves_an_episode_unfinished(tasks: Sequence[TaskSpecification], tmp_path: Path) -> None:
    refused = AnswerFault(AnswerOutcome.INFRASTRUCTURE, "wrong credential", permanent=True)
    run = summarize_run(record_run(tmp_path / "run", tasks, AnsweringModel(refused)).path)
    assert (run.status, run.begun, run.finished, run.solved, run.unscored) == (RunStatus.UNFINISHED, 1, 0, 0, 1)


def test_a_run_is_being_played_as_long_as_its_lock_is_held(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, requests=1).path
    with being_played(path):
        assert summarize_run(path).status is RunStatus.PLAYING
    assert summarize_run(path).status is RunStatus.UNFINISHED


def test_only_locks_of_ended_local_processes_are_ignored(tmp_path: Path) -> None:
    path = record_run(tmp_path / "run", TASKS, requests=1).path
    ended = 2**22 + 1  # beyond the largest process id of Linux
    with RunLock(path):
        here = json.loads((path / "lock").read_text(encoding="utf-8"))
    (path / "lock").write_text(json.dumps({**here, "pid": ended}), encoding="utf-8")
    assert summarize_run(path).status is RunStatus.UNFINISHED
    for text in (json.dumps({**here, "host": "elsewhere"}), "", "[]", "{"):
        (path / "lock").write_text(text, encoding="utf-8")
        assert summarize_run(path).status is RunStatus.PLAYING


def test_runs_are_found_among_other_folders(finished: Path, tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        shutil.copytree(finished, tmp_path / name)
    (tmp_path / "c" / "run.json").unlink()
    (tmp_path / "notes.txt").touch()
    assert [run.path for run in find_runs(tmp_path)] == [tmp_path / "a", tmp_path / "b"]
    assert find_runs(tmp_path / "nowhere") == []


@given(st.data())
def test_damaged_runs_have_a_row(finished: Path, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copytree(finished, Path(folder, "run")))
        file = path / data.draw(st.sampled_from(["run.json", "episodes/0.jsonl", "episodes/1.jsonl"]))
        content = file.read_bytes()
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, len(content)))
        file.write_bytes(content[:start] + data.draw(st.binary(max_size=20)) + content[end:])
        (run,) = find_runs(Path(folder))
        assert (run.status is RunStatus.UNREADABLE) == (run.problem is not None)


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("run.json", "", "run.json: it is not JSON"),
        ("run.json", "[]", "run.json is damaged"),
        ("run.json", '{"version": 99}', "has version 99, and this release reads version"),
        ("episodes/1.jsonl", "garbage\n", "1.jsonl: last line: it is not JSON"),
        ("episodes/1.jsonl", '{"end": {"reason": "bored"}}\n', "expected one of goal"),
        ("episodes/1.jsonl", "[1]\n", "last line: unexpected structure"),
    ],
)
def test_a_run_that_cannot_be_read_says_why(file: str, content: str, told: str, finished: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(finished, tmp_path / "run"))
    (path / file).write_text(content, encoding="utf-8")
    run = summarize_run(path)
    assert run.status is RunStatus.UNREADABLE
    assert told in (run.problem or "")


@given(st.lists(st.integers(0, 40_000), max_size=4), st.integers(0, 20_000))
def test_the_last_line_is_found_however_long_lines_are(lengths: list[int], torn: int) -> None:
    lines = [bytes([65 + number]) * length + b"\n" for number, length in enumerate(lengths)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lines")
        path.write_bytes(b"".join(lines) + b"z" * torn)
        assert last_line(path) == (lines[-1] if lines else b"")


def test_ends_are_those_that_are_read_with_the_whole_episodes(finished: Path) -> None:
    directory = RunDirectory(finished)
    whole = {number: attempts[-1].end for number, attempts in directory.episodes()}
    assert directory.ends() == {number: end and attrs.evolve(end, final_state=None) for number, end in whole.items()}
