"""The figures of a run, by a clock that stands still unless it is told to go on."""

from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import AnswerOutcome, Trouble, Usage
from gridworld.runner.record import Request
from multinet_eval.monitor.tally import Tally, UnderWay, Wait
from multinet_eval.record.events import Spent
from multinet_eval.settings.spending import Prices


class Clock:
    """Tells the time that it is set to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_tally_that_was_told_nothing_knows_nothing() -> None:
    figures = Tally().figures()
    assert (figures.planned, figures.finished, figures.under_way, figures.faults) == (0, 0, (), {})
    assert (figures.seconds, figures.steps_per_second, figures.seconds_left, figures.cost) == (None,) * 4


@given(st.integers(1, 50), st.integers(1, 50), st.floats(0.1, 1e5))
def test_the_time_left_is_that_of_the_episodes_that_are_left(ended: int, left: int, seconds: float) -> None:
    clock = Clock()
    tally = Tally(clock=clock)
    tally.plan(ended + left)
    tally.begin_session()
    assert tally.figures().seconds_left is None
    for number in range(ended):
        tally.begin(number, "corridor")
        tally.take(number, 1)
        tally.end(number, solved=True)
    clock.now += seconds
    figures = tally.figures()
    assert figures.seconds_left is not None
    assert abs(figures.seconds_left / seconds - left / ended) < 1e-6
    assert figures.steps_per_second is not None
    assert abs(figures.steps_per_second * seconds - ended) < 1e-6


def test_earlier_sessions_count_but_not_for_speed() -> None:
    clock = Clock()
    tally = Tally(clock=clock)
    tally.plan(10)
    tally.know(finished=3, solved=1, spent=Spent(20, 300, 40))
    tally.begin_session()
    clock.now += 5
    figures = tally.figures()
    assert (figures.finished, figures.solved, figures.finished_now, figures.steps_now) == (3, 1, 0, 0)
    assert (figures.seconds, figures.steps_per_second, figures.seconds_left) == (5, None, None)
    assert figures.spent == Spent(20, 300, 40)


def test_faults_are_counted_by_trouble_or_outcome() -> None:
    tally = Tally(Prices(input=1_000_000, output=10_000_000))
    for request in (
        Request(AnswerOutcome.OK, usage=Usage(prompt_tokens=3, completion_tokens=2)),
        Request(AnswerOutcome.NO_EFFECT),
        Request(AnswerOutcome.UNPARSABLE),
        Request(AnswerOutcome.INFRASTRUCTURE),
        Request(AnswerOutcome.INFRASTRUCTURE, trouble=Trouble.SLOW),
        Request(AnswerOutcome.INFRASTRUCTURE, trouble=Trouble.SLOW),
    ):
        tally.ask(0, request)
    figures = tally.figures(in_flight=2)
    assert figures.faults == {"infrastructure": 1, "slow": 2, "unparsable": 1}
    assert (figures.spent.requests, figures.spent.tokens) == (6, 5)
    assert (figures.cost, figures.in_flight) == (23, 2)


def test_the_wait_that_ends_first_is_shown_until_an_answer() -> None:
    tally = Tally()
    for number, until in enumerate((None, 30.0, 20.0)):
        tally.begin(number, f"task {number}")
        tally.wait(number, "busy", until)
    assert tally.figures().wait == Wait("task 2", "busy", 20.0)
    tally.ask(2, Request(AnswerOutcome.OK))
    tally.take(1, 7)
    figures = tally.figures()
    assert figures.wait == Wait("task 0", "busy")
    assert figures.under_way == (UnderWay("task 0", 0), UnderWay("task 1", 7), UnderWay("task 2", 0))


def test_permanent_errors_leave_episodes_unfinished() -> None:
    tally = Tally()
    tally.begin(0, "corridor")
    tally.wait(0, "wrong credential")
    tally.leave(0)
    figures = tally.figures()
    assert (figures.finished, figures.under_way, figures.wait) == (0, (), None)


def test_an_episode_that_begins_anew_is_not_finished_any_more() -> None:
    tally = Tally()
    tally.begin(0, "corridor")
    tally.ask(0, Request(AnswerOutcome.OK))
    tally.end(0, solved=True)
    tally.begin(0, "corridor")
    figures = tally.figures()
    assert (figures.finished, figures.solved, figures.spent.requests) == (0, 0, 1)
    assert figures.under_way == (UnderWay("corridor", 0),)
