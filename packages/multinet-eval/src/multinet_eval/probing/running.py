"""`Probing`: asks a model all questions of a probing, and records each answer as it comes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from gridworld.model_interface import AnswerOutcome, ModelInterface
from gridworld.plugins import get_registry
from gridworld.plugins.faults import blaming
from gridworld.runner.presentation import Presentation
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode import QuestionJob
from multinet_eval.play.limits import Budget, Limits, Stopped, StopReason
from multinet_eval.play.observers import Listener
from multinet_eval.play.pools.pool import LocalPool
from multinet_eval.play.run import backend_settings, checked_worker, closing_if_refused, refuse_other
from multinet_eval.play.scheduler import Scheduler, Stoppable
from multinet_eval.play.worker import Job, Worker
from multinet_eval.probing.probe import Probe, Scene
from multinet_eval.probing.probe_directory import AnsweredQuestion, ProbeDirectory, ProbeManifest
from multinet_eval.probing.questions import (
    Asked,
    Place,
    ProbeSettings,
    questions_of,
    require_standing_alone,
    scenes_of,
)
from multinet_eval.record.events import Spent
from multinet_eval.record.fingerprint import override_arguments
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
    """Outcome of asking."""

    manifest: ProbeManifest
    answers: tuple[AnsweredQuestion, ...]
    """In the order of the questions."""
    complete: bool
    """Whether all questions have been answered."""
    stopped: str | None
    """Why not, if something put an end to asking."""
    interrupted: bool
    limited: bool
    """Whether a limit of the budget put an end to asking."""
    spent: Spent
    directory: Path | None
    bases: Mapping[str, str]
    """The id of each task to its base maze."""


def load_probes(names: Iterable[str]) -> dict[str, Probe]:
    """Name to probe, of installed ones.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        PluginFault: a probe cannot be imported or made.
    """
    made = {}
    for name in names:
        kind = load_object(get_registry().probes.get(name).target)
        with blaming(f"probe '{name}'", "when it was made"):
            made[name] = kind()
    return made


def make_questions(
    settings: RunSettings, probing: ProbeSettings, tasks: Iterable[TaskSpecification], model: ModelInterface
) -> Iterator[Asked]:
    """All questions of a probing in order, none of which is asked; raises as `questions_of` does."""
    probes = load_probes(probing.probes)
    tasks = tuple(tasks)
    with Worker.of_settings(settings.about(tasks), model) as shows:
        yield from questions_of(probing, probes, tasks, settings.tilings, shows.factory, settings.max_states)


def make_scenes(settings: RunSettings, probing: ProbeSettings, tasks: Iterable[TaskSpecification]) -> Iterator[Scene]:
    """The moments that a probing asks about, without what a model is given of them; raises as `scenes_of` does."""
    unseen = attrs.evolve(settings, presentation=Presentation(observation="none"))
    tasks = tuple(tasks)
    with Worker.of_settings(unseen.about(tasks), make_model("random", [])) as shows:
        yield from scenes_of(probing, tasks, settings.tilings, shows.factory, settings.max_states)


class Probing(Stoppable):
    """Questions to be asked; `new_probing` and `open_probing` make it.

    Args:
        manifest: what it is.
        settings: what is asked for, credentials included.
        tasks: the tasks in order.
        model: the model.
        directory: where it is recorded; None for nowhere.
    """

    def __init__(
        self,
        manifest: ProbeManifest,
        settings: RunSettings,
        tasks: tuple[TaskSpecification, ...],
        model: ModelInterface,
        directory: ProbeDirectory | None,
    ) -> None:
        self.manifest = manifest
        self.model = model
        self.directory = directory
        self._settings = settings
        self._tasks = tasks

    def ask(
        self,
        workers: int = 1,
        limits: BudgetLimits | None = None,
        told: Callable[[int], object] = lambda count: None,
        patience: float = PATIENCE,
    ) -> Probed:
        """Ask what has not been answered yet, and close the model.

        Args:
            workers: how many questions are asked at once.
            limits: what may be spent, over all sessions.
            told: is told, after each answer, how many there are.
            patience: the seconds for which a server may answer nothing before nothing more is asked; 0 to count such
                faults like any other.

        Raises:
            ArgumentError: there is a limit of cost, but no prices.
            RunError: another process asks, or the record cannot be read or written, or is of other questions.
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
        return Probed(
            self.manifest,
            tuple(asked.answers[number] for number in sorted(asked.answers)),
            complete=stopped is None and len(asked.answers) == asked.total,
            stopped=None if stopped is None else stopped.message,
            interrupted=stopped is not None and stopped.reason is StopReason.INTERRUPTED,
            limited=stopped is not None and stopped.reason is StopReason.BUDGET,
            spent=budget.spent,
            directory=None if self.directory is None else self.directory.path,
            bases=bases_by_id(self._tasks),
        )

    def _unanswered(self, record: _Record, asked: _Asked) -> Generator[QuestionJob, None, None]:
        """The questions without an answer; answers that are recorded are passed to `asked`."""
        questions = make_questions(self._settings, self.manifest.probing, self._tasks, self.model)
        for number, question in enumerate(questions):
            asked.total = number + 1
            known = record.known.get(question.place)
            if known is None:
                asked.under_way[number] = question
                yield QuestionJob(number, str(question.place), question.parts)
            elif known.digest != question.digest:
                raise RunError(f"the probing cannot go on: {question.place} is not what was asked before")
            else:
                asked.answers[number] = known

    def _close_model(self) -> None:
        if self._scheduler is not None and self._scheduler.abandoned:
            return  # a model that is in use may not come back from being closed
        with blaming(f"model '{self.model.model_name}'", "when it was closed"):
            self.model.close()


class _Asked(Listener):
    """Records each answer as it comes.

    Args:
        record: keeps the answers.
        told: is told, after each answer, how many there are.
    """

    def __init__(self, record: _Record, told: Callable[[int], object]) -> None:
        self._record = record
        self._told = told
        self.under_way: dict[int, Asked] = {}
        self.answers: dict[int, AnsweredQuestion] = {}
        self.total = 0
        """Questions that have been made so far."""

    def finished(self, job: Job) -> Stopped | None:
        """Record the answer, or that there was none."""
        assert isinstance(job, QuestionJob)
        question = self.under_way.pop(job.number)
        answered = AnsweredQuestion(question.place, question.digest, question.question, tuple(job.requests))
        self._record.add(answered)
        last = answered.requests[-1]
        if answered.outcome is not AnswerOutcome.INFRASTRUCTURE:
            self.answers[job.number] = answered
            self._told(len(self.answers))
        elif last.permanent:
            return Stopped(StopReason.PERMANENT, f"asking again cannot help: {last.message}")
        return None


class _Record:
    """Keeps answers nowhere."""

    def __init__(self) -> None:
        self.known: dict[Place, AnsweredQuestion] = {}
        """Questions that have an answer."""

        self.spent = Spent()
        """Requests and tokens of all questions."""

    def add(self, answered: AnsweredQuestion) -> None:
        """Keep an answer; raises RunError if it cannot be written."""


class _File(_Record):
    """Keeps them in a directory, which is locked meanwhile."""

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
        """Write a line at once."""
        self._lock.check()
        try:
            self._file.add(answered.to_line())
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> RunError:
        return RunError(f"cannot write to {self._directory.path}: {error.strerror}")


def new_probing(
    settings: RunSettings, probing: ProbeSettings, suite: Suite, model: ModelInterface, directory: Path | None
) -> Probing:
    """A new probing.

    Args:
        settings: the model, and what it is shown.
        probing: what is asked.
        suite: the tasks that are asked about.
        model: the model, made as the settings say.
        directory: the new folder to record it in; None to keep no record.

    Raises:
        ArgumentError: the model cannot be asked open questions, or does not fit together with the backend.
        UnknownNameError: there is no such probe.
        PluginFault: the model says that it is not ready.
        RunError: the folder cannot be made.
    """
    with closing_if_refused(model):
        require_standing_alone(settings.presentation)
        manifest = _manifest(settings, probing, suite, model, datetime.now(UTC).isoformat(timespec="seconds"))
        made = None if directory is None else ProbeDirectory.create(directory, manifest, suite.tasks)
    return Probing(manifest, settings, suite.tasks, model, made)


def open_probing(
    path: Path, model_arguments: Iterable[str] = (), find_prices: PriceFinder = lambda name, own: own
) -> Probing:
    """A recorded probing, to go on with.

    Args:
        path: its folder.
        model_arguments: ``key=value``, instead of those that it was begun with; credentials have to be given again.
        find_prices: gives what the model's tokens cost; by default as it was begun with.

    Raises:
        RunError: the folder holds none, or what decides its results is not as it was; all of it is named.
        GridworldError: model or backend cannot be made, or the model is not ready.
    """
    directory = ProbeDirectory(path)
    recorded, tasks = directory.manifest.run, directory.tasks()
    arguments = override_arguments(recorded.settings.model_arguments, model_arguments, "-M")
    prices = find_prices(recorded.model_name, recorded.settings.prices)
    settings = attrs.evolve(recorded.settings, model_arguments=arguments, prices=prices)
    model = make_model(settings.model, list(arguments))
    with closing_if_refused(model):
        suite = Suite(recorded.suite, tasks, recorded.skipped)
        present = _manifest(settings, directory.manifest.probing, suite, model, recorded.created)
        refuse_other(recorded, present.run)
    return Probing(directory.manifest, settings, tasks, model, directory)


def _manifest(
    settings: RunSettings, probing: ProbeSettings, suite: Suite, model: ModelInterface, created: str
) -> ProbeManifest:
    """Manifest of a probing, once all that it needs is known to be there."""
    load_probes(probing.probes)
    require_open(model)
    with checked_worker(settings, suite, model) as worker:
        grounds = [backend_settings(worker.factory(tiling).backend) for tiling in settings.tilings]
        return ProbeManifest(make_manifest(settings, suite, model, grounds, created), probing)
