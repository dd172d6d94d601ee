"""`clean_interrupts`: signals stop a run wherever they come, and no finished episode is lost."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.cli.interrupts import SIGNALS, clean_interrupts
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import RunOutcome
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.task_result import TaskResult
from support.runs import ScriptedModel, make_run, play_run, write_corridor
from support.thoroughness import bounded

LONG = 600.0
SHARES = st.one_of(st.floats(0, 1, exclude_max=True), st.floats(0.99, 1, exclude_max=True))
"""How much of a run is over; its end has more that is not to be interrupted."""
WATCHED = ("/multinet_eval/", "/contextlib.py")


@pytest.fixture(scope="module")
def corridors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    for name in "abc":
        write_corridor(folder, name)
    return folder


class Stopping:
    """Stands for a run."""

    in_flight = 0

    def __init__(self, interruptible: bool = True) -> None:
        self.interruptible = interruptible
        self.messages: list[str] = []

    def stop(self, message: str) -> None:
        self.messages.append(message)


def twice(number: int = signal.SIGINT) -> None:
    """Send the signal that stops a run, and the one that stops it at once."""
    signal.raise_signal(number)
    signal.raise_signal(number)


def at_once(*numbers: int) -> None:
    """Let signals be handled together, as when the thread that handles them was asleep."""
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    for number in numbers:
        signal.raise_signal(number)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def busy() -> None:
    """Give a signal that is still to be handled the time to be."""
    for _ in range(1000):
        signal.getsignal(signal.SIGINT)


@pytest.mark.parametrize("number", SIGNALS)
def test_second_signal_and_end_of_grace_interrupt_once(number: int) -> None:
    interrupted = 0
    with clean_interrupts(Stopping(), LONG):
        signal.raise_signal(number)
        for do in (lambda: at_once(number, signal.SIGALRM), busy, lambda: signal.raise_signal(signal.SIGALRM), busy):
            try:
                do()
            except KeyboardInterrupt:
                interrupted += 1
    assert interrupted == 1


def test_the_end_of_the_grace_interrupts_by_itself() -> None:
    with clean_interrupts(Stopping(), 0.01):
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.sigtimedwait([], LONG)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_second_signal_to_another_thread_interrupts_soon(number: int) -> None:
    """As when it comes just before that falls asleep: another thread is the one that is told of it."""
    thread = threading.Timer(0.2, signal.raise_signal, [number])
    with clean_interrupts(Stopping(), LONG):
        signal.raise_signal(number)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            signal.sigtimedwait([], LONG)
        thread.join()


def test_an_interruption_waits_until_the_run_is_interruptible() -> None:
    run = Stopping(interruptible=False)
    with clean_interrupts(run, LONG):
        twice()
        busy()
        run.interruptible = True
        with pytest.raises(KeyboardInterrupt):
            signal.sigtimedwait([], LONG)


def test_former_handlers_are_restored_and_no_timer_is_left() -> None:
    numbers = (*SIGNALS, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    with clean_interrupts(Stopping(), LONG):
        signal.raise_signal(signal.SIGINT)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert [signal.getsignal(number) for number in numbers] == before


class Counting(RunObserver):
    """Notes what has been finished."""

    def __init__(self) -> None:
        self.finished: list[str] = []

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        self.finished.append(result.task_id)


def at_once_after_one() -> None:
    """Stop the run, and then let a second signal and the end of the grace be handled together."""
    signal.raise_signal(signal.SIGINT)
    at_once(signal.SIGINT, signal.SIGALRM)
    busy()


@contextmanager
def at_line(number: int, do: Callable[[], object]) -> Iterator[Callable[[], int]]:
    """Meanwhile, do something before the line of this number is run, counted from 0; gives how many were counted."""
    former, lines = sys.gettrace(), 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal lines
        if not any(part in frame.f_code.co_filename for part in WATCHED):
            return None
        if event == "line":
            lines += 1
            if lines == number + 1:
                do()
        return trace

    sys.settrace(trace)
    try:
        yield lambda: lines
    finally:
        sys.settrace(former)


def traced_run(corridors: Path, line: int, do: Callable[[], object]) -> tuple[RunOutcome | None, list[str], int]:
    """Outcome, finished tasks and number of lines of a run interrupted by a function at a line."""
    run, observer = make_run(corridors, None, ScriptedModel("WW")), Counting()
    outcome = None
    try:
        with clean_interrupts(run, LONG), at_line(line, do) as lines:
            outcome = play_run(run, observer)
    except KeyboardInterrupt:
        pass
    return outcome, observer.finished, lines()


@pytest.fixture(scope="module")
def lines_of_a_run(corridors: Path) -> int:
    outcome, finished, lines = traced_run(corridors, -1, busy)
    assert outcome is not None
    assert finished == ["a", "b", "c"]
    return lines


@bounded(15)
@given(share=SHARES, do=st.sampled_from([twice, at_once_after_one]))
def test_finished_episodes_are_kept_whenever_signals_come(
    corridors: Path, lines_of_a_run: int, share: float, do: Callable[[], None]
) -> None:
    line = int(share * lines_of_a_run)
    outcome, finished, _ = traced_run(corridors, line, do)
    if outcome is not None:
        assert set(finished) <= {result.task_id for result in outcome.results.in_order}
    else:  # nothing had been played
        assert finished == []
