"""`Run`: plays a new or recorded run, for the command line, programs and notebooks."""

from __future__ import annotations

import math
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import attrs

from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import PluginFault
from gridworld.model_interface import AttendedModel, BatchModel, ModelInterface
from gridworld.plugins.registry import owner_of
from gridworld.runner.rollout import kernel_of
from gridworld.support.faults import calling
from gridworld.support.wording import counted, first_lines
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.answer_cache import check_cacheable
from multinet_eval.play.episode import EpisodeJob
from multinet_eval.play.limits import Budget, Limits, Stopped, StopReason
from multinet_eval.play.observers import RunListener, RunObserver, RunStart
from multinet_eval.play.played_tasks import find_budgets, shown_tasks, swapped_tasks
from multinet_eval.play.pools.pool import find_pool
from multinet_eval.play.readiness import FAIL_AT_ONCE, ServerWait, wait_until_ready
from multinet_eval.play.scheduler import Scheduler, Stoppable
from multinet_eval.play.worker import Worker
from multinet_eval.record.confirmation import NOTHING_GIVEN, Given, settings_to_resume
from multinet_eval.record.events import (
    EpisodeRecord,
    Spent,
)
from multinet_eval.record.fingerprint import differences
from multinet_eval.record.journal import Journal, RunJournal
from multinet_eval.record.lock import RunLock
from multinet_eval.record.manifest import (
    BackendSettings,
    Manifest,
    RunOptions,
    Suite,
    kept_texts,
    make_manifest,
    with_options,
    without_options,
)
from multinet_eval.record.plan import Budgets, PlannedEpisode, task_hash
from multinet_eval.record.record_folders import RunError, TakenOverError
from multinet_eval.record.results import ResultsFold, RunResults
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.sequential_design import Reference, SequentialDesign
from multinet_eval.settings.defaults import GRACE
from multinet_eval.settings.plugin_objects import make_player, refuse_other_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import BudgetLimits, Prices
from multinet_eval.statistics.clusters import base_maze


@attrs.frozen
class RunOutcome:
    """The outcome of playing a run."""

    results: RunResults
    stopped: Stopped | None
    """Reason why the run ended early, if it did."""
    spent: Spent
    """Usage summed over all sessions of the run."""
    cost: float | None
    """Cost of all sessions; None without prices."""
    directory: Path | None
    """Folder of the record; None if nothing is recorded, it is gone, or another process has taken over the run."""
    unanswered: bool = False
    """Whether a new run ended by a permanent error before any request was answered, so that its record is useless."""

    @property
    def unfinished(self) -> tuple[PlannedEpisode, ...]:
        """Planned episodes that are not finished, in the order of the plan."""
        return self.results.unfinished


@attrs.frozen
class _Checkpoint:
    """Earlier sessions of a run, reduced to what resuming needs."""

    results: RunResults
    records: Mapping[int, EpisodeRecord]
    """Recorded events of each unfinished episode by its number."""
    spent: Spent
    """Usage of all recorded attempts."""

    @classmethod
    def of(cls, manifest: Manifest, episodes: Iterable[tuple[int, list[EpisodeRecord]]]) -> _Checkpoint:
        """Read the episodes one by one; raises RunError if one cannot be read."""
        fold, records, spent = ResultsFold(), dict[int, EpisodeRecord](), Spent()
        for number, attempts in episodes:
            if fold.add(number, attempts[-1]) is None:
                records[number] = attempts[-1]
            spent = spent.plus_all(request for record in attempts for request in record.requests)
        return cls(fold.results(manifest, {}), records, spent)


@attrs.frozen
class UntilDecided:
    """A comparison that ends the run as soon as it is decided."""

    reference: Reference
    alpha: float
    """Maximum probability of a decision between models of equal means, in (0, 1)."""


class Run(Stoppable):
    """A run that can be played; made by `new_run` and `open_run`.

    Args:
        manifest: its manifest.
        settings: its settings, including credentials.
        tasks: its tasks by hash.
        model: its model.
        directory: the folder of its record; None for a run that is not recorded.
        is_new: whether nothing of it has been played.
    """

    def __init__(
        self,
        manifest: Manifest,
        settings: RunSettings,
        tasks: Mapping[str, TaskSpecification],
        model: ModelInterface,
        directory: RunDirectory | None,
        is_new: bool,
    ) -> None:
        self.manifest = manifest
        self.model = model
        self.directory = directory
        self._settings = settings
        self._tasks = tasks
        self._is_new = is_new

    def remember(self, options: RunOptions) -> None:
        """Store options for resuming the run; they are written when it is played."""
        self.manifest = attrs.evolve(self.manifest, circumstances=with_options(self.manifest.circumstances, options))

    @property
    def grace(self) -> float:
        """Seconds for which requests in flight may still be answered after the run is stopped."""
        return 0.0 if isinstance(self.model, AttendedModel) else GRACE  # a person's answers cost nothing

    @property
    def prices(self) -> Prices | None:
        """Prices of the model's tokens, if known."""
        return self._settings.prices

    def play(
        self, options: RunOptions, *observers: RunObserver, report: Callable[[str], object] = warnings.warn
    ) -> RunOutcome:
        """Play the rest of the plan, and close the model.

        Args:
            options: options that do not affect results.
            observers: observers of the run.
            report: receives a message about each observer that raises, which is then removed.

        Raises:
            ArgumentError: cost is limited, but prices are unknown.
            RunError: another process plays the run, or its record cannot be read.
            GridworldError: no executor has the chosen name.
        """
        with ExitStack() as stack:
            listener = RunListener(observers, report, self.manifest)
            with closing_if_refused(self.model):
                scheduler, jobs = self._begin(stack, options, listener)
            self._interruptibly(scheduler, lambda: scheduler.play(jobs))
            if not scheduler.abandoned:  # closing a model in use may hang
                self._interruptibly(scheduler, lambda: self._close_model(scheduler))
            self.interruptible = False
            outcome = self._outcome(scheduler, listener)
            why = None if outcome.stopped is None else outcome.stopped.message
            self._interruptibly(scheduler, lambda: listener.tell("run_finished", outcome.results.in_order, why))
        return outcome

    def _interruptibly(self, scheduler: Scheduler, do: Callable[[], object]) -> None:
        """Run a function that KeyboardInterrupt may end without losing finished work."""
        try:
            try:
                self.interruptible = True
                do()
            finally:
                self.interruptible = False
        except KeyboardInterrupt:
            self.interruptible = False  # setting it may have been interrupted
            scheduler.stop(Stopped(StopReason.INTERRUPTED, "interrupted"))

    def _begin(
        self, stack: ExitStack, options: RunOptions, listener: RunListener
    ) -> tuple[Scheduler, list[EpisodeJob]]:
        """Make the scheduler and the remaining jobs; `stack` finally releases the lock."""
        journal = Journal()
        if self.directory is None:
            before = _Checkpoint.of(self.manifest, ())
        else:
            lock = stack.enter_context(RunLock(self.directory.root, options.take_over))
            so_far = self.directory.recorded_so_far()
            before = _Checkpoint.of(self.manifest, self.directory.episodes(so_far))
            self.directory.begin_session(so_far)
            self.directory.update(self.manifest)
            journal = RunJournal(self.directory, lock.check)
        limits = Limits(
            options.workers * options.batch_size, Budget(options.limits, before.spent, self.prices), options.patience
        )
        jobs = list(self._jobs(before, options.retry_faults))
        replayed = {job.number for job in jobs}
        listener.results = {number: each for number, each in before.results.results.items() if number not in replayed}
        listener.adjustments = list(before.results.adjustments)
        size = max(1, min(options.workers, len(jobs)))
        pool = find_pool(options.executor).of_run(self._settings, self.model, size)
        batch = options.batch_size if isinstance(self.model, BatchModel) else 1
        batch = min(batch, max(1, math.ceil(len(jobs) / size)))  # so that each worker has a job
        scheduler = self._play_by(Scheduler(pool, limits, journal, listener, batch, self.grace))
        listener.tell("run_started", self._start(listener, before.spent))
        is_concurrent = options.workers * options.batch_size > 1 and not isinstance(self.model, AttendedModel)
        if is_concurrent and options.limits == BudgetLimits() and self.manifest.sequential is None:
            jobs.sort(key=lambda job: -job.steps_left)  # the longest first, so that no worker ends long after others
        return scheduler, jobs

    def _close_model(self, scheduler: Scheduler) -> None:
        try:
            _close(self.model)
        except PluginFault as fault:
            scheduler.stop(Stopped(StopReason.FAILED, "stopped at the end", fault))

    def _jobs(self, before: _Checkpoint, retry_faults: bool) -> Iterator[EpisodeJob]:
        """Yield the remaining jobs, in the order of the plan or of the comparison."""
        is_recorded, shown = self.directory is not None, shown_tasks(self.manifest, self._tasks)
        again = {number for number, each in before.results.results.items() if retry_faults and each.error is not None}
        kept = {number: each for number, each in before.results.results.items() if number not in again}
        design, state = self.manifest.sequential, RunResults(self.manifest, kept).sequential
        for planned in self.manifest.plan if design is None else design.in_order(self.manifest.plan):
            if state is not None and not state.is_needed(planned):
                break
            task, result = planned.bound(self._tasks[planned.task]), before.results.results.get(planned.number)
            if result is None:
                record = before.records.get(planned.number)
                if record is not None and any(request.permanent for request in record.pending):
                    record = None  # start over: the permanent error may be fixed by now
                yield EpisodeJob(planned, task, record, is_recorded, shown.get(planned.task))
            elif result.permanent or planned.number in again:
                yield EpisodeJob(planned, task, None, is_recorded, shown.get(planned.task))

    def _start(self, listener: RunListener, spent: Spent) -> RunStart:
        manifest = self.manifest
        return RunStart(
            name=manifest.suite if self.directory is None else self.directory.path.name,
            suite=manifest.suite,
            model=manifest.model_name,
            fingerprint=manifest.fingerprint,
            episodes=len(manifest.plan),
            finished=tuple(listener.results[number] for number in sorted(listener.results)),
            spent=spent,
        )

    def _outcome(self, scheduler: Scheduler, listener: RunListener) -> RunOutcome:
        results = RunResults(self.manifest, dict(listener.results), tuple(listener.adjustments), self._tasks)
        is_decided = scheduler.stopped is not None and scheduler.stopped.reason is StopReason.DECIDED
        stopped = None if is_decided else scheduler.stopped
        if self.directory is not None and results.complete:
            try:
                self.directory.write_results(results.to_text())
            except RunError as error:
                stopped = stopped or Stopped(StopReason.FAILED, str(error), error)
        lost = stopped is not None and isinstance(stopped.error, TakenOverError)
        path = self.directory.path if self.directory is not None and self.directory.root.is_dir() and not lost else None
        if stopped is None and results.unfinished:
            names = ", ".join(each.task_id for each in results.unfinished)
            stopped = Stopped(StopReason.FAILED, f"these episodes have not ended: {names}")
        budget = scheduler.limits.budget
        unanswered = self._is_new and is_unanswered(stopped, budget.spent)
        return RunOutcome(results, stopped, budget.spent, budget.cost, path, unanswered)

    def discard_unanswered(self, outcome: RunOutcome) -> RunOutcome:
        """Remove the record of a run of which no request was answered; any other outcome is returned unchanged."""
        if self.directory is None or outcome.directory is None or not outcome.unanswered:
            return outcome
        shutil.rmtree(self.directory.root, ignore_errors=True)
        return attrs.evolve(outcome, directory=None)


def is_unanswered(stopped: Stopped | None, spent: Spent) -> bool:
    """Whether a permanent error, such as an unknown model or a rejected credential, ended all requests so far."""
    is_permanent = stopped is not None and stopped.reason is StopReason.PERMANENT
    return is_permanent and spent.failed == spent.requests and not spent.cached


def new_run(
    settings: RunSettings,
    suite: Suite,
    model: ModelInterface,
    directory: Path | str | None,
    until_decided: UntilDecided | None = None,
    wait: ServerWait = FAIL_AT_ONCE,
) -> Run:
    """Make a new run.

    Args:
        settings: its settings.
        suite: its suite.
        model: its model, made from the settings.
        directory: a new folder for the recording; None to record nothing.
        until_decided: the comparison that ends the run; None to play its whole plan.
        wait: how long to wait for a server that is still starting.

    Raises:
        ArgumentError: model, backend and settings are incompatible, the settings name another installed model, or the
            run cannot be compared with the reference.
        PluginFault: the model is not ready.
        RunError: the folder cannot be created.
    """
    with closing_if_refused(model):
        refuse_other_model(settings, model)
        settings = settings.about(suite.tasks)
        with checked_worker(settings, suite, model, wait) as worker:
            manifest = _new_manifest(settings, suite, worker, until_decided)
        made = None if directory is None else _create(Path(directory), manifest, suite, worker.model)
    tasks = {task_hash(task): task for task in suite.tasks}
    return Run(manifest if made is None else made.manifest, settings, tasks, model, made, is_new=True)


def _create(path: Path, manifest: Manifest, suite: Suite, model: ModelInterface) -> RunDirectory:
    return RunDirectory.create(path, manifest, suite.tasks, kept_texts(model).values())


def planned_manifest(
    settings: RunSettings, suite: Suite, model: ModelInterface, until_decided: UntilDecided | None = None
) -> Manifest:
    """Make the manifest of a new run, as `new_run` does, without checking whether the model is ready."""
    settings = settings.about(suite.tasks)
    with _able_worker(settings, suite, model) as worker:
        return _new_manifest(settings, suite, worker, until_decided)


def _new_manifest(settings: RunSettings, suite: Suite, worker: Worker, until_decided: UntilDecided | None) -> Manifest:
    factories = {tiling: worker.factory(tiling) for tiling in settings.tilings}
    budgets = find_budgets(suite.tasks, factories, settings.budget_factor)
    manifest = _manifest(settings, suite, worker, datetime.now(UTC).isoformat(timespec="seconds"), budgets)
    if until_decided is None:
        return manifest
    bases = {task_hash(task): base_maze(task) for task in suite.tasks}
    design = SequentialDesign.of(manifest, bases, until_decided.reference, until_decided.alpha)
    return attrs.evolve(manifest, sequential=design)


def open_run(
    path: Path,
    given: Given = NOTHING_GIVEN,
    epochs: int | None = None,
    *,
    prices: Prices | None = None,
    wait: ServerWait = FAIL_AT_ONCE,
) -> tuple[Run, list[str]]:
    """Open a recorded run, to resume it.

    Args:
        path: its folder.
        given: settings given in place of recorded ones; credentials must be given again, and in the run of somebody
            else everything that it names outside of its folder.
        epochs: total number of repetitions of each task; by default as planned.
        prices: prices of the model's tokens; by default the recorded ones.
        wait: how long to wait for a server that is still starting.

    Returns:
        The run, and the changed circumstances, which do not affect results.

    Raises:
        RunError: the folder contains no such run, result-affecting settings changed (all are listed), or more epochs
            are requested for a run that is played until it is decided.
        UnconfirmedError: the run is somebody else's, and something that it names is not given again.
        GridworldError: model or backend cannot be made, or the model is not ready.
    """
    directory = RunDirectory(path)
    recorded = directory.manifest.settings
    if directory.manifest.sequential is not None and (epochs or 0) > recorded.epochs:
        raise RunError(
            f"{path} is played until it is decided, with the {counted(recorded.epochs, 'epoch')} fixed beforehand: "
            "begin a new run for more"
        )
    confirmed = settings_to_resume(recorded, directory.is_own, path, given)
    settings = attrs.evolve(confirmed, prices=prices or recorded.prices)
    tasks = directory.tasks()
    in_order = [tasks[digest] for digest in directory.manifest.suite_tasks]
    model = make_player(settings)
    suite = Suite(directory.manifest.suite, tuple(in_order))
    with closing_if_refused(model):
        settings = settings.about(suite.tasks)
        with checked_worker(settings, suite, model, wait) as worker:
            present = _manifest(settings, suite, worker, directory.manifest.created)
        refuse_changed_settings(directory.manifest, present)
    changed = list(differences(without_options(directory.manifest.circumstances), present.circumstances))
    manifest = directory.manifest if epochs is None else directory.manifest.extended(in_order, epochs)
    beside = attrs.evolve(manifest.settings, prices=settings.prices, cache=settings.cache)
    manifest = attrs.evolve(manifest, settings=beside)
    if not directory.is_own:  # only what has been confirmed is signed
        manifest = _confirmed(manifest, present)
    return Run(manifest, settings, tasks, model, directory, is_new=False), changed


def _confirmed(manifest: Manifest, present: Manifest) -> Manifest:
    """Return the manifest of a run with what its settings name now."""
    now, shown = present.settings, manifest.settings.presentation
    return attrs.evolve(
        manifest,
        settings=attrs.evolve(
            manifest.settings,
            model_arguments=now.model_arguments,
            backend_arguments=now.backend_arguments,
            presentation=attrs.evolve(shown, examples_from=now.presentation.examples_from),
        ),
        circumstances={**manifest.circumstances, "model_arguments": present.circumstances["model_arguments"]},
    )


def check_run(settings: RunSettings, suite: Suite) -> str:
    """Check that a run can be played, without checking whether the model is ready.

    Args:
        settings: its settings.
        suite: its suite.

    Returns:
        The name under which the model's results are reported.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        ArgumentError, UnplayableTasksError: model, backend, tasks and settings are incompatible.
        PluginFault: a plugin failed.
    """
    model = make_player(settings)
    with closing_if_refused(model), _able_worker(settings.about(suite.tasks), suite, model):
        name = model.model_name
    _close(model)
    return name


@contextmanager
def checked_worker(
    settings: RunSettings, suite: Suite, model: ModelInterface, wait: ServerWait = FAIL_AT_ONCE
) -> Iterator[Worker]:
    """Make a worker for the suite, with the model ready and all backends made; closes it afterwards."""
    with _able_worker(settings, suite, model) as worker:
        warning = wait_until_ready(model, wait)
        if warning is not None:
            wait.warn(warning)
        yield worker


@contextmanager
def _able_worker(settings: RunSettings, suite: Suite, model: ModelInterface) -> Iterator[Worker]:
    """Make a worker as `checked_worker` does, without the readiness check."""
    if settings.cache is not None:
        check_cacheable(model, settings.cache)
    if settings.presentation.swaps_observations:
        swapped_tasks(suite.tasks)
    with Worker.of_settings(settings, model) as worker:
        for tiling in settings.tilings:
            worker.factory(tiling).check_tasks(suite.tasks)
        yield worker


def _manifest(
    settings: RunSettings, suite: Suite, worker: Worker, created: str, budgets: Budgets | None = None
) -> Manifest:
    grounds = [backend_settings(worker.factory(tiling).backend) for tiling in settings.tilings]
    return make_manifest(settings, suite, worker.model, grounds, created, budgets)


@contextmanager
def closing_if_refused(model: ModelInterface) -> Iterator[None]:
    """Close a model if an exception prevents it from being played."""
    try:
        yield
    except BaseException:
        with suppress(PluginFault):
            _close(model)
        raise


def _close(model: ModelInterface) -> None:
    with calling(owner_of("model", model, model.model_name), "close"):
        model.close()


def backend_settings(backend: AbstractGridBackend) -> BackendSettings:
    """Describe a backend for results."""
    return BackendSettings(backend.name, backend.tiling, kernel_of(backend) is not None)


def refuse_changed_settings(recorded: Manifest, present: Manifest) -> None:
    """Check that no result-affecting setting has changed; raises RunError, which lists all changes."""
    found = list(differences(recorded.fingerprint, present.fingerprint))
    if found:
        listed = "".join(f"\n  {line}" for line in first_lines(found))
        raise RunError(f"the run cannot be resumed: result-affecting settings changed:{listed}")
