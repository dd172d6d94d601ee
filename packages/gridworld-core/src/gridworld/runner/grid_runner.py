"""`GridRunner`: plays episodes of tasks with any policy on any backend."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import attrs

from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.runner.observation_dataset import Progress, write_observation_dataset
from gridworld.runner.record import Step
from gridworld.runner.rollout import PolicyAnswer, PolicyFunction, Rollout, Stop, read_answer
from gridworld.solver.plans import DEFAULT_MAX_STATES, WithoutPlan, refuse_without_plan
from gridworld.task_spec import TaskSpecification
from gridworld.world.events import Event

__all__ = ["EpisodeResult", "GridRunner", "PolicyAnswer", "PolicyFunction", "Stop", "Transition"]


@attrs.frozen(eq=False)
class Transition:
    """One recorded step of an episode."""

    observation: Any
    """Observation before the action."""
    action: int
    reward: float
    terminated: bool
    truncated: bool
    state: GridState
    """State after the action."""
    events: tuple[Event, ...]
    policy_info: dict[str, Any] = attrs.Factory(dict)


@attrs.frozen(eq=False)
class EpisodeResult:
    """Result of one episode; neither terminated nor truncated if the policy stopped early."""

    task_id: str
    success: bool
    total_reward: float
    steps_taken: int
    max_steps: int
    terminated: bool
    truncated: bool
    trajectory: tuple[Transition, ...]
    final_state: GridState
    seed: int
    mission: str


class GridRunner:
    """Plays episodes on one backend.

    Args:
        backend: the backend.
        keep_observations: keep observations in trajectories; disable to save memory on long runs.
    """

    def __init__(self, backend: AbstractGridBackend, keep_observations: bool = True) -> None:
        self._backend = backend
        self._keep_observations = keep_observations

    def run_episode(
        self, task_spec: TaskSpecification, policy_fn: PolicyFunction, seed: int | None = None
    ) -> EpisodeResult:
        """Play one episode; `seed` defaults to the task's own.

        Raises:
            InvalidTaskError: the task is invalid.
            InvalidAction: the policy chose an unknown action.
            PluginFault: the backend, or a hook of a mechanism or goal type, raised another exception.
        """
        rollout = Rollout(self._backend, task_spec, seed)
        trajectory: list[Transition] = []
        while (question := rollout.question) is not None:
            answer = policy_fn(question.observation, rollout.known_state(), rollout.header.mission)
            decision, policy_info = read_answer(answer)
            step = rollout.take(decision)
            if step.action is not None:
                shown = question.observation if self._keep_observations else None
                trajectory.append(_transition(step, shown, rollout.state, policy_info))
        return _episode_result(rollout, tuple(trajectory))

    def run_batch(
        self, task_specs: Iterable[TaskSpecification], policy_fn: PolicyFunction, seed: int | None = None
    ) -> list[EpisodeResult]:
        """Play one episode of each task, in order."""
        return [self.run_episode(task, policy_fn, seed) for task in task_specs]

    def collect_demonstrations(self, task_spec: TaskSpecification, actions: Iterable[int]) -> EpisodeResult:
        """Play a fixed sequence of actions, stopping when the episode ends.

        Returns:
            The episode so far, possibly neither terminated nor truncated.
        """
        remaining = iter(actions)
        return self.run_episode(task_spec, lambda observation, state, mission: next(remaining, Stop.STOP))

    def generate_observation_dataset(
        self,
        task_specs: Iterable[TaskSpecification],
        output_dir: str | PathLike[str],
        policy_fn: PolicyFunction | None = None,
        seed: int | None = None,
        max_states: int = DEFAULT_MAX_STATES,
        progress: Progress = lambda written, most: None,
        without_plan: WithoutPlan = refuse_without_plan,
    ) -> list[dict[str, Any]]:
        """Play one episode of each task, and write all pictures and a record of each step into a folder.

        The pictures are named ``<task id>/step_0000.png`` and so on; characters that are invalid in file names are
        replaced. ``records.jsonl`` has one line per picture: ``task_id``, ``step``, ``image`` (relative to
        `output_dir`), ``mission``; the chosen ``action`` and its ``action_name``; the resulting ``reward``,
        ``terminated`` and ``truncated``; and ``state``, the known state before the action. The last line of an episode
        has null for ``action`` and ``action_name``, a reward of 0, and the final values of ``terminated`` and
        ``truncated``.

        Args:
            task_specs: the tasks.
            output_dir: a missing or empty folder.
            policy_fn: chooses the actions; by default each task's shortest plan is played.
            seed: the seed of every episode; by default each task's own.
            max_states: state limit of the search for a plan.
            progress: called after each picture with the number written and the maximum total.
            without_plan: called, before anything is written, with the error of each task without a plan. The task is
                skipped unless the function raises; the default raises the error.

        Returns:
            The records, in the order of the file.

        Raises:
            InvalidTaskError: a task is invalid.
            NoPlanError: a task has no plan, and neither `policy_fn` nor `without_plan` is given.
            DatasetError: the folder is not empty or cannot be written, or the backend does not observe pictures. Only a
                failed write leaves files behind.
        """
        folder = Path(output_dir)
        return write_observation_dataset(
            self._backend, task_specs, folder, policy_fn, seed, max_states, progress, without_plan
        )


def _transition(step: Step, observation: Any, state: GridState, policy_info: dict[str, Any]) -> Transition:
    assert step.action is not None
    return Transition(
        observation=observation,
        action=step.action,
        reward=step.reward,
        terminated=step.terminated,
        truncated=step.truncated,
        state=state,
        events=step.events,
        policy_info=policy_info,
    )


def _episode_result(rollout: Rollout, trajectory: tuple[Transition, ...]) -> EpisodeResult:
    header, state = rollout.header, rollout.state
    return EpisodeResult(
        task_id=header.task_id,
        success=state.goal_reached,
        total_reward=sum(step.reward for step in trajectory),
        steps_taken=len(trajectory),
        max_steps=header.max_steps,
        terminated=state.terminated,
        truncated=state.truncated,
        trajectory=trajectory,
        final_state=state,
        seed=header.seed,
        mission=header.mission,
    )
