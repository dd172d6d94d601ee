"""`EvaluationHarness`: plays a model through tasks and measures it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.errors import GridworldError, InvalidAction, PluginFault, Problem, describe_error
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelInterface, OracleInterface
from gridworld.plugin_types import load_object
from gridworld.plugins import get_registry
from gridworld.runner.grid_runner import EpisodeResult, GridRunner, Transition
from gridworld.solver import DEFAULT_MAX_STATES, solve
from gridworld.task_spec import TaskSpecification
from gridworld.text import text_view
from gridworld.world import Episode
from gridworld.world.events import Bumped, NoEffect
from multinet_eval.history import History
from multinet_eval.metrics import SuiteMetrics, TaskResult, optimality_ratio
from multinet_eval.suites import SuiteError, load_folder, of_tiers

__all__ = ["DEFAULT_BACKEND", "EvaluationHarness", "ObservationMode", "StepListener"]

DEFAULT_BACKEND = "minigrid"

ObservationMode = Literal["image", "text", "image+text"]

StepListener = Callable[[TaskSpecification, Transition], None]
"""``(task, transition)``, called after each step."""


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
        on_step: called after each step.

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

    def evaluate_task(self, spec: TaskSpecification) -> TaskResult:
        """Play one episode of a task.

        Raises:
            InvalidTaskError: the task cannot be.
            InvalidAction: the model named an action outside the action space.
        """
        seed = spec.seed if self._seed is None else self._seed
        player = self._begin_episode(spec, seed)
        runner = GridRunner(self.backend, keep_observations=False, on_transition=player.remember)
        episode = runner.run_episode(spec, player.act, seed=seed)
        optimal_steps = solve(self.backend.world, self._max_states).length
        return _task_result(spec, episode, optimal_steps)

    def evaluate_tasks(self, specs: Iterable[TaskSpecification], benchmark_name: str) -> SuiteMetrics:
        """Play one episode of each task, in order."""
        return self.metrics(benchmark_name, [self.evaluate_task(spec) for spec in specs])

    def evaluate_task_dir(self, task_dir: str | PathLike[str]) -> SuiteMetrics:
        """Play all tasks of a folder and its subfolders.

        Raises:
            SuiteError: the folder does not hold a usable suite.
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

    def _begin_episode(self, spec: TaskSpecification, seed: int) -> _Player:
        self.backend.configure(spec)
        self.model.begin_episode(EpisodeInfo(spec.task_id, seed, self.backend.get_mission_text(), spec.max_steps))
        if isinstance(self.model, OracleInterface):
            self.model.look_into(self.backend.world)
        episode = self.backend.episode
        history = History(episode, self._history_images, self._text_window)
        on_step = self._on_step
        return _Player(self.model, episode, self._show(), history, lambda step: on_step and on_step(spec, step))

    def _show(self) -> Callable[[Any], tuple[Any, str | None]]:
        """From the backend's observation to what the model is given: a picture, a text, or both."""
        episode = self.backend.episode
        if self._observation == "image":
            return lambda image: (image, None)
        if self._observation == "text":
            return lambda image: (None, str(text_view(episode)))
        return lambda image: (image, str(text_view(episode)))


class _Player:
    """A model as a policy: hands it what it may know, and remembers what came of its actions."""

    def __init__(
        self,
        model: ModelInterface,
        episode: Episode,
        show: Callable[[Any], tuple[Any, str | None]],
        history: History,
        on_step: Callable[[Transition], object],
    ) -> None:
        self._model = model
        self._episode = episode
        self._show = show
        self._history = history
        self._on_step = on_step
        self._image: Any = None

    def act(self, observation: Any, state: GridState, mission: str) -> int:
        """Ask the model for an action."""
        self._image, text = self._show(observation)
        question = ModelInput(
            image=self._image,
            text_observation=text,
            text_prompt=mission,
            action_space=dict(ACTION_SPACE),
            step_number=state.step_count,
            max_steps=state.max_steps,
            additional_context=self._history.text,
            prior_images=self._history.prior_images,
        )
        try:
            if isinstance(self._model, OracleInterface):
                self._model.observe(self._episode.state)
            answer = self._model.predict(question)
        except GridworldError:
            raise
        except Exception as error:
            name, step = self._model.model_name, state.step_count
            raise PluginFault(f"model '{name}' failed at step {step}: {describe_error(error)}") from error
        try:
            return index(answer.action)
        except TypeError:
            raise InvalidAction(f"action {answer.action!r} is not in the action space {ACTION_SPACE}") from None

    def remember(self, step: Transition) -> None:
        """Take note of what the last action did."""
        self._history.record(self._image, step)
        self._on_step(step)


def _default_backend() -> AbstractGridBackend:
    backend: AbstractGridBackend = load_object(get_registry().backends.get(DEFAULT_BACKEND).target)()
    return backend


def _task_result(spec: TaskSpecification, episode: EpisodeResult, optimal_steps: int | None) -> TaskResult:
    ineffective = sum(isinstance(step.events[0], (Bumped, NoEffect)) for step in episode.trajectory)
    return TaskResult(
        task_id=spec.task_id,
        difficulty_tier=spec.difficulty_tier,
        seed=episode.seed,
        mission=episode.mission,
        success=episode.success,
        steps_taken=episode.steps_taken,
        max_steps=episode.max_steps,
        optimal_steps=optimal_steps,
        optimality_ratio=optimality_ratio(episode.success, episode.steps_taken, optimal_steps),
        total_reward=episode.total_reward,
        terminated=episode.terminated,
        truncated=episode.truncated,
        ineffective_steps=ineffective,
    )
