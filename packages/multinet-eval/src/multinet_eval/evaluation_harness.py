"""`EvaluationHarness`: plays tasks with a model and measures the results."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from os import PathLike
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import attrs

from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import MissionMode
from gridworld.errors import ArgumentError, Problem
from gridworld.model_interface import Adjustment, ModelInterface
from gridworld.plugins import get_registry
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import Recording
from gridworld.solver import DEFAULT_MAX_STATES
from gridworld.suites import SuiteError, load_folder, of_tiers, read_folder
from gridworld.support.checks import check_instance
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.answer_cache import AnswerCache
from multinet_eval.play.episode import EpisodeJob
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.limits import Backoff, Budget, Limits, StopReason
from multinet_eval.play.observers import Listener
from multinet_eval.play.played_tasks import swapped_tasks
from multinet_eval.play.pools.pool import InlinePool
from multinet_eval.play.readiness import wait_until_ready
from multinet_eval.play.scheduler import Clock, Scheduler
from multinet_eval.play.worker import Update, Worker
from multinet_eval.record.events import EpisodeRecord
from multinet_eval.record.journal import Journal
from multinet_eval.record.plan import PlannedEpisode, suite_hash, task_hash
from multinet_eval.record.suite_metrics import SuiteMetrics
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.asking import AnswerPolicies, Protocol
from multinet_eval.settings.defaults import DEFAULT_BACKEND
from multinet_eval.settings.run_settings import Briefing

__all__ = ["EvaluationHarness"]

FROM_JSON = "TaskSpecification.from_json reads one from a file"


class EvaluationHarness:
    """Evaluates one model on one backend, one task at a time.

    Each thread or process needs its own harness with its own backend.

    Args:
        model: the model under evaluation.
        backend: the backend; by default MiniGrid.
        seed: the seed of every episode; by default each task's own.
        mission: the goal's sentence, the task's own description, or both; by default the setting of the backend.
        observation: observation of each step, such as ``image+text`` (`ObservationFormat`).
        history_images: number of earlier observations that the model is given, at least 0.
        history_text: whether the model is given a text about the last steps.
        history_text_window: number of steps in that text, at least 1.
        max_states: limit of the solver that finds `optimal_steps`, which is None beyond it.
        presentation: everything that the model is given at each step, instead of `observation` and the history.
        protocol: number of actions per reply, and how many of them are played; by default one.
        briefing: information about the suite, as far as `presentation` requests it; by default about the tasks of a
            call, or about all installed types for a task that is played alone.
        swapped_backend: a second backend like the first, for the task whose observations are shown instead if
            `presentation` swaps them; by default MiniGrid if `backend` is also omitted.
        policies: policies for unusable answers.
        backoff: wait before a request is repeated.
        cache: cache of answers; by default none.

    Raises:
        UnknownNameError: no backend is given and the MiniGrid backend is not installed.
        ArgumentError: a history setting is out of range; and, like TypeError, ValueError and PluginFault, as
            `EpisodeFactory` raises it.
    """

    def __init__(
        self,
        model: ModelInterface,
        backend: AbstractGridBackend | None = None,
        *,
        seed: int | None = None,
        observation: str = "image",
        mission: MissionMode | None = None,
        history_images: int = 0,
        history_text: bool = False,
        history_text_window: int = 10,
        max_states: int = DEFAULT_MAX_STATES,
        presentation: Presentation | None = None,
        protocol: Protocol | None = None,
        briefing: Briefing | None = None,
        swapped_backend: AbstractGridBackend | None = None,
        policies: AnswerPolicies | None = None,
        backoff: Backoff | None = None,
        cache: AnswerCache | None = None,
    ) -> None:
        if history_text_window < 1:
            raise ArgumentError(f"history_text_window: expected at least 1, got {history_text_window}")
        shown = presentation or Presentation(observation, history_images, history_text_window if history_text else 0)
        if shown.swaps_observations and backend is None and swapped_backend is None:
            swapped_backend = _default_backend()
        self.runner = EpisodeFactory(
            model,
            backend or _default_backend(),
            seed=seed,
            mission=mission,
            presentation=shown,
            protocol=protocol,
            briefing=briefing,
            swapped_backend=swapped_backend,
            max_states=max_states,
            policies=policies,
            cache=cache,
        )
        """Factory of the episodes to play."""
        self._playing = OneAtATime("the harness is playing a task: make one for each thread, with its own backend")
        self._backoff = backoff or Backoff()
        self._adjustments: dict[Adjustment, None] = {}
        """Workarounds that the model has found so far."""

    @property
    def model(self) -> ModelInterface:
        """The model under evaluation."""
        return self.runner.model

    @property
    def backend(self) -> AbstractGridBackend:
        """The backend."""
        return self.runner.backend

    def evaluate_task(self, spec: TaskSpecification, swapped: TaskSpecification | None = None) -> TaskResult:
        """Play one episode of a task; the result contains its recording.

        An episode that ends with a plugin's exception or an infrastructure fault also has a result, with
        `TaskResult.error`.

        Args:
            spec: the task.
            swapped: the task whose observations are shown instead, if observations are swapped.

        Raises:
            TypeError: `spec` is not a task.
            InvalidTaskError: the task is invalid.
            ArgumentError: the model and the backend are incompatible, or the harness is playing in another thread.
        """
        check_instance("spec", spec, TaskSpecification, FROM_JSON)
        with self._playing:
            record = self._play(spec, swapped)
        assert record.end is not None
        recording = Recording(record.header, tuple(record.steps), record.end)
        result = TaskResult.of(record.header, recording.steps, record.end)
        return attrs.evolve(result.of_task(spec), recording=recording)

    def evaluate_tasks(self, specs: Iterable[TaskSpecification], benchmark_name: str) -> SuiteMetrics:
        """Play one episode of each task, in order, stopping after one that ends with a permanent error.

        Raises:
            UnplayableTasksError: the backend refuses some of the tasks; nothing was played.
            ArgumentError: the model and the backend are incompatible.
            PluginFault: the model is not ready; nothing was played.
        """
        specs = list(specs)
        for spec in specs:
            check_instance("each of the specs", spec, TaskSpecification, FROM_JSON)
        self.runner.check_tasks(specs)
        return self._evaluate(specs, benchmark_name, self._swapped(specs))

    def evaluate_task_dir(self, task_dir: str | PathLike[str]) -> SuiteMetrics:
        """Play all tasks of a folder and its subfolders.

        Args:
            task_dir: the folder.

        Raises:
            SuiteError: the folder does not hold a usable suite; and as `evaluate_tasks` does.
        """
        return self.evaluate_tasks(read_folder(Path(task_dir)).tasks, Path(task_dir).resolve().name)

    def evaluate_tier(self, tier: int, task_dir: str | PathLike[str]) -> SuiteMetrics:
        """Play the tasks of one difficulty tier of a folder and its subfolders; raises as `evaluate_task_dir` does."""
        return self.evaluate_all(task_dir, [tier])[tier]

    def evaluate_all(
        self, task_dir: str | PathLike[str], tiers: Iterable[int] | None = None
    ) -> dict[int, SuiteMetrics]:
        """Play the given tiers, or all tiers of the folder; return the metrics of each.

        Raises:
            SuiteError: the folder does not hold a usable suite, or no task of a tier; and as `evaluate_tasks` does.
        """
        tasks = load_folder(Path(task_dir))
        present = {task.difficulty_tier for task in tasks}
        wanted = sorted(present if tiers is None else set(tiers))
        missing = [Problem("", f"no task of tier {tier} in it") for tier in wanted if tier not in present]
        if missing:
            raise SuiteError(missing, str(task_dir))
        chosen = of_tiers(tasks, wanted)
        self.runner.check_tasks(chosen)
        shown = self._swapped(chosen)
        with self.runner.with_briefing(chosen):
            return {tier: self._evaluate(of_tiers(tasks, [tier]), f"tier {tier}", shown) for tier in wanted}

    def metrics(self, benchmark_name: str, results: Iterable[TaskResult], complete: bool = True) -> SuiteMetrics:
        """Combine results of this harness; `complete` is whether they cover the whole suite."""
        return SuiteMetrics(
            benchmark_name=benchmark_name,
            model_name=self.model.model_name,
            backend=self.backend.name,
            tiling=self.backend.tiling,
            seed=self.runner.seed,
            task_results=tuple(results),
            complete=complete,
            adjustments=tuple(self._adjustments),
        )

    def close(self) -> None:
        """Close the model and the backend."""
        try:
            self.model.close()
        finally:
            for backend in self.runner.backends:
                backend.close()

    def _evaluate(
        self, specs: Sequence[TaskSpecification], benchmark_name: str, shown: Mapping[str, TaskSpecification]
    ) -> SuiteMetrics:
        wait_until_ready(self.runner.model)
        results: list[TaskResult] = []
        with self.runner.with_briefing(specs):
            for spec in specs:
                results.append(self.evaluate_task(spec, shown.get(task_hash(spec))).without_recording())
                if results[-1].permanent:
                    break
        complete = len(results) == len(specs) and not any(result.permanent for result in results)
        return attrs.evolve(self.metrics(benchmark_name, results, complete), suite_hash=suite_hash(specs))

    def _swapped(self, specs: Sequence[TaskSpecification]) -> Mapping[str, TaskSpecification]:
        """Map the hash of each task to the task shown instead; empty if observations are not swapped."""
        return swapped_tasks(specs) if self.runner.presentation.swaps_observations else {}

    def _play(self, spec: TaskSpecification, swapped: TaskSpecification | None) -> EpisodeRecord:
        """Play a plan with a single episode, recorded in memory."""
        seed = spec.seed if self.runner.seed is None else self.runner.seed
        planned = PlannedEpisode(0, task_hash(spec), spec.task_id, self.backend.tiling, 0, seed)
        job = EpisodeJob(planned, spec, is_recorded=False, swapped=swapped)
        clock = _SleepingClock(self._backoff)
        limits = Limits(1, Budget(clock=clock.time), backoff=self._backoff, clock=clock.time)
        pool = InlinePool(lambda: Worker(self.model, lambda tiling: self.runner), closes=False)
        scheduler = Scheduler(pool, limits, Journal(), Listener(), clock=clock)
        scheduler.play([job])
        stopped = scheduler.stopped
        if stopped is not None and stopped.error is not None:
            raise stopped.error
        if stopped is not None and stopped.reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        assert job.record is not None
        self._adjustments |= dict.fromkeys(job.record.adjustments)
        return job.record


class _SleepingClock(Clock):
    """A clock that advances only while the caller's backoff sleeps."""

    def __init__(self, backoff: Backoff) -> None:
        self._backoff = backoff
        self._slept = 0.0
        self.time = lambda: self._slept

    def wait(self, completed: SimpleQueue[Future[list[Update]] | None], seconds: float) -> Future[list[Update]] | None:
        """Sleep; no call can complete meanwhile."""
        self._backoff.sleep(seconds)
        self._slept += seconds
        return None


def _default_backend() -> AbstractGridBackend:
    backend: AbstractGridBackend = get_registry().backends.get(DEFAULT_BACKEND).load()()
    return backend


class OneAtATime:
    """Context manager that rejects a second thread with an `ArgumentError`; a copy is independent.

    Args:
        refusal: the message to the second thread.
    """

    def __init__(self, refusal: str) -> None:
        self._refusal = refusal
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise ArgumentError(self._refusal)

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return OneAtATime, (self._refusal,)
