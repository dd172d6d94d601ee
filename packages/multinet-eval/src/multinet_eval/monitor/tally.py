"""`Tally`: counts the events of a run in progress, for progress displays."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable

import attrs

from gridworld.model_interface import AnswerOutcome
from gridworld.runner.record import Request
from multinet_eval.record.events import Spent
from multinet_eval.settings.spending import Prices

ANSWERS = (AnswerOutcome.OK, AnswerOutcome.NO_EFFECT)


@attrs.frozen
class UnderWay:
    """An episode in progress."""

    task: str
    step: int
    """Number of the last step; 0 before the first."""


@attrs.frozen
class Wait:
    """An episode's wait before its request is repeated."""

    task: str
    reason: str
    until: float | None = None
    """Time on the tally's clock at which the wait ends; None if unknown."""


@attrs.frozen
class Figures:
    """Progress of a run."""

    planned: int
    """Number of episodes in the plan."""
    finished: int
    solved: int
    under_way: tuple[UnderWay, ...]
    """Episodes in progress, in the order of the plan."""
    finished_now: int
    """Number of episodes finished in this session."""
    steps_now: int
    """Number of steps taken in this session."""
    seconds: float | None
    """Duration of this session in seconds; None before it begins."""
    spent: Spent
    """Usage of all requests, including earlier sessions."""
    cost: float | None
    """Cost of `spent`; None without prices."""
    faults: dict[str, int]
    """Number of failed requests and unusable answers by kind: the outcome, or the kind of server problem."""
    fault_reasons: dict[str, str]
    """Message of the latest of each kind."""
    wait: Wait | None
    """The current wait, if any; the first to end if there are several."""
    in_flight: int | None = None
    """Number of requests sent but not answered yet; None if unknown."""

    @property
    def steps_per_second(self) -> float | None:
        """Mean number of steps per second in this session; None before its first step."""
        return self.steps_now / self.seconds if self.seconds and self.steps_now else None

    @property
    def seconds_left(self) -> float | None:
        """Expected remaining seconds at this session's rate of episodes; None before the first one ends."""
        if self.seconds is None or self.finished_now == 0:
            return None
        return (self.planned - self.finished) * self.seconds / self.finished_now


@attrs.define
class _Account:
    """Counts for one planned episode, over all its attempts."""

    task: str = ""
    step: int = 0
    solved: bool | None = None
    """Whether the episode reached the goal; None while it is unfinished."""
    begun: bool = False
    wait: Wait | None = None

    @property
    def under_way(self) -> bool:
        """Whether the episode is in progress."""
        return self.begun and self.solved is None


class Tally:
    """Counts the events of a run. Several threads may call its methods.

    Args:
        prices: prices of tokens, if known.
        clock: monotonic time in seconds.
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
        self._fault_reasons: dict[str, str] = {}
        self._steps = 0
        self._since: float | None = None

    def plan(self, episodes: int) -> None:
        """Set the number of planned episodes."""
        with self._lock:
            self._planned = episodes

    def know(self, finished: int, solved: int, spent: Spent) -> None:
        """Set the state before this session; call it before counting anything else."""
        with self._lock:
            self._before, self._spent = (finished, solved), spent

    def begin_session(self) -> None:
        """Begin the session."""
        with self._lock:
            self._since = self.clock()

    def begin(self, number: int, task: str, step: int = 0) -> None:
        """Begin an attempt at an episode, or continue it after a step."""
        with self._lock:
            account = self._accounts[number]
            account.task, account.step, account.begun = task, step, True
            account.solved, account.wait = None, None

    def ask(self, number: int, request: Request) -> None:
        """Count a request."""
        with self._lock:
            self._accounts[number].wait = None
            self._spent = self._spent.plus(request)
            if request.outcome not in ANSWERS:
                kind = str(request.trouble or request.outcome)
                self._faults[kind] += 1
                self._fault_reasons[kind] = request.message

    def take(self, number: int, step: int) -> None:
        """Count a step, taken or lost."""
        with self._lock:
            account = self._accounts[number]
            account.step, account.wait = step, None
            self._steps += 1

    def wait(self, number: int, reason: str, until: float | None = None) -> None:
        """Record that an episode waits before its request is repeated."""
        with self._lock:
            self._accounts[number].wait = Wait(self._accounts[number].task, reason, until)

    def end(self, number: int, solved: bool) -> None:
        """End an episode; one that ended with an error does not count as solved."""
        with self._lock:
            account = self._accounts[number]
            account.solved, account.wait = solved, None

    def leave(self, number: int) -> None:
        """End an episode with a permanent error; it is replayed when the run is resumed."""
        with self._lock:
            account = self._accounts[number]
            account.begun, account.wait = False, None

    def figures(self, in_flight: int | None = None) -> Figures:
        """Return the current figures.

        Args:
            in_flight: number of requests in flight, if known.
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
                finished_now=len(ended),
                steps_now=self._steps,
                seconds=None if self._since is None else max(0.0, self.clock() - self._since),
                spent=spent,
                cost=None if prices is None else prices.cost(spent.prompt_tokens, spent.completion_tokens),
                faults=dict(sorted(self._faults.items())),
                fault_reasons=dict(self._fault_reasons),
                wait=min(waits, key=lambda wait: math.inf if wait.until is None else wait.until, default=None),
                in_flight=in_flight,
            )
