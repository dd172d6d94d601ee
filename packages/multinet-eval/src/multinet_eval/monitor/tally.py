"""`Tally`: counts what happens in a run while it is played, and says how far it has come.

It is told by an observer of this process, or by `multinet_eval.monitor.watching` from the files of another one; so both
show the same figures.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import attrs

from gridworld.model_interface import AnswerOutcome
from gridworld.runner.record import Request
from multinet_eval.record.events import Spent
from multinet_eval.settings.spending import Prices

ANSWERS = (AnswerOutcome.OK, AnswerOutcome.NO_EFFECT)


@attrs.frozen
class UnderWay:
    """An episode that has begun and not ended."""

    task: str
    step: int
    """The number of the last step that was taken, 0 before the first."""


@attrs.frozen
class Wait:
    """Reason for which an episode waits before it asks again."""

    task: str
    reason: str
    until: float | None = None
    """On the clock of the tally; None where that is not known."""


@attrs.frozen
class Figures:
    """How far a run has come."""

    planned: int
    """Number of episodes in the plan."""
    finished: int
    solved: int
    under_way: tuple[UnderWay, ...]
    """In the order of the plan."""
    finished_now: int
    """Number of episodes finished in this session."""
    steps_now: int
    """Number of steps taken in this session."""
    seconds: float | None
    """How long this session has lasted; None while nobody plays."""
    spent: Spent
    """Usage of all requests, those of earlier sessions included."""
    cost: float | None
    """Cost of `spent`; None without prices."""
    faults: dict[str, int]
    """Kind of fault to how many requests came to it: an outcome, or for infrastructure what ailed the server."""
    wait: Wait | None
    """The current wait, if any: of several, the one that ends first."""
    in_flight: int | None = None
    """Number of requests made and not answered; None where that cannot be known."""

    @property
    def steps_per_second(self) -> float | None:
        """The mean of this session; None where nothing is known of it."""
        return self.steps_now / self.seconds if self.seconds and self.steps_now else None

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes if episodes go on ending as often as in this session; None before the first end."""
        if self.seconds is None or self.finished_now == 0:
            return None
        return (self.planned - self.finished) * self.seconds / self.finished_now

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with what is computed."""
        plain = attrs.asdict(self, filter=attrs.filters.exclude("wait", "spent"))
        plain["under_way"] = [attrs.asdict(each) for each in self.under_way]
        return {
            **plain,
            "requests": self.spent.requests,
            "prompt_tokens": self.spent.prompt_tokens,
            "completion_tokens": self.spent.completion_tokens,
            "cached": self.spent.cached,
            "waiting_for": None if self.wait is None else self.wait.reason,
            "steps_per_second": self.steps_per_second,
            "seconds_left": self.seconds_left,
        }


@attrs.define
class _Account:
    """An episode of the plan, over all attempts at it."""

    task: str = ""
    step: int = 0
    steps_now: int = 0
    solved: bool | None = None
    """None until it has ended."""
    ended_now: bool = False
    begun: bool = False
    wait: Wait | None = None

    @property
    def under_way(self) -> bool:
        """Whether it has begun and not ended."""
        return self.begun and self.solved is None


class Tally:
    """Counts what happens. Its methods may be called by several threads.

    Args:
        prices: what tokens cost, if known.
        clock: the seconds since some moment.
    """

    def __init__(self, prices: Prices | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.RLock()
        self.clock = clock
        self._prices = prices
        self._accounts: defaultdict[int, _Account] = defaultdict(_Account)
        self._planned = 0
        self._before = (0, 0)
        self._spent = Spent()
        self._faults: Counter[str] = Counter()
        self._since: float | None = None

    def plan(self, episodes: int) -> None:
        """There are so many episodes in all."""
        with self._lock:
            self._planned = episodes

    def charge(self, prices: Prices | None) -> None:
        """This is what tokens cost."""
        with self._lock:
            self._prices = prices

    def know(self, finished: int, solved: int, spent: Spent) -> None:
        """So much was finished and spent before; to be told before anything else."""
        with self._lock:
            self._before, self._spent = (finished, solved), spent

    def begin_session(self, seconds_ago: float = 0.0) -> None:
        """Somebody plays; what was counted so far belongs to earlier sessions."""
        with self._lock:
            self._since = self.clock() - seconds_ago
            for account in self._accounts.values():
                account.steps_now, account.ended_now = 0, False

    def end_session(self) -> None:
        """Nobody plays."""
        with self._lock:
            self._since = None

    def begin(self, number: int, task: str, step: int = 0) -> None:
        """An attempt at an episode begins, or goes on after a step."""
        with self._lock:
            account = self._accounts[number]
            account.task, account.step, account.begun = task, step, True
            account.solved, account.ended_now, account.wait = None, False, None

    def ask(self, number: int, request: Request) -> None:
        """A request was made."""
        with self._lock:
            self._accounts[number].wait = None
            self._spent = self._spent.plus(request)
            if request.outcome not in ANSWERS:
                self._faults[str(request.trouble or request.outcome)] += 1

    def take(self, number: int, step: int) -> None:
        """A step was taken or lost."""
        with self._lock:
            account = self._accounts[number]
            account.step, account.wait = step, None
            account.steps_now += 1

    def wait(self, number: int, reason: str, until: float | None = None) -> None:
        """An episode waits before it asks again."""
        with self._lock:
            self._accounts[number].wait = Wait(self._accounts[number].task, reason, until)

    def resume(self, number: int) -> None:
        """An episode goes on in another session."""
        with self._lock:
            account = self._accounts[number]
            account.steps_now = 0
            self.begin(number, account.task, account.step)

    def forget_session(self, number: int) -> None:
        """All that was counted of an episode so far happened in an earlier session."""
        with self._lock:
            self._accounts[number].steps_now, self._accounts[number].ended_now = 0, False

    def end(self, number: int, solved: bool) -> None:
        """An episode ended; one that ended by an error is not solved."""
        with self._lock:
            account = self._accounts[number]
            account.solved, account.ended_now, account.wait = solved, True, None

    def leave(self, number: int) -> None:
        """An episode ended by an error that would end all others, too; it is played again when the run goes on."""
        with self._lock:
            account = self._accounts[number]
            account.begun, account.wait = False, None

    def figures(self, in_flight: int | None = None) -> Figures:
        """How far the run has come by now.

        Args:
            in_flight: how many requests are in flight, if known.
        """
        with self._lock:
            accounts = [account for _, account in sorted(self._accounts.items())]
            ended = [account for account in accounts if account.solved is not None]
            spent = self._spent
            finished, solved = self._before
            prices = self._prices
            waits = [account.wait for account in accounts if account.wait is not None]
            return Figures(
                planned=self._planned,
                finished=finished + len(ended),
                solved=solved + sum(account.solved is True for account in ended),
                under_way=tuple(UnderWay(account.task, account.step) for account in accounts if account.under_way),
                finished_now=sum(account.ended_now for account in ended),
                steps_now=sum(account.steps_now for account in accounts),
                seconds=None if self._since is None else max(0.0, self.clock() - self._since),
                spent=spent,
                cost=None if prices is None else prices.cost(spent.prompt_tokens, spent.completion_tokens),
                faults=dict(sorted(self._faults.items())),
                wait=min(waits, key=lambda wait: math.inf if wait.until is None else wait.until, default=None),
                in_flight=in_flight,
            )
