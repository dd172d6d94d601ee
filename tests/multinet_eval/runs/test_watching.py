"""A run is followed from its files alone, while they are written."""

import json
import os
import shutil
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.runner.record import Step
from multinet_eval.monitor.tally import Figures
from multinet_eval.monitor.watching import RunView, RunWatch
from multinet_eval.play.observers import Place, RunObserver, RunStart
from multinet_eval.play.run import open_run
from multinet_eval.record.lock import RunLock, read_lock
from multinet_eval.record.manifest import RunOptions
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.summary import RunStatus
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.spending import BudgetLimits
from support.runs import UNSTEADY, AnsweringModel, make_corridor_run


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of three episodes."""
    folder = tmp_path_factory.mktemp("recorded")
    make_corridor_run(folder, AnsweringModel(*UNSTEADY)).play(RunOptions(), RunObserver())
    return folder / "run"


@pytest.fixture
def copied(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoilt."""
    return Path(shutil.copytree(recorded, tmp_path / "copied"))


def hold(run: Path, **changes: Any) -> None:
    """Write a lock as another machine would."""
    holder = {"host": "far-away", "pid": 12, "token": "t", "heartbeat": 4, **changes}
    (run / "lock").write_text(json.dumps(holder))


def counted(figures: Figures) -> tuple[Any, ...]:
    """Parts of a view that do not depend on the time."""
    return figures.finished, figures.solved, figures.spent, figures.faults, figures.under_way


class Comparing(RunObserver):
    """Looks at the files at each step, and counts what it is told itself."""

    def __init__(self, run: Path) -> None:
        self.watch = RunWatch(run)
        self.steps = self.ended = 0
        self.views: list[RunView] = []

    def step_taken(self, episode: PlannedEpisode, step: Step, place: Place) -> None:
        view = self.watch.look()
        self.steps += 1
        self.views.append(view)
        assert view.figures.steps_now == self.steps
        assert [(each.task, each.step) for each in view.figures.under_way] == [(episode.task_id, step.number)]

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        self.ended += 1
        assert self.watch.look().figures.finished == self.ended


def test_the_files_tell_the_state_at_every_moment(tmp_path: Path) -> None:
    run = make_corridor_run(tmp_path, AnsweringModel(*UNSTEADY))
    comparing = Comparing(tmp_path / "run")
    outcome = run.play(RunOptions(), comparing)

    view = comparing.watch.look()
    assert comparing.steps == sum(result.steps_taken for result in outcome.results.in_order)
    assert {each.state for each in comparing.views} == {RunStatus.PLAYING}
    assert comparing.views[0].player == f"process {os.getpid()} on {socket.gethostname()}"
    assert (view.state, view.player, view.figures.seconds) == (RunStatus.FINISHED, None, None)
    assert view.figures.spent == outcome.spent
    assert view.figures.solved == sum(result.success for result in outcome.results.in_order) > 0
    assert view.figures.faults == {"empty": 1, "refused": 1, "unparsable": 1}
    assert (view.suite, view.model, view.name) == ("corridors", "scripted", "run")


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 900)), max_size=30))
def test_growing_files_give_the_same_figures(recorded: Path, pieces: list[tuple[int, int]]) -> None:
    whole = {path.name: path.read_bytes() for path in sorted((recorded / "episodes").iterdir())}
    names = sorted(whole)
    growing = Path(shutil.copytree(recorded, recorded.parent / "growing"))
    try:
        for name in names:
            (growing / "episodes" / name).write_bytes(b"")
        watch, sizes = RunWatch(growing), dict.fromkeys(names, 0)
        for number, size in [*pieces, *((number, 10**9) for number in range(len(names)))]:
            name = names[number]
            sizes[name] += size
            (growing / "episodes" / name).write_bytes(whole[name][: sizes[name]])
            view = watch.look()
            assert view.unreadable == ()
        assert counted(view.figures) == counted(RunWatch(recorded).look().figures)
    finally:
        shutil.rmtree(growing)


def test_the_speed_is_that_of_the_present_session(copied: Path) -> None:
    hold(copied, heartbeat=4)
    long_ago = time.time() - 1000
    os.utime(copied / "episodes" / "0.jsonl", (long_ago, long_ago))
    figures = RunWatch(copied).look().figures
    assert (figures.finished, figures.finished_now) == (3, 2)
    assert figures.seconds is not None
    assert figures.seconds >= 20
    texts = [(copied / "episodes" / f"{number}.jsonl").read_text() for number in (1, 2)]
    assert figures.steps_now == sum(line.startswith('{"step"') for text in texts for line in text.splitlines()) > 0


def test_a_run_without_heartbeats_is_silent(copied: Path) -> None:
    hold(copied)
    long_ago = time.time() - 100
    os.utime(copied / "lock", (long_ago, long_ago))
    watch = RunWatch(copied)
    view = watch.look()
    assert (view.state, view.player) == (RunStatus.SILENT, "process 12 on far-away")
    assert view.heartbeat_age is not None
    assert view.heartbeat_age >= 100
    hold(copied, heartbeat=5)
    assert watch.look().state is RunStatus.PLAYING


def test_a_lock_that_is_being_written_is_no_end(copied: Path) -> None:
    hold(copied)
    watch = RunWatch(copied)
    watch.look()
    (copied / "lock").write_text("")
    assert watch.look().state is RunStatus.PLAYING


def test_a_run_whose_process_is_gone_was_left(copied: Path) -> None:
    (copied / "episodes" / "2.jsonl").unlink()
    with RunLock(copied):
        assert RunWatch(copied).look().state is RunStatus.PLAYING
        held = read_lock(copied)
    (copied / "lock").write_text(json.dumps({**held, "pid": 2**22 + 1}))
    assert RunWatch(copied).look().state is RunStatus.UNFINISHED


def test_cached_answers_are_counted_apart_and_free(copied: Path) -> None:
    manifest = json.loads((copied / "run.json").read_text())
    manifest["settings"]["prices"] = {"input": 0.0, "output": 1_000_000.0}
    (copied / "run.json").write_text(json.dumps(manifest))
    before = RunWatch(copied).look().figures
    assert before.cost == before.spent.completion_tokens > 0
    with (copied / "episodes" / "2.jsonl").open("a") as file:
        file.write('{"request":{"step":1,"outcome":"ok","usage":{"completion_tokens":7},"cached":true}}\n')
    after = RunWatch(copied).look().figures
    assert (after.cost, after.spent.cached) == (before.cost, before.spent.cached + 1)


def test_a_run_that_is_gone_on_with_is_followed(tmp_path: Path) -> None:
    run = make_corridor_run(tmp_path, AnsweringModel(*UNSTEADY))
    run.play(RunOptions(limits=BudgetLimits(requests=4)), RunObserver())
    watch = RunWatch(tmp_path / "run")
    before = watch.look()
    assert (before.state, before.figures.spent.requests) == (RunStatus.UNFINISHED, 4)

    resumed, _ = open_run(tmp_path / "run", epochs=2)
    outcome = resumed.play(RunOptions(), RunObserver())
    after = watch.look()
    assert (after.state, after.figures.planned, after.figures.finished) == (RunStatus.FINISHED, 6, 6)
    assert after.figures.spent == outcome.spent


def test_the_start_of_a_resumed_run_says_what_was_spent(tmp_path: Path) -> None:
    run = make_corridor_run(tmp_path, AnsweringModel(*UNSTEADY))
    spent = run.play(RunOptions(limits=BudgetLimits(requests=4)), RunObserver()).spent
    starts: list[RunStart] = []

    class Starting(RunObserver):
        def run_started(self, run: RunStart) -> None:
            starts.append(run)

    resumed, _ = open_run(tmp_path / "run")
    resumed.play(RunOptions(), Starting())
    assert [start.spent for start in starts] == [spent]


def test_an_episode_that_is_played_again_counts_once(copied: Path) -> None:
    shutil.copy(copied / "episodes" / "0.jsonl", copied / "episodes" / "0.2.jsonl")
    once, twice = RunWatch(copied), counted(RunWatch(copied).look().figures)
    (copied / "episodes" / "0.2.jsonl").unlink()
    finished, solved, spent, _, _ = counted(once.look().figures)
    assert twice[:2] == (finished, solved)
    assert twice[2].requests > spent.requests


def test_a_fault_is_shown_as_a_wait_until_an_answer(copied: Path) -> None:
    path = copied / "episodes" / "0.jsonl"
    whole = path.read_bytes().splitlines(keepends=True)
    fault = {"fault": {"step": 1, "outcome": "infrastructure", "message": "nobody listens", "trouble": "unreachable"}}
    path.write_bytes(whole[0] + json.dumps(fault).encode() + b"\n")
    watch = RunWatch(copied)
    figures = watch.look().figures
    assert figures.wait is not None
    assert figures.wait.reason == "nobody listens"
    assert figures.faults["unreachable"] == 1
    with path.open("ab") as file:
        file.write(b"".join(whole[1:]))
    assert watch.look().figures.wait is None


def test_a_line_that_is_none_is_named_and_the_others_are_counted(copied: Path) -> None:
    path = copied / "episodes" / "1.jsonl"
    damaged = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*damaged[:2], b"\0\0\0\0\n", *damaged[3:]]))
    watch = RunWatch(copied)
    view = watch.look()
    assert view.unreadable == (f"{path}, line 3: it is not a line of a recorded run",)
    assert view.figures.finished == 2
    path.write_bytes(b"".join(damaged))  # as on a disk that is shared, where it comes later
    view = watch.look()
    assert (view.unreadable, view.figures.finished) == ((), 3)


def test_a_kind_of_line_that_is_unknown_here_is_passed_over(copied: Path) -> None:
    before = counted(RunWatch(copied).look().figures)
    with (copied / "episodes" / "1.jsonl").open("a") as file:
        file.write('{"remark":{}}\n')
    assert counted(RunWatch(copied).look().figures) == before


@pytest.mark.parametrize("what", ["nothing", "a folder", "a file"])
def test_other_folders_cannot_be_watched(what: str, tmp_path: Path) -> None:
    path = tmp_path / "it"
    if what == "a folder":
        path.mkdir()
    elif what == "a file":
        path.write_text("{}")
    with pytest.raises(RunError, match="it"):
        RunWatch(path)


def test_a_run_that_is_removed_meanwhile_is_an_error(copied: Path) -> None:
    watch = RunWatch(copied)
    watch.look()
    shutil.rmtree(copied)
    with pytest.raises(RunError, match="copied"):
        watch.look()
