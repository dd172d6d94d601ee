"""Playing runs, new ones and those that were left: what the command line does, for programs and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import attrs

from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import PluginFault
from gridworld.model_interface import AttendedModel, ModelInterface
from gridworld.plugins.faults import blaming
from gridworld.runner.rollout import kernel_of
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.answer_cache import check_cacheable
from multinet_eval.play.budget import Budget
from multinet_eval.play.driver import play_jobs
from multinet_eval.play.moments import Past
from multinet_eval.play.news import Job
from multinet_eval.play.observers import RunObserver, RunStart
from multinet_eval.play.pools.executors import Executor, find_executor
from multinet_eval.play.session import Session, Stopped, StopReason
from multinet_eval.play.step_budgets import find_budgets
from multinet_eval.play.swapping import swapped_tasks
from multinet_eval.play.worker import EpisodeWorker
from multinet_eval.record.episode_lines import EpisodeLines
from multinet_eval.record.journal import Journal, NoJournal, RunJournal
from multinet_eval.record.lock import RunLock
from multinet_eval.record.manifest import (
    MANIFEST_VERSION,
    Ground,
    Manifest,
    Suite,
    differences,
    given_anew,
    make_manifest,
)
from multinet_eval.record.record_folders import RunError, TakenOverError
from multinet_eval.record.results import ResultsFold, RunResults
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.run_options import RunOptions, with_options, without_options
from multinet_eval.settings.budget_factor import Budgets
from multinet_eval.settings.defaults import GRACE
from multinet_eval.settings.players import make_player, refuse_other_model
from multinet_eval.settings.prices import Prices
from multinet_eval.settings.run_settings import CacheSettings, RunSettings
from multinet_eval.settings.spending import Spent
from multinet_eval.settings.task_hashes import task_hash

__all__ = [
    "Run",
    "RunOptions",
    "RunOutcome",
    "check_run",
    "checked_worker",
    "closing_if_refused",
    "ground_of",
    "new_run",
    "open_run",
    "refuse_other",
    "shown_tasks",
]


@attrs.frozen
class RunOutcome:
    """What came of playing a run."""

    results: RunResults
    stopped: Stopped | None
    """Why it was not played to its end; None if it was."""
    spent: Spent
    """What its requests have used up, over all sessions."""
    cost: float | None
    """What they have cost; None without prices."""
    directory: Path | None
    """Where it is recorded; None if it is not, its folder is gone, or another process has taken over the run."""


@attrs.frozen
class _Before:
    """What is needed of earlier sessions in order to go on."""

    results: RunResults
    pasts: Mapping[int, Past]
    """Number of each unfinished episode to what is recorded of it."""
    spent: Spent
    """What the requests of all attempts have used up."""

    @classmethod
    def of(cls, manifest: Manifest, episodes: Iterable[tuple[int, list[EpisodeLines]]]) -> _Before:
        """Read it, one episode after another; raises RunError if one cannot be read."""
        fold, pasts, spent = ResultsFold(), dict[int, Past](), Spent()
        for number, attempts in episodes:
            if fold.add(number, attempts[-1]) is None:
                pasts[number] = attempts[-1].past
            spent = spent.plus_all(request for lines in attempts for request in lines.requests)
        return cls(fold.results(manifest), pasts, spent)


class Run:
    """A run that can be played; `new_run` and `open_run` make it.

    Args:
        manifest: what it is.
        settings: what is asked of it, credentials included.
        tasks: hash to task.
        model: the model.
        directory: where it is recorded; None for a run that is not.
    """

    def __init__(
        self,
        manifest: Manifest,
        settings: RunSettings,
        tasks: Mapping[str, TaskSpecification],
        model: ModelInterface,
        directory: RunDirectory | None,
    ) -> None:
        self.manifest = manifest
        self.model = model
        self.directory = directory
        self._settings = settings
        self._tasks = tasks
        self._session: Session | None = None
        self._stop_message: str | None = None

    def remember(self, options: RunOptions) -> None:
        """Record how the run is played, for whoever goes on with it, as soon as it is played."""
        self.manifest = attrs.evolve(self.manifest, circumstances=with_options(self.manifest.circumstances, options))

    def stop(self, message: str) -> None:
        """Stop playing as soon as the requests in flight have come to their end; may be called at any time."""
        self._stop_message = message
        if self._session is not None:
            self._session.stop(StopReason.INTERRUPTED, message)

    @property
    def in_flight(self) -> int:
        """How many requests have been made of the model and not been answered."""
        return 0 if self._session is None else self._session.gate.in_flight

    @property
    def interruptible(self) -> bool:
        """Whether KeyboardInterrupt may be raised in the main thread, which plays, without losing what was finished."""
        return self._session is None or self._session.interruptible

    @property
    def grace(self) -> float:
        """The seconds for which requests in flight may still be answered once the run is to stop."""
        return 0.0 if isinstance(self.model, AttendedModel) else GRACE  # nobody is paid for what is waited for there

    @property
    def prices(self) -> Prices | None:
        """What the model's tokens cost, if that is known."""
        return self._settings.prices

    def play(self, options: RunOptions, observer: RunObserver) -> RunOutcome:
        """Play what is left of the plan, and close the model.

        Raises:
            ArgumentError: there is a limit of cost, but no prices.
            RunError: another process plays it, or what is recorded of it cannot be read.
            GridworldError: there is no such executor.
        """
        with ExitStack() as stack:
            with closing_if_refused(self.model):
                session, jobs, executor = self._begin(stack, options, observer)
            play_jobs(session, executor, jobs, options.workers, options.batch_size)
            if not session.abandoned:  # a model that is in use may not come back from being closed
                session.interruptibly(lambda: self._close_model(session))
            outcome = self._outcome(session)
            why = None if outcome.stopped is None else outcome.stopped.message
            session.interruptibly(lambda: observer.run_finished(outcome.results.in_order, why))
        return outcome

    def _begin(
        self, stack: ExitStack, options: RunOptions, observer: RunObserver
    ) -> tuple[Session, list[Job], Executor]:
        """The session that plays, what is left to be played, and by what; `stack` gives the run free in the end."""
        journal: Journal = NoJournal()
        if self.directory is None:
            before = _Before.of(self.manifest, ())
        else:
            lock = stack.enter_context(RunLock(self.directory.root, options.take_over))
            so_far = self.directory.recorded_so_far()
            before = _Before.of(self.manifest, self.directory.episodes(so_far))
            self.directory.begin_session(so_far)
            self.directory.update(self.manifest)
            journal = RunJournal(self.directory, lock.check)
        session = self._session = Session(
            journal,
            observer,
            requests=options.workers * options.batch_size,
            budget=Budget(options.limits, before.spent, self.prices),
            patience=options.patience,
            grace=self.grace,
        )
        if self._stop_message is not None:
            session.stop(StopReason.INTERRUPTED, self._stop_message)
        jobs = list(self._jobs(before, options.retry_faults))
        replayed = {job.planned.number for job in jobs}
        session.results.update({n: each for n, each in before.results.results.items() if n not in replayed})
        session.adjustments.extend(before.results.adjustments)
        observer.run_started(self._start(session))
        return session, jobs, find_executor(options.executor)(self._settings, self.model, options.address)

    def _close_model(self, session: Session) -> None:
        try:
            _close(self.model)
        except PluginFault as fault:
            session.stop(StopReason.FAILED, "stopped at the end", fault)

    def _jobs(self, before: _Before, retry_faults: bool) -> Iterator[Job]:
        """What is to be played, in the order of the plan."""
        recorded, shown = self.directory is not None, shown_tasks(self.manifest, self._tasks)
        for planned in self.manifest.plan:
            task, result = planned.bound(self._tasks[planned.task]), before.results.results.get(planned.number)
            if result is None:
                yield Job(planned, task, before.pasts.get(planned.number), recorded, shown.get(planned.task))
            elif result.permanent or (retry_faults and result.error is not None):
                yield Job(planned, task, swapped=shown.get(planned.task))

    def _start(self, session: Session) -> RunStart:
        manifest = self.manifest
        return RunStart(
            name=manifest.suite if self.directory is None else self.directory.path.name,
            suite=manifest.suite,
            model=manifest.model_name,
            fingerprint=manifest.fingerprint,
            episodes=len(manifest.plan),
            finished=tuple(session.results[number] for number in sorted(session.results)),
            spent=session.budget.spent,
        )

    def _outcome(self, session: Session) -> RunOutcome:
        results = RunResults(self.manifest, dict(session.results), tuple(session.adjustments))
        if self.directory is not None and results.complete:
            try:
                self.directory.write_results(results.to_text())
            except OSError as error:
                fault = RunError(f"cannot write to {self.directory.path}: {error.strerror}")
                session.stop(StopReason.FAILED, str(fault), fault)
        stopped = session.stopped
        lost = stopped is not None and isinstance(stopped.error, TakenOverError)
        path = self.directory.path if self.directory is not None and self.directory.root.is_dir() and not lost else None
        if results.complete and stopped is not None and stopped.reason is StopReason.BUDGET:
            stopped = None  # its time was over when nothing but the last answer was missing
        return RunOutcome(results, stopped, session.budget.spent, session.budget.cost, path)


def shown_tasks(manifest: Manifest, tasks: Mapping[str, TaskSpecification]) -> dict[str, TaskSpecification]:
    """The hash of each task of a run to the one that is shown in its place; empty where each is shown itself.

    Args:
        manifest: what the run is.
        tasks: hash to task.
    """
    swaps = manifest.settings.presentation.swaps_observations
    return swapped_tasks([tasks[digest] for digest in manifest.suite_tasks]) if swaps else {}


def new_run(settings: RunSettings, suite: Suite, model: ModelInterface, directory: Path | str | None) -> Run:
    """A new run.

    Args:
        settings: what is asked of it.
        suite: what is played.
        model: the model, made as the settings say.
        directory: the new folder to record it in; None to keep no record.

    Raises:
        ArgumentError: model, backend and settings do not fit together, or the model is another installed one than they
            name.
        PluginFault: the model says that it is not ready.
        RunError: the folder cannot be made.
    """
    with closing_if_refused(model):
        refuse_other_model(settings, model)
        settings = settings.about(suite.tasks)
        with checked_worker(settings, suite, model) as worker:
            runners = {tiling: worker.runner(tiling) for tiling in settings.tilings}
            budgets = find_budgets(suite.tasks, runners, settings.budget_factor)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            manifest = _manifest(settings, suite, worker, now, budgets)
        made = None if directory is None else RunDirectory.create(Path(directory), manifest, suite.tasks)
    tasks = {task_hash(task): task for task in suite.tasks}
    return Run(manifest if made is None else made.manifest, settings, tasks, model, made)


def open_run(
    path: Path,
    model_arguments: Iterable[str] = (),
    epochs: int | None = None,
    *,
    prices: Prices | None = None,
    cache: CacheSettings | None = None,
) -> tuple[Run, list[str]]:
    """A recorded run, to go on with.

    Args:
        path: its folder.
        model_arguments: ``key=value``, instead of those that the run was begun with; credentials have to be given
            again.
        epochs: how many times each task is to be played; by default as often as planned.
        prices: what the model's tokens cost; by default as it was begun with.
        cache: where answers are kept and found again; by default as it was begun with.

    Returns:
        The run, and what is not as it was without changing any result.

    Raises:
        RunError: the folder holds no such run, or what decides its results is not as it was; all of it is named.
        GridworldError: model or backend cannot be made, or the model is not ready.
    """
    directory = RunDirectory(path)
    tasks = directory.tasks()
    recorded = directory.manifest.settings
    recorded = attrs.evolve(recorded, prices=prices or recorded.prices, cache=cache or recorded.cache)
    settings = _with_arguments(recorded, model_arguments)
    in_order = [tasks[digest] for digest in directory.manifest.suite_tasks]
    model = make_player(settings)
    suite = Suite(directory.manifest.suite, tuple(in_order), directory.manifest.skipped)
    with closing_if_refused(model):
        settings = settings.about(suite.tasks)
        with checked_worker(settings, suite, model) as worker:
            present = _manifest(settings, suite, worker, directory.manifest.created)
        refuse_other(directory.manifest, present)
    changed = list(differences(without_options(directory.manifest.circumstances), present.circumstances))
    manifest = directory.manifest if epochs is None else directory.manifest.extended(in_order, epochs)
    beside = attrs.evolve(manifest.settings, prices=settings.prices, cache=settings.cache)
    manifest = attrs.evolve(manifest, settings=beside, version=MANIFEST_VERSION)  # what is added is of this version
    return Run(manifest, settings, tasks, model, directory), changed


def check_run(settings: RunSettings, suite: Suite) -> str:
    """Make sure that a run could be played, as far as that shows without asking whether the model is ready.

    Args:
        settings: what is asked of it.
        suite: what is played.

    Returns:
        The name of the model under which results are reported.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        ArgumentError, UnplayableTasksError: model, backend, tasks and settings do not fit together.
        PluginFault: a plugin failed.
    """
    model = make_player(settings)
    with closing_if_refused(model), _able_worker(settings.about(suite.tasks), suite, model):
        name = model.model_name
    _close(model)
    return name


@contextmanager
def checked_worker(settings: RunSettings, suite: Suite, model: ModelInterface) -> Iterator[EpisodeWorker]:
    """A worker that can play the suite, with the model ready and all backends made; closed afterwards."""
    with _able_worker(settings, suite, model) as worker:
        worker.runner(settings.tilings[0]).check_ready()
        yield worker


@contextmanager
def _able_worker(settings: RunSettings, suite: Suite, model: ModelInterface) -> Iterator[EpisodeWorker]:
    """The same, whether or not the model is ready."""
    if settings.cache is not None:
        check_cacheable(model, settings.cache)
    if settings.presentation.swaps_observations:
        swapped_tasks(suite.tasks)
    with EpisodeWorker(settings, model) as worker:
        for tiling in settings.tilings:
            worker.runner(tiling).check_tasks(suite.tasks)
        yield worker


def _manifest(
    settings: RunSettings, suite: Suite, worker: EpisodeWorker, created: str, budgets: Budgets | None = None
) -> Manifest:
    grounds = [ground_of(worker.runner(tiling).backend) for tiling in settings.tilings]
    return make_manifest(settings, suite, worker.model, grounds, created, budgets)


@contextmanager
def closing_if_refused(model: ModelInterface) -> Iterator[None]:
    """Close a model that is not going to be played."""
    try:
        yield
    except BaseException:
        with suppress(PluginFault):
            _close(model)
        raise


def _close(model: ModelInterface) -> None:
    with blaming(f"model '{model.model_name}'", "when it was closed"):
        model.close()


def ground_of(backend: AbstractGridBackend) -> Ground:
    """A backend as results name it."""
    return Ground(backend.name, backend.tiling, kernel_of(backend) is not None)


def _with_arguments(settings: RunSettings, arguments: Iterable[str]) -> RunSettings:
    """The settings with some of the model's arguments given anew."""
    return attrs.evolve(settings, model_arguments=given_anew(settings.model_arguments, arguments, "-M"))


def refuse_other(recorded: Manifest, present: Manifest) -> None:
    """Make sure that what decides the results is as it was; raises RunError, which names all that is not.

    Weights that are not recorded, as in older runs, are not compared.
    """
    now = dict(present.fingerprint)
    if recorded.weights is None:
        now["model"] = {name: value for name, value in now["model"].items() if name != "weights"}
    found = list(differences(recorded.fingerprint, now))
    if found:
        listed = "".join(f"\n  {each}" for each in found)
        raise RunError(f"the run cannot go on: result-affecting settings changed:{listed}")
