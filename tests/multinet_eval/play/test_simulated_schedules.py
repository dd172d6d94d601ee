"""Whatever goes wrong in a run, in whatever order, it ends and says why, keeps its answers, and is resumed.

Each schedule follows from one integer, and is played in virtual time.
"""

import random
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

import multinet_eval.play.limits as play_limits
import multinet_eval.record.journal as journal_module
from gridworld.errors import GridworldError
from gridworld.model_interface import AnswerOutcome
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.limits import Backoff, Budget, Limits, Stopped, StopReason
from multinet_eval.play.observers import RunListener
from multinet_eval.play.run import new_run
from multinet_eval.play.scheduler import Scheduler
from multinet_eval.play.worker import EpisodeJob
from multinet_eval.record.events import (
    EpisodeBegun,
    EpisodeEnded,
    EpisodeRecord,
    EpisodeResumed,
    Event,
    ModelAdjusted,
    RequestMade,
    Spent,
    StepTaken,
)
from multinet_eval.record.journal import Journal, RunJournal
from multinet_eval.record.manifest import Manifest, Suite
from multinet_eval.record.plan import task_hash
from multinet_eval.record.results import ResultsFold
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import BudgetLimits
from support.simulation import (
    DISK,
    MOST_TOKENS,
    SIDES,
    Killed,
    SimulatedPool,
    Simulation,
    Troublemaker,
    WatchedJournal,
    Watcher,
    repeated,
    requests_in,
)

BY_DEFAULT, IN_ALL, THOROUGH = 20, 300, 10_000
AT_ONCE = 20
"""Schedules of one test."""
GRACE = 10.0
MOST_SESSIONS = 8
MOMENTS = 120
"""A session has about as many."""
PROTOCOLS = ("step", "chunk:3")
TASKS = tuple(
    TaskSpecification.from_dict(
        {
            "task_id": f"task_{steps}",
            "seed": steps,
            "difficulty_tier": 1,
            "max_steps": steps,
            "maze": {"dimensions": [*SIDES], "start": [1, 1], "goal": [3, 1], "walls": []},
            "goal": {"type": "reach_position"},
        }
    )
    for steps in (2, 4, 5)
)

Outcome = tuple[Any, ...]


@attrs.define
class Episodes:
    """The episodes of a run, and what is recorded of them where nothing is on disk."""

    manifest: Manifest
    directory: Path | None
    records: dict[int, EpisodeRecord] = attrs.Factory(dict)
    answers: int = 0
    """Answers of all sessions."""
    lost: set[str] = attrs.Factory(set)
    """Answers that need not be recorded."""
    came_back: set[str] = attrs.Factory(set)


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    settings = RunSettings(model="random", backend_arguments=("render_mode=none",), epochs=2)
    return new_run(settings, Suite("simulated", TASKS), make_model("random", []), None).manifest


@pytest.fixture(scope="module")
def undisturbed(manifest: Manifest) -> Mapping[str, dict[int, Outcome]]:
    """Protocol to the number of each episode to its outcome, where nothing goes wrong."""
    found = {}
    for protocol in PROTOCOLS:
        episodes = Episodes(manifest, None)
        simulation = Simulation(random.Random(0), protocol=protocol)
        scheduler, jobs = play(episodes, simulation, 1, 1, BudgetLimits(), 0.0)
        assert scheduler.stopped is None
        assert simulation.broken == []
        found[protocol] = {job.number: outcome_of(job.record) for job in jobs}
    assert all(outcome is not None for each in found.values() for outcome in each.values())
    return found  # type: ignore[return-value]  # the line before has seen that none is None


@pytest.fixture(autouse=True)
def _disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(journal_module, "os", DISK)
    yield
    DISK.simulation = None


def outcome_of(record: EpisodeRecord | None) -> Outcome | None:
    """Outcome of an episode, without the faults of its server; None where it has not ended, or by an error."""
    if record is None or record.end is None or record.end.error is not None:
        return None
    steps = [(step.kind, step.action, step.reward, step.digest, _outcomes(step.requests)) for step in record.steps]
    return (*steps, record.end)


def _outcomes(requests: Any) -> list[Any]:
    return [(each.outcome, each.action) for each in requests if each.outcome is not AnswerOutcome.INFRASTRUCTURE]


def play(
    episodes: Episodes, simulation: Simulation, workers: int, batch: int, allowed: BudgetLimits, patience: float
) -> tuple[Scheduler, list[EpisodeJob]]:
    """Play what is left in one session, which may be killed."""
    rng, clock = simulation.rng, simulation.clock
    simulation.answers, simulation.most = episodes.answers, workers * batch
    clock.moment = simulation.moment
    jobs, inner, spent = _begin(episodes)
    DISK.begin(simulation)
    backoff = Backoff(rng=random.Random(rng.random()))
    play_limits.OUTAGE_BACKOFF.rng.seed(rng.random())
    budget = Budget(allowed, spent, clock=clock.time)
    limits = simulation.limits = Limits(workers * batch, budget, patience, backoff, clock.time)
    troublemaker, reports = Troublemaker(rng.randrange(1, 30)), list[str]()
    listener = RunListener((troublemaker, Watcher(simulation)), reports.append)
    pool = SimulatedPool(simulation, workers)
    journal = WatchedJournal(simulation, inner)
    scheduler = simulation.scheduler = Scheduler(pool, limits, journal, listener, batch, GRACE, clock)
    try:
        scheduler.play(iter(jobs))
    except Killed:
        assert simulation.killed
    simulation.require(troublemaker.told_after == 0, "an observer that raised is told more")
    simulation.require(len(reports) == (troublemaker.left <= 0), "an observer that raised is not reported once")
    check_session(episodes, simulation, scheduler, jobs, spent, allowed)
    return scheduler, jobs


def _begin(episodes: Episodes) -> tuple[list[EpisodeJob], Journal, Spent]:
    """Jobs that are left, with their journal and earlier spending."""
    manifest, tasks, spent = episodes.manifest, {task_hash(each): each for each in TASKS}, Spent()
    if episodes.directory is None:
        return [EpisodeJob(each, tasks[each.task], None, False) for each in manifest.plan], Journal(), spent
    directory = RunDirectory(episodes.directory)
    so_far, records, fold = directory.recorded_so_far(), {}, ResultsFold()
    for number, attempts in directory.episodes(so_far):
        fold.add(number, attempts[-1])
        records[number] = attempts[-1]
        spent = spent.plus_all(request for record in attempts for request in record.requests)
    directory.begin_session(so_far)
    results = fold.results(manifest, {}).results
    jobs = [
        EpisodeJob(each, tasks[each.task], None if each.number in results else records.get(each.number))
        for each in manifest.plan
        if each.number not in results or results[each.number].error is not None
    ]
    return jobs, RunJournal(directory, lambda: None), spent


def check_session(
    episodes: Episodes,
    simulation: Simulation,
    scheduler: Scheduler,
    jobs: list[EpisodeJob],
    spent: Spent,
    allowed: BudgetLimits,
) -> None:
    """The laws of a session; those that are broken are noted."""
    require = simulation.require
    was_cut = simulation.killed or simulation.interrupted
    episodes.answers, episodes.came_back = simulation.answers, episodes.came_back | simulation.came_back
    written = [str(request.raw_output) for request in requests_in(simulation.journaled)]
    missing = simulation.came_back - set(written)
    unsettled = {said for slot in simulation.latest.values() for said in slot}
    if was_cut or simulation.failed_writes:
        episodes.lost |= missing & unsettled
        missing -= unsettled
    require(not missing, f"answers that came back are not recorded: {sorted(missing)}")
    require(not repeated(written), "an answer is recorded twice")
    for number in {number for number, _ in simulation.journaled}:
        events = [event for each, event in simulation.journaled if each == number]
        require(is_legal(events), f"the events of episode {number} are in an impossible order: {events}")
    if not was_cut:
        told = [each for each in map(_as_told, simulation.journaled) if each is not None]
        require(simulation.told == told, "observers are told something else than what is recorded")
    stopped = scheduler.stopped
    if not simulation.killed:
        unfinished = [job for job in jobs if job.record is None or job.record.end is None]
        require(not unfinished or stopped is not None, "unfinished episodes, and the run does not say why")
        require(not simulation.interrupted or stopped is not None, "the run does not say that it was interrupted")
        require(scheduler.abandoned or was_cut or scheduler.in_flight == 0, "requests are said to be in flight")
        is_known = stopped is None or stopped.error is None or isinstance(stopped.error, GridworldError)
        require(is_known, f"the run was stopped by {stopped!r}")
        now = scheduler.limits.budget.spent
        if not was_cut and not simulation.failed_writes:
            require(now.requests - spent.requests == len(written), "requests are miscounted")
        require(
            allowed.requests is None or now.requests <= max(allowed.requests, spent.requests),
            "requests beyond the budget",
        )
        most = simulation.most * MOST_TOKENS
        require(
            allowed.tokens is None or now.tokens <= max(allowed.tokens, spent.tokens) + most, "tokens beyond the budget"
        )
        ends_at = scheduler.limits.budget.ends_at + GRACE
        require(simulation.inline or simulation.clock.now <= ends_at + 0.001, "the run goes on after the time is over")
    if episodes.directory is not None:
        _check_folder(episodes, simulation, written)


def _check_folder(episodes: Episodes, simulation: Simulation, written: list[str]) -> None:
    """Check that the files hold everything written, and nothing twice."""
    assert episodes.directory is not None
    records = dict(RunDirectory(episodes.directory).episodes())
    found = [str(each.raw_output) for attempts in records.values() for record in attempts for each in record.requests]
    simulation.require(not repeated(found), f"an answer is on disk twice: {repeated(found)}")
    simulation.require(
        set(found) <= {f"answer {n + 1}" for n in range(simulation.answers)}, "an answer that nobody gave"
    )
    gone = set(written) - set(found)
    if not simulation.paid and (simulation.killed or simulation.failed_writes or simulation.interrupted):
        gone -= {said for slot in simulation.latest.values() for said in slot}  # held back with the step that follows
    simulation.require(not gone, f"answers were recorded and are not on disk: {sorted(gone)}")
    episodes.lost -= set(found)  # interrupted after it was written
    missing = episodes.came_back - set(found) - episodes.lost
    if simulation.paid:
        simulation.require(not missing, f"answers are not on disk: {sorted(missing)}")


def is_legal(events: list[Event]) -> bool:
    """Whether the events of one episode can follow on one another."""
    is_open, steps = False, list[int]()
    for event in events:
        if isinstance(event, EpisodeBegun):
            steps.clear()
        if not is_open and not isinstance(event, EpisodeBegun | EpisodeResumed):
            return False
        is_open = not isinstance(event, EpisodeEnded)
        if isinstance(event, RequestMade) and steps and event.step != steps[-1] + 1:
            return False
        if isinstance(event, StepTaken):
            steps.append(event.step.number)
    return steps == list(range(steps[0], steps[0] + len(steps))) if steps else True


def _as_told(journaled: tuple[int, Event]) -> tuple[int, str] | None:
    number, event = journaled
    match event:
        case EpisodeBegun() | EpisodeResumed():
            return number, "begun"
        case RequestMade():
            return number, str(event.request.raw_output)
        case StepTaken():
            return number, f"step {event.step.number}"
        case EpisodeEnded():
            return number, "ended"
        case ModelAdjusted():
            return None


def _disturb(simulation: Simulation) -> None:
    """Draw what goes wrong in a session: several things at once."""
    rng = simulation.rng
    at, write = rng.randrange(1, MOMENTS), rng.randrange(1, MOMENTS // 2)
    drawn: Mapping[str, Mapping[str, Any]] = {
        "server": {"faults": rng.choice((0.1, 0.3, 0.7))},
        "credential": {"permanent": 0.03},
        "model": {"raising": 0.03},
        "worker": {"losing": rng.choice((0.03, 0.1, 0.4))},
        "hang": {"hanging": 0.05},
        "memory": {"forgetful": rng.choice((0.5, 1.0))},
        "disk": {"full": {write: rng.random() < 0.5}},
        "kill": {"raised": {at: Killed()}},
        "torn line": {"torn": write},
        "interrupt": {"raised": {at: KeyboardInterrupt()}},
        "two interrupts": {"raised": {at + more: KeyboardInterrupt() for more in (0, rng.randrange(1, 4))}},
    }
    for kind in rng.sample(list(drawn), 3):
        for name, value in drawn[kind].items():
            setattr(simulation, name, value)
    if rng.random() < 0.3:
        simulation.clock.at(rng.uniform(0.0, 20.0), lambda: _stop(simulation))


def _stop(simulation: Simulation) -> None:
    assert simulation.scheduler is not None
    simulation.scheduler.stop(Stopped(StopReason.INTERRUPTED, "stopped"))


def _budget(rng: random.Random, paid: bool, spent: int) -> BudgetLimits:
    match rng.choice(("none", "none", "requests", "tokens", "seconds")):
        case "requests":
            return BudgetLimits(requests=spent + rng.randrange(0, 25))
        case "tokens" if paid:
            return BudgetLimits(tokens=spent * 10 + rng.randrange(0, 250))
        case "seconds":
            return BudgetLimits(seconds=rng.uniform(0.0, 25.0))
    return BudgetLimits()


def check_schedule(seed: int, manifest: Manifest, undisturbed: Mapping[str, dict[int, Outcome]], folder: Path) -> None:
    """Play a run with everything that a seed draws, and resume it to its end."""
    rng = random.Random(f"schedule {seed}")
    plan = manifest.plan[: len(TASKS) * rng.choice((1, 2))]
    manifest = attrs.evolve(
        manifest, plan=plan, settings=attrs.evolve(manifest.settings, epochs=len(plan) // len(TASKS))
    )
    protocol, paid, is_recorded = rng.choice(PROTOCOLS), rng.random() < 0.8, rng.random() < 0.8
    path = None if not is_recorded else RunDirectory.create(folder / f"{seed}", manifest, TASKS).root
    episodes = Episodes(manifest, path)
    sessions = rng.randrange(1, 4) if is_recorded else 1
    for session in range(MOST_SESSIONS):
        simulation = Simulation(rng, paid, protocol, rng.random() < 0.4, pickled=rng.random() < 0.1)
        workers, batch, allowed, patience = rng.randrange(1, 5), rng.randrange(1, 4), BudgetLimits(), 60.0
        batch = batch if simulation.batched else 1
        simulation.inline = workers == 1 and rng.random() < 0.7
        if session < sessions:
            _disturb(simulation)
            allowed, patience = _budget(rng, paid, episodes.answers), rng.choice((0.0, 5.0, 60.0))
        scheduler, jobs = play(episodes, simulation, workers, batch, allowed, patience)
        assert not simulation.broken, (
            f"schedule {seed}, session {session + 1}: {simulation.broken}, {scheduler.stopped}"
        )
        finished = {job.number: outcome_of(job.record) for job in jobs if job.record is not None}
        for number, outcome in finished.items():
            assert outcome in (None, undisturbed[protocol][number]), f"schedule {seed}: episode {number}"
        if session >= sessions and scheduler.stopped is None and None not in finished.values():
            break  # faults that were recorded before an interruption end one episode, or one session, more
    if path is not None:
        assert scheduler.stopped is None, f"schedule {seed}"
        latest = {number: outcome_of(attempts[-1]) for number, attempts in RunDirectory(path).episodes()}
        assert latest == {each.number: undisturbed[protocol][each.number] for each in plan}, f"schedule {seed}"
        shutil.rmtree(path)


@pytest.mark.parametrize(
    "first",
    [
        *range(0, BY_DEFAULT, AT_ONCE),
        *(pytest.param(first, marks=pytest.mark.more) for first in range(BY_DEFAULT, IN_ALL, AT_ONCE)),
        *(pytest.param(first, marks=pytest.mark.thorough) for first in range(IN_ALL, THOROUGH, AT_ONCE)),
    ],
)
def test_a_run_survives_what_goes_wrong_in_any_order(
    first: int, manifest: Manifest, undisturbed: Mapping[str, dict[int, Outcome]], tmp_path: Path
) -> None:
    for seed in range(first, first + AT_ONCE):
        check_schedule(seed, manifest, undisturbed, tmp_path)
