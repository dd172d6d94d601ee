"""`EvaluationHarness`: plays a model through tasks and measures it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import get_args

from gridworld.actions import Action
from gridworld.backends.base import AbstractGridBackend
from gridworld.culprits import backend_name, blaming
from gridworld.errors import ArgumentError, PluginFault, Problem
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    OracleInterface,
)
from gridworld.model_interface.inspection import CheckedModel
from gridworld.plugin_types import load_object
from gridworld.plugins import get_registry
from gridworld.runner.grid_runner import GridRunner
from gridworld.solver import DEFAULT_MAX_STATES
from gridworld.solver.plans import optimal_solution, winning_plan
from gridworld.task_spec import TaskSpecification
from multinet_eval.asking import Asker, Asks
from multinet_eval.backoff import Backoff
from multinet_eval.history import History
from multinet_eval.metrics import SuiteMetrics, TaskResult, count_outcomes, optimality_ratio
from multinet_eval.player import Player
from multinet_eval.policies import AnswerPolicies
from multinet_eval.rehearsal import Rehearsal
from multinet_eval.suites import SuiteError, load_folder, of_tiers
from multinet_eval.tally import Step, Tally
from multinet_eval.view import ObservationMode, View

__all__ = ["DEFAULT_BACKEND", "EvaluationHarness", "ObservationMode", "StepListener"]

DEFAULT_BACKEND = "minigrid"
"""The backend that is used where none is given."""

StepListener = Callable[[TaskSpecification, Step], None]
"""``(task, step)``, called after each step."""


class EvaluationHarness:
    """Evaluates one model on one backend, a task at a time.

    Args:
        model: the model under evaluation.
        backend: where to play; by default the MiniGrid backend.
        seed: the seed of every episode; by default each task's own.
        observation: whether the model is given the picture, its text view, or both.
        history_images: how many earlier observations the model is given, at least 0.
        history_text: whether the model is given a text of the last steps.
        history_text_window: how many steps that text tells of, at least 1.
        max_states: where the solver that finds `optimal_steps` gives up; it is then None.
        on_step: called after each step, lost ones too; what it raises ends the run.
        policies: what to do about answers that cannot be used.
        backoff: how to wait before a server is asked again.

    Raises:
        UnknownNameError: no backend is given and the MiniGrid backend is not installed.
        ValueError: a history setting outside its range.
    """

    def __init__(
        self,
        model: ModelInterface,
        backend: AbstractGridBackend | None = None,
        *,
        seed: int | None = None,
        observation: ObservationMode = "image",
        history_images: int = 0,
        history_text: bool = False,
        history_text_window: int = 10,
        max_states: int = DEFAULT_MAX_STATES,
        on_step: StepListener | None = None,
        policies: AnswerPolicies | None = None,
        backoff: Backoff | None = None,
    ) -> None:
        if observation not in get_args(ObservationMode):
            raise ValueError(f"observation has to be one of {get_args(ObservationMode)}, got {observation!r}")
        if history_images < 0:
            raise ValueError(f"history_images has to be at least 0, got {history_images}")
        if history_text_window < 1:
            raise ValueError(f"history_text_window has to be at least 1, got {history_text_window}")
        self.model = model
        self.backend = backend or _default_backend()
        self._seed = seed
        self._observation: ObservationMode = observation
        self._history_images = history_images
        self._text_window = history_text_window if history_text else 0
        self._max_states = max_states
        self._on_step = on_step
        self._asker = Asker(model, policies or AnswerPolicies(), backoff or Backoff())

    def check_ready(self) -> None:
        """Make sure that the model could be asked, as far as it can tell.

        Raises:
            PluginFault: it could not, or it failed to find out; the message says why.
        """
        if not isinstance(self.model, CheckedModel):
            return
        owner = f"model '{self.model.model_name}'"
        with blaming(owner, "when it was asked whether it is ready"):
            try:
                self.model.check_ready()
            except AnswerFault as fault:
                raise PluginFault(f"{owner} is not ready: {fault.message}") from fault

    def evaluate_task(self, spec: TaskSpecification) -> TaskResult:
        """Play one episode of a task.

        An episode that a plugin's exception or an infrastructure fault puts an end to has a result too, with its
        `TaskResult.error`.

        Raises:
            InvalidTaskError: the task cannot be.
            ArgumentError: the model is to be given pictures, and the backend does not observe any.
        """
        seed = self._seed_of(spec)
        tally, optimal_steps, mission = Tally(), None, ""
        try:
            mission = self._configure(spec)
            self._introduce(EpisodeInfo(spec.task_id, seed, mission, spec.max_steps))
            self._play(spec, self._asker, tally, lambda step: self._on_step and self._on_step(spec, step))
            if tally.error is None:
                optimal_steps = self._optimal_steps()
        except PluginFault as fault:
            tally.error = str(fault)
        return _task_result(spec, seed, mission, tally, optimal_steps)

    def input_at(self, spec: TaskSpecification, step: int = 0) -> ModelInput:
        """What the model would be given at a step of a shortest plan; it is asked nothing.

        Args:
            spec: the task.
            step: how many actions of the plan are taken before, at least 0.

        Raises:
            InvalidTaskError: the task cannot be.
            NoPlanError: no plan has been found.
            ArgumentError: the episode is over by then, or the model is to be given pictures and the backend does not
                observe any.
            PluginFault: a plugin failed.
        """
        self._configure(spec)
        plan = self._plan() if step else ()
        rehearsal = Rehearsal(plan[:step])
        self._play(spec, rehearsal, Tally(), lambda step: None)
        if rehearsal.question is None:
            raise ArgumentError(
                f"step {step}: the shortest plan of '{spec.task_id}' ends the episode after {len(plan)} steps"
            )
        return rehearsal.question

    def evaluate_tasks(self, specs: Iterable[TaskSpecification], benchmark_name: str) -> SuiteMetrics:
        """Play one episode of each task, in order, up to the first that ends by a permanent error.

        Raises:
            InvalidTaskError: a task cannot be.
            ArgumentError: the model is to be given pictures, and the backend does not observe any.
            PluginFault: the model says that it is not ready; nothing has been played.
        """
        self.check_ready()
        results: list[TaskResult] = []
        for spec in specs:
            results.append(self.evaluate_task(spec))
            if results[-1].permanent:
                return self.metrics(benchmark_name, results, complete=False)
        return self.metrics(benchmark_name, results)

    def evaluate_task_dir(self, task_dir: str | PathLike[str]) -> SuiteMetrics:
        """Play all tasks of a folder and its subfolders.

        Raises:
            SuiteError: the folder does not hold a usable suite.
            PluginFault: the model says that it is not ready; nothing has been played.
        """
        return self.evaluate_tasks(load_folder(Path(task_dir)), Path(task_dir).resolve().name)

    def evaluate_tier(self, tier: int, task_dir: str | PathLike[str]) -> SuiteMetrics:
        """Play the tasks of one difficulty tier of a folder and its subfolders; raises as `evaluate_task_dir` does."""
        return self.evaluate_all(task_dir, [tier])[tier]

    def evaluate_all(
        self, task_dir: str | PathLike[str], tiers: Iterable[int] | None = None
    ) -> dict[int, SuiteMetrics]:
        """Tier to its metrics, for the given tiers or for all that the folder has.

        Raises:
            SuiteError: the folder does not hold a usable suite, or no task of one of the tiers.
            PluginFault: the model says that it is not ready.
        """
        tasks = load_folder(Path(task_dir))
        present = {task.difficulty_tier for task in tasks}
        wanted = sorted(present if tiers is None else set(tiers))
        missing = [Problem("", f"no task of tier {tier} in it") for tier in wanted if tier not in present]
        if missing:
            raise SuiteError(missing, str(task_dir))
        return {tier: self.evaluate_tasks(of_tiers(tasks, [tier]), f"tier {tier}") for tier in wanted}

    def metrics(self, benchmark_name: str, results: Iterable[TaskResult], complete: bool = True) -> SuiteMetrics:
        """Gather results of this harness; `complete` says whether they are those of the whole suite."""
        return SuiteMetrics(
            benchmark_name=benchmark_name,
            model_name=self.model.model_name,
            backend=self.backend.name,
            tiling=self.backend.tiling,
            seed=self._seed,
            task_results=tuple(results),
            complete=complete,
        )

    def close(self) -> None:
        """Close the model and the backend."""
        try:
            self.model.close()
        finally:
            self.backend.close()

    def _configure(self, spec: TaskSpecification) -> str:
        """Take on a task; returns its mission."""
        with blaming(backend_name(self.backend.name), "before the first step"):
            self.backend.configure(spec)
            return self.backend.get_mission_text()

    def _seed_of(self, spec: TaskSpecification) -> int:
        return spec.seed if self._seed is None else self._seed

    def _introduce(self, episode: EpisodeInfo) -> None:
        """Tell the model of the episode that is about to begin."""
        with blaming(f"model '{self.model.model_name}'", "before the first step"):
            self.model.begin_episode(episode)
            if isinstance(self.model, OracleInterface):
                self.model.look_into(self.backend.world)

    def _play(self, spec: TaskSpecification, asker: Asks, tally: Tally, on_step: Callable[[Step], object]) -> None:
        episode = self.backend.episode
        player = Player(
            asker=asker,
            episode=episode,
            view=View(self.backend, self.model, self._observation),
            history=History(episode, self._history_images, self._text_window),
            tally=tally,
            on_step=on_step,
        )
        runner = GridRunner(self.backend, keep_observations=False, on_transition=player.remember)
        runner.run_episode(spec, player.act, seed=self._seed_of(spec))

    def _optimal_steps(self) -> int | None:
        with blaming(backend_name(self.backend.name), "while the solver looked for a shortest plan"):
            return optimal_solution(self.backend.world, self._max_states).length

    def _plan(self) -> tuple[Action, ...]:
        self._optimal_steps()  # so that a plugin that fails in the search is named
        return winning_plan(self.backend.world, self._max_states)


def _default_backend() -> AbstractGridBackend:
    backend: AbstractGridBackend = load_object(get_registry().backends.get(DEFAULT_BACKEND).target)()
    return backend


def _task_result(
    spec: TaskSpecification, seed: int, mission: str, tally: Tally, optimal_steps: int | None
) -> TaskResult:
    return TaskResult(
        task_id=spec.task_id,
        difficulty_tier=spec.difficulty_tier,
        seed=seed,
        mission=mission,
        success=tally.success,
        steps_taken=tally.steps,
        max_steps=spec.max_steps,
        optimal_steps=optimal_steps,
        optimality_ratio=optimality_ratio(tally.success, tally.steps, optimal_steps),
        total_reward=tally.total_reward,
        terminated=tally.terminated,
        truncated=tally.steps >= spec.max_steps and not tally.success,
        ineffective_steps=tally.outcomes[AnswerOutcome.NO_EFFECT.value],
        lost_steps=tally.lost,
        outcomes=count_outcomes([tally.outcomes]),
        fault=tally.fault,
        error=tally.error,
        permanent=tally.permanent,
        usage=tally.usage,
    )
