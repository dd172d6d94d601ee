"""The live display of a run on a terminal, and its lines elsewhere."""

import io
import re
import time
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from gridworld.model_interface import AnswerOutcome, Trouble, Usage
from gridworld.runner.record import DecisionKind, EndReason, EpisodeEnd, EpisodeHeader, Request, Step
from multinet_eval.cli.live_display import Reporter, duration
from multinet_eval.cli.progress_bars import counting
from multinet_eval.play.observers import Pause, RunStart
from multinet_eval.record.events import Spent
from multinet_eval.record.manifest import RunOptions
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.spending import Prices
from support.runs import UNSTEADY, AnsweringModel, make_corridor_run

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
START = RunStart("run", "corridors", "scripted", {}, 60, ())
EPISODES = [PlannedEpisode(number, "hash", f"corridor_{number}", None, 0, 0) for number in range(3)]
HEADER = EpisodeHeader("corridor_0", 1, 0, 6)


def on_terminal(reporter: Reporter, console: Console) -> str:
    """The current display as text."""
    with console.capture() as capture:
        console.print(reporter._display())
    return ESCAPES.sub("", capture.get())


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=120)


def reporter_on(console: Console, prices: Prices | None = None, **options: Any) -> Reporter:
    return Reporter(prices, progress=True, in_flight=lambda: 2, console=console, **options)


def result(reason: EndReason) -> TaskResult:
    return TaskResult.of(HEADER, (), EpisodeEnd(reason))


def test_the_display_is_empty_before_the_start(console: Console) -> None:
    assert on_terminal(reporter_on(console), console).strip() == ""


def test_the_display_shows_all_figures(console: Console) -> None:
    now = [100.0]
    reporter = reporter_on(console, Prices(1, 1), clock=lambda: now[0])
    reporter.run_started(START)
    reporter.episode_started(EPISODES[0], HEADER)
    reporter.request_made(
        EPISODES[0], Request(AnswerOutcome.UNPARSABLE, "no JSON; write some", usage=Usage(1_000_000, 500_000))
    )
    reporter.step_taken(EPISODES[0], Step(1, DecisionKind.LOST), (1, 1, 0))
    now[0] += 2
    shown = on_terminal(reporter, console)
    assert "0/60 solved 0  0.5 steps/s  0:00:02 passed" in shown
    assert "corridor_0 step 1  2 in flight  1 request  1,500,000 tokens  cost 1.5" in shown
    assert "unusable answers: 1 unparsable (no JSON; write some)" in shown

    reporter.episode_finished(EPISODES[0], result(EndReason.GOAL))
    shown = on_terminal(reporter, console)
    assert "1/60 solved 1  0.5 steps/s  0:00:02 passed  0:01:58 left" in shown
    assert "corridor_0" not in shown


def test_a_high_speed_is_a_whole_number(console: Console) -> None:
    now = [100.0]
    reporter = reporter_on(console, clock=lambda: now[0])
    reporter.run_started(START)
    reporter.episode_started(EPISODES[0], HEADER)
    for number in range(1, 1081):
        reporter.step_taken(EPISODES[0], Step(number, DecisionKind.LOST), (1, 1, 0))
    now[0] += 1
    assert "  1,080 steps/s  " in on_terminal(reporter, console)


def test_an_episode_with_a_permanent_error_is_not_finished(console: Console) -> None:
    reporter = reporter_on(console)
    reporter.run_started(START)
    reporter.episode_started(EPISODES[0], HEADER)
    refused = EpisodeEnd(EndReason.INFRASTRUCTURE, error="wrong credential", permanent=True)
    reporter.episode_finished(EPISODES[0], TaskResult.of(HEADER, (), refused))
    shown = on_terminal(reporter, console)
    assert "0/60 solved 0" in shown
    assert "corridor_0" not in shown


def test_several_episodes_at_once_are_counted_not_named(console: Console) -> None:
    reporter = reporter_on(console)
    reporter.run_started(START)
    for episode in EPISODES:
        reporter.episode_started(episode, HEADER)
    shown = on_terminal(reporter, console)
    assert "3 under way" in shown
    assert "corridor" not in shown


def test_a_wait_is_shown_with_its_reason_until_there_is_an_answer(console: Console) -> None:
    reporter = reporter_on(console, clock=lambda: 5.0)
    reporter.run_started(START)
    reporter.episode_started(EPISODES[0], HEADER)
    reporter.paused(EPISODES[0], Pause(1, 12.5, "warming\nup", 2, 5))
    assert "waiting 12.5 s: retry 2 of 5: warming up" in on_terminal(reporter, console)
    reporter.request_made(EPISODES[0], Request(AnswerOutcome.OK))
    assert "waiting" not in on_terminal(reporter, console)


def test_a_resumed_run_begins_with_what_was_done_before(console: Console) -> None:
    before = (result(EndReason.GOAL), result(EndReason.DEATH))
    reporter = reporter_on(console)
    reporter.run_started(RunStart("run", "corridors", "scripted", {}, 60, before, Spent(40, 1, 1)))
    shown = on_terminal(reporter, console)
    assert "2/60 solved 1" in shown
    assert "40 requests  2 tokens" in shown
    assert "left" not in shown


def test_on_a_pipe_a_line_says_now_and_then_how_far_it_is(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_corridor_run(tmp_path_factory.mktemp("run"), AnsweringModel(*UNSTEADY), recorded=False)
    reporter = Reporter(progress=True, line_seconds=0.01)
    with reporter:
        run.play(RunOptions(), reporter)
        lines = wait_for_line(capsys, "3 of 3 episodes")
    fault = r"unusable answers: 1 empty \(this is empty\) and 2 of other kinds"
    told = rf"3 of 3 episodes, 1 solved, {fault}, .*steps/s, 0:00:\d\d passed, 0 in flight, \d+ requests"
    assert re.match(told, lines[-1])


def wait_for_line(capsys: pytest.CaptureFixture[str], beginning: str) -> list[str]:
    """The lines on standard error up to one that begins so."""
    read = ""
    for _ in range(1000):
        read += capsys.readouterr().err
        lines = read.splitlines()
        if lines and lines[-1].startswith(beginning):
            return lines
        time.sleep(0.01)
    raise AssertionError(f"no line begins with {beginning!r}: {read}")


@pytest.fixture
def piped() -> Iterator[Reporter]:
    with Reporter(progress=True) as reporter:
        yield reporter


def test_on_a_pipe_a_long_wait_is_told_once_for_all_that_wait(
    piped: Reporter, capsys: pytest.CaptureFixture[str]
) -> None:
    for episode in EPISODES:
        piped.paused(episode, Pause(4, 8.0, "the server is down", 1, 5))
    assert capsys.readouterr().err == "waiting 8 s: corridor_0, step 4, retry 1 of 5: the server is down\n"
    piped.paused(EPISODES[0], Pause(4, 8.0, "too many requests"))
    assert capsys.readouterr().err == "waiting 8 s: corridor_0, step 4, retry: too many requests\n"
    piped.paused(EPISODES[0], Pause(4, 0.5, "the server is down"))
    assert capsys.readouterr().err == ""  # a short wait is not worth a line


def test_a_quiet_run_says_nothing_of_waits_nor_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter(progress=False, line_seconds=0.01)
    with reporter:
        reporter.run_started(START)
        reporter.paused(EPISODES[0], Pause(4, 60.0, "the server is down"))
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_a_duration_has_hours() -> None:
    assert duration(3723.4) == "1:02:03"


@given(st.integers(1, 50), st.integers(1, 50), st.integers(1, 100_000))
def test_the_time_left_is_that_of_the_episodes_that_are_left(ended: int, left: int, seconds: int) -> None:
    now = [1000.0]
    reporter = Reporter(progress=False, clock=lambda: now[0])
    reporter.run_started(attrs.evolve(START, episodes=ended + left))
    assert "left" not in reporter.line()
    for number in range(ended):
        reporter.episode_finished(attrs.evolve(EPISODES[0], number=number), result(EndReason.GOAL))
    now[0] += seconds
    assert f", {duration(left * seconds / ended)} left, " in reporter.line()


def test_failures_are_counted_by_trouble_or_outcome() -> None:
    reporter = Reporter(progress=False)
    for request in (
        Request(AnswerOutcome.OK, usage=Usage(prompt_tokens=3, completion_tokens=2)),
        Request(AnswerOutcome.NO_EFFECT),
        Request(AnswerOutcome.UNPARSABLE, "no JSON"),
        Request(AnswerOutcome.INFRASTRUCTURE),
        Request(AnswerOutcome.INFRASTRUCTURE, trouble=Trouble.SLOW),
        Request(AnswerOutcome.INFRASTRUCTURE, trouble=Trouble.SLOW),
    ):
        reporter.request_made(EPISODES[0], request)
    assert reporter.failures() == [
        "failed requests: 2 slow, 1 infrastructure",
        "unusable answers: 1 unparsable (no JSON)",
    ]
    assert "6 requests, 5 tokens" in reporter.line()


@pytest.mark.parametrize("width", [50, 80, 120])
def test_the_commonest_fault_stays_in_sight_on_terminals_of_every_width(width: int) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=width)
    reporter = reporter_on(console)
    reporter.run_started(START)
    reason = "no whole reply within 120 s from http://localhost:8000/v1, which is busy"
    for kind, number in ((AnswerOutcome.EMPTY, 3), (AnswerOutcome.ILLEGAL, 2), (AnswerOutcome.UNPARSABLE, 1)):
        for _ in range(number):
            reporter.request_made(EPISODES[0], Request(kind, f"a reason of {kind}: {'very ' * 20}long"))
    for _ in range(4):
        reporter.request_made(EPISODES[0], Request(AnswerOutcome.INFRASTRUCTURE, reason, trouble=Trouble.SLOW))
    shown = " ".join(on_terminal(reporter, console).split())
    assert f"failed requests: 4 slow ({reason}), 6 unusable answers" in shown
    assert f"failed requests: 4 slow ({reason}), 6 unusable answers" in reporter.line()[:200]


def test_the_wait_that_ends_first_is_shown(console: Console) -> None:
    reporter = reporter_on(console, clock=lambda: 0.0)
    reporter.run_started(START)
    for episode, seconds in zip(EPISODES, (30.0, 20.0, 40.0), strict=True):
        reporter.episode_started(episode, HEADER)
        reporter.paused(episode, Pause(1, seconds, f"busy {episode.number}"))
    assert "waiting 20.0 s: retry: busy 1" in on_terminal(reporter, console)
    reporter.request_made(EPISODES[1], Request(AnswerOutcome.OK))
    assert "waiting 30.0 s: retry: busy 0" in on_terminal(reporter, console)


def test_an_episode_that_begins_anew_is_not_finished_any_more() -> None:
    reporter = Reporter(progress=False)
    reporter.run_started(START)
    reporter.episode_finished(EPISODES[0], result(EndReason.GOAL))
    assert reporter.line().startswith("1 of 60 episodes, 1 solved")
    reporter.episode_started(EPISODES[0], HEADER)
    assert reporter.line().startswith("0 of 60 episodes, 0 solved")


@pytest.mark.parametrize(
    ("line_seconds", "told"),
    [(0, "playing: 999 of 100,000 steps\nplaying: 1,000 of 100,000 steps\n"), (3600, "")],
)
def test_on_a_pipe_a_line_now_and_then_says_how_much_is_done(
    line_seconds: float, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with counting("playing", "steps", line_seconds) as show:
        show(999, 100_000)
        show(1000, 100_000)
    assert capfd.readouterr() == ("", told)
