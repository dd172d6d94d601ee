"""Running a probing: a model is asked all questions, and each answer is recorded as it arrives."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from gridworld.model_interface import AnswerOutcome, ModelInterface
from gridworld.plugins import get_registry
from gridworld.plugins.arguments import subclass_of
from gridworld.plugins.registry import owner_of
from gridworld.runner.presentation import Presentation
from gridworld.support.faults import calling
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode import QuestionJob
from multinet_eval.play.limits import Budget, Limits, Stopped, StopReason
from multinet_eval.play.observers import Listener
from multinet_eval.play.pools.pool import LocalPool
from multinet_eval.play.readiness import FAIL_AT_ONCE, ServerWait
from multinet_eval.play.run import (
    backend_settings,
    checked_worker,
    closing_if_refused,
    is_unanswered,
    refuse_changed_settings,
)
from multinet_eval.play.scheduler import Scheduler, Stoppable
from multinet_eval.play.worker import Job, Worker
from multinet_eval.probing.probe import Probe, Scene
from multinet_eval.probing.probe_directory import AnsweredQuestion, ProbeDirectory, ProbeManifest
from multinet_eval.probing.questions import (
    Asked,
    ProbeSettings,
    QuestionKey,
    questions_of,
    require_standing_alone,
    scenes_of,
)
from multinet_eval.record.confirmation import NOTHING_GIVEN, Given, settings_to_resume
from multinet_eval.record.events import Spent
from multinet_eval.record.journal import Journal
from multinet_eval.record.lock import RunLock
from multinet_eval.record.manifest import Suite, make_manifest
from multinet_eval.record.record_folders import RunError
from multinet_eval.settings.defaults import PATIENCE
from multinet_eval.settings.plugin_objects import make_model, require_open
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import BudgetLimits, PriceFinder
from multinet_eval.statistics.clusters import bases_by_id

__all__ = ["Probed", "Probing", "load_probes", "make_questions", "make_scenes", "new_probing", "open_probing"]


@attrs.frozen
class Probed:
    """Outcome of running a probing."""

    manifest: ProbeManifest
    answers: tuple[AnsweredQuestion, ...]
    """Answers in the order of the questions."""
    complete: bool
    """Whether all questions have been answered."""
    stopped: str | None
    """Reason for stopping early, if any."""
    interrupted: bool
    limited: bool
    """Whether a budget limit was reached."""
    spent: Spent
    directory: Path | None
    """Folder of the recording; None if nothing is recorded."""
    unanswered: bool
    """Whether a new probing ended by a permanent error before any answer, so that nothing is recorded."""
    bases: Mapping[str, str]
    """Base maze by task id."""
    failure: str | None
    """Message about the last question of this session that the server failed to answer, if any."""


def load_probes(names: Iterable[str]) -> dict[str, Probe]:
    """Load installed probes, by name.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        PluginFault: a probe cannot be imported or instantiated.
    """
    made = {}
    for name in names:
        info = get_registry().probes.get(name)
        kind: type[Probe] = subclass_of(info.load(), Probe, info.owner)  # type: ignore[type-abstract]
        with calling(info.owner, "constructor"):
            made[name] = kind()
    return made


def make_questions(
    settings: RunSettings, probing: ProbeSettings, tasks: Iterable[TaskSpecification], model: ModelInterface
) -> Iterator[Asked]:
    """Yield all questions of a probing in order, without asking them; raises as `questions_of` does."""
    probes = load_probes(probing.probes)
    tasks = tuple(tasks)
    with Worker.of_settings(settings.about(tasks), model) as shows:
        yield from questions_of(probing, probes, tasks, settings.tilings, shows.factory, settings.max_states)


def make_scenes(settings: RunSettings, probing: ProbeSettings, tasks: Iterable[TaskSpecification]) -> Iterator[Scene]:
    """Yield the moments of a probing, without model inputs; raises as `scenes_of` does."""
    unseen = attrs.evolve(settings, presentation=Presentation(observation="none"))
    tasks = tuple(tasks)
    with Worker.of_settings(unseen.about(tasks), make_model("random", [])) as shows:
        yield from scenes_of(probing, tasks, settings.tilings, shows.factory, settings.max_states)


class Probing(Stoppable):
    """A probing that can be played; made by `new_probing` and `open_probing`.

    Args:
        manifest: the manifest.
        settings: the settings, including credentials.
        tasks: the tasks in order.
        model: the model.
        directory: the recording; None to record nothing.
        is_new: whether nothing of it has been asked.
    """

    def __init__(
        self,
        manifest: ProbeManifest,
        settings: RunSettings,
        tasks: tuple[TaskSpecification, ...],
        model: ModelInterface,
        directory: ProbeDirectory | None,
        is_new: bool,
    ) -> None:
        self.manifest = manifest
        self.model = model
        self.directory = directory
        self._settings = settings
        self._tasks = tasks
        self._is_new = is_new

    def ask(
        self,
        workers: int = 1,
        limits: BudgetLimits | None = None,
        told: Callable[[int], object] = lambda count: None,
        patience: float = PATIENCE,
    ) -> Probed:
        """Ask the remaining questions and close the model; a new recording without any answer is removed.

        Args:
            workers: number of concurrent questions.
            limits: budget over all sessions.
            told: called after each answer with the number of answers.
            patience: seconds without any answer after which a server is given up; 0 to count such faults like others.

        Raises:
            ArgumentError: a cost limit is given without prices.
            RunError: another process plays the probing, the record cannot be read or written, or it has other
                questions.
            PluginFault: the model, a probe or the backend failed.
        """
        with ExitStack() as stack:
            stack.callback(self._close_model)
            record: _Record = _Record() if self.directory is None else stack.enter_context(_File(self.directory))
            budget = Budget(limits or BudgetLimits(), record.spent, self._settings.prices)
            asked = _Asked(record, told)
            pool = LocalPool.of_run(self._settings, self.model, workers)
            scheduler = self._play_by(Scheduler(pool, Limits(workers, budget, patience), Journal(), asked))
            scheduler.play(stack.enter_context(closing(self._unanswered(record, asked))))
        stopped = scheduler.stopped
        if stopped is not None and stopped.error is not None:
            raise stopped.error
        unanswered = self._is_new and is_unanswered(stopped, budget.spent)
        if unanswered and self.directory is not None:
            shutil.rmtree(self.directory.root, ignore_errors=True)
        return Probed(
            self.manifest,
            tuple(asked.answers[number] for number in sorted(asked.answers)),
            complete=stopped is None and len(asked.answers) == asked.total,
            stopped=None if stopped is None else stopped.message,
            interrupted=stopped is not None and stopped.reason is StopReason.INTERRUPTED,
            limited=stopped is not None and stopped.reason is StopReason.BUDGET,
            spent=budget.spent,
            directory=None if self.directory is None or unanswered else self.directory.path,
            unanswered=unanswered,
            bases=bases_by_id(self._tasks),
            failure=asked.failure,
        )

    def _unanswered(self, record: _Record, asked: _Asked) -> Generator[QuestionJob, None, None]:
        """Yield the questions without an answer; pass recorded answers to `asked`."""
        questions = make_questions(self._settings, self.manifest.probing, self._tasks, self.model)
        for number, question in enumerate(questions):
            asked.total = number + 1
            known = record.known.get(question.place)
            if known is None:
                asked.under_way[number] = question
                yield QuestionJob(number, str(question.place), question.prompt)
            elif known.digest != question.prompt.digest:
                raise RunError(f"the probing cannot be resumed: {question.place} differs from the recorded question")
            else:
                asked.answers[number] = known

    def _close_model(self) -> None:
        if self._scheduler is not None and self._scheduler.abandoned:
            return  # a model that is in use may not come back from being closed
        with calling(owner_of("model", self.model, self.model.model_name), "close"):
            self.model.close()


class _Asked(Listener):
    """Records each answer as it arrives.

    Args:
        record: the record.
        told: called after each answer with the number of answers.
    """

    def __init__(self, record: _Record, told: Callable[[int], object]) -> None:
        self._record = record
        self._told = told
        self.under_way: dict[int, Asked] = {}
        self.answers: dict[int, AnsweredQuestion] = {}
        self.total = 0
        """Number of questions computed so far."""
        self.failure: str | None = None
        """Message of the last question that the server failed to answer."""

    def finished(self, job: Job) -> Stopped | None:
        """Record the answer, or the failure to get one."""
        assert isinstance(job, QuestionJob)
        question = self.under_way.pop(job.number)
        digest, requests = question.prompt.digest, tuple(job.requests)
        answered = AnsweredQuestion(question.place, digest, question.question, requests, tuple(job.sent))
        self._record.add(answered)
        last = answered.requests[-1]
        if answered.outcome is not AnswerOutcome.INFRASTRUCTURE:
            self.answers[job.number] = answered
            self._told(len(self.answers))
            return None
        self.failure = last.message
        if last.permanent:
            return Stopped(StopReason.PERMANENT, f"asking again cannot help: {last.message}")
        return None


class _Record:
    """A record that stores nothing."""

    def __init__(self) -> None:
        self.known: dict[QuestionKey, AnsweredQuestion] = {}
        """Answered questions."""

        self.spent = Spent()
        """Requests and tokens of all questions."""

    def add(self, answered: AnsweredQuestion) -> None:
        """Add an answer; raises RunError if it cannot be written."""


class _File(_Record):
    """A record in a directory, which stays locked."""

    def __init__(self, directory: ProbeDirectory) -> None:
        super().__init__()
        self._directory = directory
        self._lock = RunLock(directory.path)

    def __enter__(self) -> _File:
        with ExitStack() as left:
            left.enter_context(self._lock)
            asked = list(self._directory.asked())
            self.known = {each.place: each for each in asked if each.outcome is not AnswerOutcome.INFRASTRUCTURE}
            self.spent = Spent().plus_all(request for each in asked for request in each.requests)
            try:
                self._file = self._directory.open_answers()
            except OSError as error:
                raise self._unwritable(error) from error
            left.pop_all()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._file.close()
        self._lock.__exit__(None, None, None)

    def add(self, answered: AnsweredQuestion) -> None:
        """Append a line."""
        self._lock.check()
        try:
            self._file.add(answered.to_line())
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> RunError:
        return RunError(f"cannot write to {self._directory.path}: {error.strerror}")


def new_probing(
    settings: RunSettings,
    probing: ProbeSettings,
    suite: Suite,
    model: ModelInterface,
    directory: Path | None,
    wait: ServerWait = FAIL_AT_ONCE,
) -> Probing:
    """Start a new probing session.

    Args:
        settings: the model and the presentation.
        probing: settings for the questions.
        suite: the tasks.
        model: the model, created from the settings.
        directory: a new folder for the recording; None to record nothing.
        wait: how long to wait for a server that is still starting.

    Raises:
        ArgumentError: the model cannot answer open questions, or is incompatible with the backend.
        UnknownNameError: no plugin provides a probe.
        PluginFault: the model reports that it is not ready.
        RunError: the folder cannot be created.
    """
    with closing_if_refused(model):
        require_standing_alone(settings.presentation)
        manifest = _manifest(settings, probing, suite, model, datetime.now(UTC).isoformat(timespec="seconds"), wait)
        made = None if directory is None else ProbeDirectory.create(directory, manifest, suite.tasks)
    return Probing(manifest, settings, suite.tasks, model, made, is_new=True)


def open_probing(
    path: Path,
    given: Given = NOTHING_GIVEN,
    find_prices: PriceFinder = lambda name, own: own,
    wait: ServerWait = FAIL_AT_ONCE,
) -> Probing:
    """Open a recorded probing to resume it.

    Args:
        path: folder of the probing.
        given: settings given in place of recorded ones, as for `open_run`.
        find_prices: returns the prices of a model's tokens; the recorded ones by default.
        wait: how long to wait for a server that is still starting.

    Raises:
        RunError: the folder contains no probing, or result-affecting settings changed; the message lists them.
        GridworldError: the model or backend cannot be created, or the model is not ready.
    """
    directory = ProbeDirectory(path)
    recorded, tasks = directory.manifest.run, directory.tasks()
    confirmed = settings_to_resume(attrs.evolve(recorded.settings, cache=None), directory.is_own, path, given)
    settings = attrs.evolve(confirmed, prices=find_prices(recorded.model_name, recorded.settings.prices))
    model = make_model(settings.model, list(settings.model_arguments))
    with closing_if_refused(model):
        suite = Suite(recorded.suite, tasks)
        present = _manifest(settings, directory.manifest.probing, suite, model, recorded.created, wait)
        refuse_changed_settings(recorded, present.run)
    return Probing(directory.manifest, settings, tasks, model, directory, is_new=False)


def _manifest(
    settings: RunSettings, probing: ProbeSettings, suite: Suite, model: ModelInterface, created: str, wait: ServerWait
) -> ProbeManifest:
    """Check that a probing session can start, and build its manifest."""
    load_probes(probing.probes)
    require_open(model)
    with checked_worker(settings, suite, model, wait) as worker:
        grounds = [backend_settings(worker.factory(tiling).backend) for tiling in settings.tilings]
        return ProbeManifest(make_manifest(settings, suite, model, grounds, created), probing)
