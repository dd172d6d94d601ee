"""What a worker says of an episode that is recorded, and of one that is not; and when its lines are written."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluating import write_corridor
from gridworld.model_interface import AnswerOutcome, Usage
from gridworld.runner.record import (
    DecisionKind,
    EndReason,
    EpisodeEnd,
    EpisodeHeader,
    Request,
    Step,
    record_converter,
)
from gridworld.suites import load_folder
from gridworld.world.events import Bumped, Event, Moved, NoEffect, Opened, Succeeded, Turned, Waited
from multinet_eval.play.moments import Resumed
from multinet_eval.play.news import Faulted, Job, News, Waiting
from multinet_eval.play.run import Run, new_run
from multinet_eval.play.worker import EpisodeWorker
from multinet_eval.record.episode_lines import request_line, step_line
from multinet_eval.record.journal import RunJournal
from multinet_eval.record.manifest import Suite
from multinet_eval.record.recorder import EpisodeRecorder, Known
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings

SETTINGS = RunSettings(model="random", backend_arguments=("render_mode=none",))


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    write_corridor(
        tmp_path / "small", "fog", "@...G", max_steps=8, rules={"observability": "fog_of_war", "view_size": 3}
    )
    return Suite("small", load_folder(tmp_path / "small"))


@pytest.fixture
def run(suite: Suite, tmp_path: Path) -> Run:
    return new_run(SETTINGS, suite, make_model("random", []), tmp_path / "run")


def news_of(run: Run, suite: Suite, recorded: bool) -> Iterator[News]:
    """All news of the one episode of a run, the announcements of requests aside."""
    worker = EpisodeWorker(SETTINGS, run.model)
    job = Job(run.manifest.plan[0], suite.tasks[0], recorded=recorded)
    return (news for news in worker.play([job]) if not isinstance(news.what, Waiting))


def without_lines(news: News) -> News:
    return news._replace(line=b"", kept=(), can_wait=False)


def test_of_an_episode_that_is_not_recorded_the_same_is_said_without_lines(run: Run, suite: Suite) -> None:
    recorded, not_recorded = (list(news_of(run, suite, recorded)) for recorded in (True, False))
    assert all(news.line for news in recorded)
    assert not_recorded == [without_lines(news) for news in recorded]
    assert len({news.place for news in not_recorded if isinstance(news.what, Step)}) > 1


@pytest.mark.parametrize(
    ("usage", "quick", "synced"),
    [(None, 60.0, False), (None, 0.0, True), (Usage(prompt_tokens=1), 60.0, True)],
    ids=["free and quick", "free and slow", "paid for"],
)
def test_what_would_be_dear_to_play_again_is_synced_at_its_end(
    run: Run, suite: Suite, monkeypatch: pytest.MonkeyPatch, usage: Usage | None, quick: float, synced: bool
) -> None:
    directory = run.directory
    assert directory is not None
    sizes: list[int] = []
    monkeypatch.setattr("multinet_eval.record.journal.PLAYED_AGAIN", quick)
    monkeypatch.setattr(os, "fsync", lambda descriptor: sizes.append(os.fstat(descriptor).st_size))
    journal = RunJournal(directory, lambda: None)
    for news in news_of(run, suite, recorded=True):
        what, can_wait = news.what, news.can_wait and usage is None
        journal.add(
            0,
            news._replace(what=attrs.evolve(what, usage=usage), can_wait=can_wait)
            if isinstance(what, Request)
            else news,
        )
    journal.close(0)
    assert sizes == [directory.attempts(0)[0].path.stat().st_size] * synced


@pytest.mark.parametrize(
    "before",
    [
        [News(0, Resumed(), b"{}\n")],
        [
            News(0, EpisodeHeader("fog", 1, 0, 8), b"{}\n"),
            News(0, Faulted(1, Request(AnswerOutcome.INFRASTRUCTURE, usage=Usage(prompt_tokens=1))), b"{}\n"),
        ],
    ],
    ids=["of an earlier session", "of a request that does not count"],
)
def test_so_is_what_may_have_cost_something(run: Run, monkeypatch: pytest.MonkeyPatch, before: list[News]) -> None:
    directory = run.directory
    assert directory is not None
    synced: list[int] = []
    monkeypatch.setattr("multinet_eval.record.journal.PLAYED_AGAIN", 60.0)
    monkeypatch.setattr(os, "fsync", synced.append)
    journal = RunJournal(directory, lambda: None)
    for news in [*before, News(0, EpisodeEnd(EndReason.GOAL), b"{}\n")]:
        journal.add(0, news)
    journal.close(0)
    assert len(synced) == 1


def test_a_free_answer_is_written_with_its_step_and_all_else_at_once(run: Run, suite: Suite) -> None:
    directory = run.directory
    assert directory is not None
    journal, written, said = RunJournal(directory, lambda: None), list[str](), list[str]()
    for news in news_of(run, suite, recorded=True):
        journal.add(0, news)
        said.append(type(news.what).__name__)
        lines = [next(iter(line)) for _, line in directory.attempts(0)[0].lines()]
        late = len(said) - len(lines)
        # The first request names a text, which is kept for it.
        assert late == int(isinstance(news.what, Request) and len(said) > 2), news
        written = lines
    journal.close(0)
    assert written[0] == "header"
    assert written[-1] == "end"
    assert written[1:-1] == ["request", "step"] * (len(written) // 2 - 1)


@pytest.mark.parametrize(
    ("usage", "action", "waits"),
    [
        pytest.param(None, 2, True, id="free"),
        pytest.param(Usage(prompt_tokens=9), 2, False, id="paid"),
        pytest.param(None, None, False, id="no action, so that another request follows"),
    ],
)
def test_only_a_free_answer_that_decides_the_step_waits_for_it(
    run: Run, suite: Suite, usage: Usage | None, action: int | None, waits: bool
) -> None:
    backend = EpisodeWorker(SETTINGS, run.model).runner(None).backend
    recorder = EpisodeRecorder(run.model, backend, run.manifest.plan[0], Known())
    outcome = AnswerOutcome.UNPARSABLE if action is None else AnswerOutcome.OK
    assert recorder.news(Request(outcome, action=action, usage=usage)).can_wait == waits


def test_an_answer_whose_step_never_comes_is_written_when_the_episode_is_left(run: Run, suite: Suite) -> None:
    directory = run.directory
    assert directory is not None
    journal = RunJournal(directory, lambda: None)
    for news in news_of(run, suite, recorded=True):
        journal.add(0, news)
        if news.can_wait:
            break
    assert _pending(directory) == 0
    journal.close(0)
    assert _pending(directory) == 1


def _pending(directory: RunDirectory) -> int:
    lines = directory.latest(directory.attempts(0))
    assert lines is not None
    return len(lines.pending)


def test_lines_hold_requests_as_the_record_has_them(run: Run, suite: Suite) -> None:
    for news in news_of(run, suite, recorded=True):
        if isinstance(news.what, Request):
            for request in (news.what, attrs.evolve(news.what, reasoning='"\ud800', confidence=0.5, cached=True)):
                content = record_converter.unstructure(request)
                line = request_line(request, 3, '[["mission",0]]', "abc")
                assert line.count(b"\n") == 1
                assert json.loads(line) == {
                    "request": {"step": 3, "prompt": [["mission", 0]], "frame": "abc", **content}
                }


def test_a_scene_is_passed_on_once_for_all_repetitions_of_a_task(run: Run, suite: Suite) -> None:
    worker = EpisodeWorker(SETTINGS, run.model)
    planned = run.manifest.plan[0]
    jobs = [Job(attrs.evolve(planned, number=epoch, epoch=epoch), suite.tasks[0]) for epoch in range(3)]
    told = [news for job in jobs for news in worker.play([job])]
    headers = [json.loads(news.line)["header"] for news in told if isinstance(news.what, EpisodeHeader)]
    kept = [each.name for news in told for each in news.kept if each.folder == "scenes"]
    assert [f"{header['scene']}.json" for header in headers] == kept * len(jobs)
    assert any(b'"shown":{' in news.line for news in told)


EVENTS = (
    Turned(3, right=True),
    Moved(1, 2),
    Bumped(None),
    Bumped('"\ud800'),
    NoEffect("nothing ä\n"),
    Waited(),
    Opened("door", (1, 2)),
    Succeeded(),
)


@given(
    st.sampled_from(DecisionKind),
    st.integers(0, 6),
    st.lists(st.sampled_from(EVENTS), max_size=2),
    st.sampled_from([None, "0123456789abcdef", '"}', "\ud800", ""]),
    st.sampled_from([None, 0.0, 0.5]),
    st.tuples(st.booleans(), st.booleans()),
    st.sampled_from([{}, {"agent": [1, 2, "key"], "looks": {"3": [False, None, [1]]}, "shown": {"4": None}}]),
    st.sampled_from([None, AnswerOutcome.OK, AnswerOutcome.NO_EFFECT]),
)
def test_lines_hold_steps_as_the_record_has_them(
    kind: DecisionKind,
    action: int,
    events: list[Event],
    digest: str | None,
    reward: float | None,
    ended: tuple[bool, bool],
    changes: dict[str, Any],
    outcome: AnswerOutcome | None,
) -> None:
    requests = () if outcome is None else (Request(outcome, action=action),)
    step = Step(1, kind, action, requests, reward or 0.0, *ended, tuple(events), digest)
    effect = {"effect": False} if outcome is AnswerOutcome.NO_EFFECT else {}
    expected = {"step": {**step.to_dict_alone(), **changes, **effect}}
    line = json.dumps(expected, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")
    members = json.dumps(changes, separators=(",", ":"))[1:-1]
    assert step_line(step, members) == line + b"\n"
