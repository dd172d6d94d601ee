"""A simulated session of a run, whose server, workers, disk and clock follow a seed, and in which anything may fail."""

import errno
import heapq
import itertools
import math
import os
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import attrs

from gridworld.backends.kernel import UnseenBackend
from gridworld.errors import GridworldError
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    BatchModel,
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    ModelOutput,
    ReplyForm,
    Trouble,
    Usage,
)
from gridworld.runner.record import EpisodeHeader, Request, Step
from gridworld.world import square_topology
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.limits import Limits
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.pools.pool import Pool, WorkerLost
from multinet_eval.play.scheduler import Clock, Scheduler
from multinet_eval.play.worker import Apply, Ask, Call, Update, Worker
from multinet_eval.record.events import Event, RecordedPose, RequestMade
from multinet_eval.record.journal import Journal
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.settings.plugin_objects import make_protocol

__all__ = [
    "DISK",
    "MOST_TOKENS",
    "SIDES",
    "Killed",
    "SimulatedClock",
    "SimulatedPool",
    "Simulation",
    "Troublemaker",
    "WatchedJournal",
    "Watcher",
]

SIDES = (5, 3)
"""Width and height of every task."""
MOST_WAITS = 20_000
MOST_LOOKS = 200_000
MOST_TOKENS = 25
"""Most tokens of one answer."""
UNUSABLE = (
    AnswerOutcome.UNPARSABLE,
    AnswerOutcome.TRUNCATED,
    AnswerOutcome.EMPTY,
    AnswerOutcome.REFUSED,
    AnswerOutcome.ILLEGAL,
)
TROUBLES = (Trouble.OVERLOADED, Trouble.OVERLOADED, Trouble.SLOW, Trouble.UNREACHABLE, None)


class Killed(BaseException):
    """The process has been killed: only its files remain."""


@attrs.define
class Simulation:
    """The plan of a session, and its history."""

    rng: random.Random
    paid: bool = True
    """Whether answers report usage."""
    protocol: str = "step"
    batched: bool = False
    """Whether the model takes several questions at once."""
    faults: float = 0.0
    """Probability of an infrastructure fault."""
    permanent: float = 0.0
    raising: float = 0.0
    """Probability that the model raises an unexpected exception."""
    losing: float = 0.0
    """Probability that a worker is lost in a call."""
    hanging: float = 0.0
    """Probability that an answer takes hours."""
    forgetful: float = 0.0
    """Probability that the model cannot resume an episode."""
    pickled: bool = False
    """Whether calls and updates are pickled, as between processes."""
    inline: bool = False
    """Whether calls complete in the scheduler's thread."""
    raised: dict[int, BaseException] = attrs.Factory(dict)
    """Exception raised at each numbered moment."""
    full: dict[int, bool] = attrs.Factory(dict)
    """Number of a failing write to whether the disk stays full afterwards."""
    torn: int = 0
    """Number of the write at which the process is killed."""
    clock: "SimulatedClock" = attrs.Factory(lambda: SimulatedClock())
    scheduler: Scheduler | None = None
    limits: Limits | None = None
    most: int = 1
    """Maximum number of requests in flight."""

    moments: int = 0
    killed: bool = False
    interrupted: bool = False
    failed_writes: int = 0
    answers: int = 0
    """Answers of all sessions."""
    came_back: set[str] = attrs.Factory(set)
    """Answers that workers have returned."""
    journaled: list[tuple[int, Event]] = attrs.Factory(list)
    told: list[tuple[int, str]] = attrs.Factory(list)
    latest: dict[int, list[str]] = attrs.Factory(dict)
    """Answers of the latest call, by slot."""
    closed_until: float = -math.inf
    asked: int = 0
    """Requests in flight."""
    broken: list[str] = attrs.Factory(list)
    """Violated invariants."""

    def moment(self) -> None:
        """Count a moment, and raise the exception planned for it."""
        self.moments += 1
        error = self.raised.get(self.moments)
        if error is not None:
            self.killed |= isinstance(error, Killed)
            self.interrupted |= isinstance(error, KeyboardInterrupt)
            raise error

    def require(self, kept: bool, law: str) -> None:
        """Note a violated invariant; an exception could be mistaken for a simulated fault."""
        if not kept:
            self.broken.append(law)

    def fail(self) -> None:
        """Raise as a defective model does, now and then."""
        if self.chance(self.raising):
            raise RuntimeError("a defect of the model")

    def chance(self, probability: float) -> bool:
        """Whether an event of a probability occurs."""
        return probability > 0 and self.rng.random() < probability


class SimulatedClock(Clock):
    """Virtual time, in which calls complete while the scheduler waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.time = self._look
        self._events: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self._waits = self._looks = 0
        self.moment: Callable[[], object] = lambda: None

    def _look(self) -> float:
        self._looks += 1
        assert self._looks < MOST_LOOKS, "the scheduler looks at the clock all the time"
        return self.now

    def at(self, time: float, act: Callable[[], object]) -> None:
        """Schedule an act."""
        heapq.heappush(self._events, (time, next(self._numbers), act))

    def advance(self, time: float) -> None:
        """Let time pass, and run the acts that are due."""
        self.now = max(self.now, time)
        while self._events and self._events[0][0] <= self.now:
            heapq.heappop(self._events)[2]()

    def wait(self, completed: SimpleQueue[Future[list[Update]] | None], seconds: float) -> Future[list[Update]] | None:
        """Wait in virtual time for the next call that completes."""
        self._waits += 1
        assert self._waits < MOST_WAITS, "the session does not come to its end"
        self.moment()
        end = self.now + max(0.0, seconds)
        next_at = self._events[0][0] if self._events else math.inf
        assert min(end, next_at) < math.inf, "the scheduler waits for nothing"
        self.advance(min(end, next_at))
        return None if completed.empty() else completed.get()


class _Model(ModelInterface):
    """Acts by the number of the step, fails as the simulation says, and keeps its episode."""

    def __init__(self) -> None:
        self.simulation: Simulation | None = None
        self._episode: EpisodeInfo | None = None
        self._step = 0

    @property
    def model_name(self) -> str:
        return "simulated"

    def can_reply(self, form: ReplyForm) -> bool:
        return True

    def begin_episode(self, episode: EpisodeInfo) -> None:
        self._episode, self._step = episode, 0

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        assert self.simulation is not None
        self.simulation.require(episode == self._episode, "an episode is resumed that was not begun")
        return not self.simulation.chance(self.simulation.forgetful)

    def predict(self, input: ModelInput) -> ModelOutput:
        simulation = self.simulation
        assert simulation is not None
        kept = input.episode == self._episode and input.step_number >= self._step
        simulation.require(kept, "a model that keeps an episode is asked in another one")
        self._step = input.step_number
        simulation.fail()
        return answer(simulation, input)


class _BatchModel(BatchModel, _Model):
    """Takes several questions at once and keeps nothing."""

    def predict(self, input: ModelInput) -> ModelOutput:
        assert self.simulation is not None
        self.simulation.fail()
        return answer(self.simulation, input)

    def predict_batch(self, inputs: Sequence[ModelInput]) -> Sequence[ModelOutput | AnswerFault]:
        assert self.simulation is not None
        self.simulation.fail()
        return [self._one(each) for each in inputs]

    def _one(self, input: ModelInput) -> ModelOutput | AnswerFault:
        try:
            assert self.simulation is not None
            return answer(self.simulation, input)
        except AnswerFault as fault:
            return fault


def answer(simulation: Simulation, given: ModelInput) -> ModelOutput:
    """Answer a question as the server does; answers are numbered."""
    rng = simulation.rng
    simulation.answers += 1
    said = f"answer {simulation.answers}"
    usage = Usage(rng.randrange(1, 20), rng.randrange(1, 5)) if simulation.paid else None
    if simulation.chance(simulation.permanent):
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "refused", raw_output=said, permanent=True)
    if simulation.chance(simulation.faults):
        trouble = rng.choice(TROUBLES)
        after = rng.choice((None, 0.5, 7.0, 30.0)) if trouble is Trouble.OVERLOADED else None
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "failed", raw_output=said, trouble=trouble, retry_after=after)
    script = random.Random(f"{given.max_steps}/{given.step_number}")
    if given.attempt == 0 and script.random() < 0.25:
        raise AnswerFault(script.choice(UNUSABLE), "unusable", raw_output=said, usage=usage)
    actions = tuple(script.choice((0, 1, 2, 2)) for _ in range(script.randrange(1, 4)))
    several = None if given.reply.holds_one_action else actions[: given.reply.max_actions]
    return ModelOutput(actions[0], raw_output=said, usage=usage, actions=several)


_FACTORIES: dict[tuple[str, bool], list[EpisodeFactory]] = {}
"""Unused factories, by protocol and whether the model takes batches: making one is slow."""


class SimulatedPool(Pool):
    """Workers of this process that return at simulated times, in a simulated order."""

    def __init__(self, simulation: Simulation, size: int) -> None:
        self.size = size
        self._simulation = simulation
        self._workers: dict[int, Worker] = {}
        self._busy: set[int] = set()
        self._used: list[EpisodeFactory] = []
        self._closed = False

    def submit(self, slot: int, call: Call) -> Future[list[Update]]:
        """Complete the call at a later time."""
        simulation, clock = self._simulation, self._simulation.clock
        assert simulation.scheduler is not None
        simulation.require(slot not in self._busy, "a worker is called in the middle of a call")
        simulation.require(not self._closed, "a worker is called after it was closed")
        stopped = simulation.scheduler.stopped
        simulation.require(stopped is None or isinstance(call, Apply), f"after the stop: {call}")
        if isinstance(call, Ask):
            self._check_requests(len(call.numbers))
        future: Future[list[Update]] = Future()
        simulation.moment()
        self._busy.add(slot)
        seconds = (
            round(simulation.rng.uniform(0.0, 2.0), 1) if isinstance(call, Ask) else simulation.rng.choice((0, 0, 0.1))
        )
        if isinstance(call, Ask) and simulation.chance(simulation.hanging):
            seconds = 10_000.0
        if simulation.inline:
            clock.advance(clock.now + seconds)
            self._complete(slot, call, future)
        else:
            clock.at(clock.now + seconds, lambda: self._complete(slot, call, future))
        return future

    def replace(self, slot: int) -> None:
        """Have the next call make a new worker."""
        self._simulation.require(slot not in self._workers, "a worker is replaced that was not lost")
        if self._simulation.chance(self._simulation.losing / 4):
            raise GridworldError("no worker can be started")

    def close(self, kill: bool) -> GridworldError | None:
        self._simulation.require(kill or not self._busy, "calls are under way that are waited for")
        self._closed = True
        for each in self._used:
            key = (self._simulation.protocol, self._simulation.batched)
            _FACTORIES.setdefault(key, []).append(each)
        self._used.clear()
        self._simulation.moment()
        return None

    def _check_requests(self, count: int) -> None:
        """Check that `count` requests may be made now."""
        simulation, now = self._simulation, self._simulation.clock.now
        assert simulation.limits is not None
        simulation.asked += count
        simulation.require(simulation.asked <= simulation.most, "more requests are in flight than are allowed")
        simulation.require(simulation.asked == simulation.limits.in_flight, "requests in flight are miscounted")
        simulation.require(now >= simulation.closed_until, "a request is made that the server does not want yet")
        simulation.require(now < simulation.limits.budget.ends_at, "a request is made after the time is over")

    def _complete(self, slot: int, call: Call, future: Future[list[Update]]) -> None:
        simulation = self._simulation
        if self._closed or simulation.killed:
            return
        self._busy.discard(slot)
        count = len(call.numbers) if isinstance(call, Ask) else 0
        simulation.asked -= count
        before, is_lost = simulation.answers, simulation.chance(simulation.losing)
        try:
            if is_lost and simulation.rng.random() < 0.5:  # before anything is done
                raise WorkerLost("the worker has ended")
            updates = self._do(slot, call)
            if is_lost:
                raise WorkerLost("the worker has ended")
        except BaseException as error:
            if isinstance(error, WorkerLost):
                self._workers.pop(slot, None)
            future.set_exception(error)
            return
        if count:
            self._note_answers(slot, before, updates)
        future.set_result(updates)

    def _note_answers(self, slot: int, before: int, updates: list[Update]) -> None:
        """Note a worker's answers, and until when the server accepts no others."""
        simulation = self._simulation
        said = [f"answer {number}" for number in range(before + 1, simulation.answers + 1)]
        simulation.latest[slot] = said
        simulation.came_back.update(said)
        for request in requests_in([(0, event) for update in updates for event in update.events]):
            if request.retry_after is not None:
                until = simulation.clock.now + request.retry_after
                simulation.closed_until = max(simulation.closed_until, until)

    def _do(self, slot: int, call: Call) -> list[Update]:
        if slot not in self._workers:
            first = self._factory()
            unused = [first]
            self._workers[slot] = Worker(first.model, lambda tiling: unused.pop() if unused else self._factory())
        if not self._simulation.pickled:
            return self._workers[slot].do(call)
        updates: list[Update] = pickle.loads(pickle.dumps(self._workers[slot].do(pickle.loads(pickle.dumps(call)))))
        return updates

    def _factory(self) -> EpisodeFactory:
        protocol, batched = self._simulation.protocol, self._simulation.batched
        unused = _FACTORIES.setdefault((protocol, batched), [])
        if unused:
            factory = unused.pop()
        else:
            policies, kind = AnswerPolicies(), _BatchModel if batched else _Model
            backend = UnseenBackend(square_topology(*SIDES))
            factory = EpisodeFactory(kind(), backend, protocol=make_protocol(protocol), policies=policies)
        self._used.append(factory)
        assert isinstance(factory.model, _Model)
        factory.model.simulation = self._simulation
        return factory


class _Disk(SimpleNamespace):
    """The module `os` of a journal on a disk that fills up."""

    def __init__(self) -> None:
        super().__init__(**{name: value for name, value in vars(os).items() if name not in vars(_Disk)})
        self.simulation: Simulation | None = None
        self.writes = 0
        self._is_full = False

    def begin(self, simulation: Simulation) -> None:
        self.simulation, self.writes, self._is_full = simulation, 0, False

    def write(self, descriptor: int, content: bytes) -> int:
        """Write, unless the disk is full or the process has been killed."""
        simulation = self.simulation
        assert simulation is not None
        if simulation.killed:
            raise OSError(errno.EIO, "killed")
        self.writes += 1
        part = content[: simulation.rng.randrange(len(content))]
        if self.writes == simulation.torn:
            os.write(descriptor, part)
            simulation.killed = True
            raise Killed
        if self._is_full or self.writes in simulation.full:
            self._is_full = self._is_full or simulation.full[self.writes]
            simulation.failed_writes += 1
            os.write(descriptor, part)
            raise OSError(errno.ENOSPC, "No space left on device")
        return os.write(descriptor, content)

    def ftruncate(self, descriptor: int, size: int) -> None:
        assert self.simulation is not None
        if not self.simulation.killed:
            os.ftruncate(descriptor, size)

    def fsync(self, descriptor: int) -> None:
        pass


DISK = _Disk()


class WatchedJournal(Journal):
    """A journal around another, with a moment before and after each write."""

    def __init__(self, simulation: Simulation, inner: Journal) -> None:
        self._simulation = simulation
        self._inner = inner

    def add(self, episode: int, event: Event) -> None:
        self._simulation.moment()
        self._inner.add(episode, event)
        self._simulation.journaled.append((episode, event))
        self._simulation.moment()

    def close(self, episode: int) -> None:
        self._inner.close(episode)

    def close_all(self) -> None:
        self._inner.close_all()


class Watcher(RunObserver):
    """Notes notifications, with a moment at each."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def _note(self, episode: PlannedEpisode, kind: str) -> None:
        self._simulation.told.append((episode.number, kind))
        self._simulation.moment()

    def episode_started(self, episode: PlannedEpisode, header: EpisodeHeader) -> None:
        self._note(episode, "begun")

    def request_made(self, episode: PlannedEpisode, request: Request) -> None:
        self._note(episode, str(request.raw_output))

    def step_taken(self, episode: PlannedEpisode, step: Step, place: RecordedPose) -> None:
        self._note(episode, f"step {step.number}")

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        self._note(episode, "ended")


class Troublemaker(RunObserver):
    """Raises at its nth notification and at all later ones."""

    def __init__(self, at: int) -> None:
        self.left = at
        self.told_after = 0

    def _count(self, *told: Any) -> None:
        self.left -= 1
        self.told_after += self.left < 0
        if self.left <= 0:
            raise KeyError("fallen")

    episode_started = request_made = step_taken = paused = worker_lost = episode_finished = _count


def requests_in(journaled: Sequence[tuple[int, Event]]) -> Iterator[Request]:
    """Requests among events."""
    for _, event in journaled:
        if isinstance(event, RequestMade):
            yield event.request


def repeated(values: Sequence[str]) -> list[str]:
    """The values that occur more than once."""
    return [value for value, count in Counter(values).items() if count > 1]
