"""`GridRunner`: plays episodes of tasks with any policy on any backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import Any

import attrs

from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.culprits import backend_name, blaming
from gridworld.runner.observation_dataset import write_observation_dataset
from gridworld.solver.search import DEFAULT_MAX_STATES
from gridworld.task_spec import TaskSpecification
from gridworld.world.events import Event

__all__ = ["EpisodeResult", "GridRunner", "PolicyAnswer", "PolicyFunction", "Stop", "Transition"]


class Stop(Enum):
    """What a policy answers instead of an action when it has none: the episode is left as it is."""

    STOP = "stop"


PolicyAnswer = int | Stop | tuple[int, dict[str, Any]]
"""An action, an action with a dictionary to keep in the trajectory, or that there is no further one."""

PolicyFunction = Callable[[Any, GridState, str], PolicyAnswer]
"""``policy_fn(observation, state, mission)``; `state` holds only what the agent has been shown."""


@attrs.frozen(eq=False)
class Transition:
    """One step of an episode."""

    observation: Any
    """What the policy saw before it acted."""
    action: int
    reward: float
    terminated: bool
    truncated: bool
    state: GridState
    """The state after the action."""
    events: tuple[Event, ...]
    policy_info: dict[str, Any] = attrs.Factory(dict)


@attrs.frozen(eq=False)
class EpisodeResult:
    """One episode; neither terminated nor truncated if its policy stopped."""

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
        backend: where to play.
        keep_observations: keep what the policy saw in the trajectory; switch it off to save memory on long runs.
        on_transition: called after each step.
    """

    def __init__(
        self,
        backend: AbstractGridBackend,
        keep_observations: bool = True,
        on_transition: Callable[[Transition], None] | None = None,
    ) -> None:
        self._backend = backend
        self._keep_observations = keep_observations
        self._on_transition = on_transition

    def run_episode(
        self, task_spec: TaskSpecification, policy_fn: PolicyFunction, seed: int | None = None
    ) -> EpisodeResult:
        """Play one episode to its end; `seed` defaults to the task's own.

        Raises:
            InvalidTaskError: the task cannot be.
            InvalidAction: the policy named an action outside the seven.
            PluginFault: the backend, or a hook of a mechanism or goal type, raised something else; it is named.
        """
        return self._play(task_spec, policy_fn, seed)

    def run_batch(
        self, task_specs: Iterable[TaskSpecification], policy_fn: PolicyFunction, seed: int | None = None
    ) -> list[EpisodeResult]:
        """Play one episode of each task, in order."""
        return [self._play(task, policy_fn, seed) for task in task_specs]

    def collect_demonstrations(self, task_spec: TaskSpecification, actions: Iterable[int]) -> EpisodeResult:
        """Play a fixed sequence of actions, or as many of them as the episode lasts.

        Returns:
            The episode so far; it may be neither terminated nor truncated.
        """
        remaining = iter(actions)
        return self._play(task_spec, lambda observation, state, mission: next(remaining, Stop.STOP), None)

    def generate_observation_dataset(
        self,
        task_specs: Iterable[TaskSpecification],
        output_dir: str | PathLike[str],
        policy_fn: PolicyFunction | None = None,
        seed: int | None = None,
        max_states: int = DEFAULT_MAX_STATES,
    ) -> list[dict[str, Any]]:
        """Play one episode of each task, and write every picture seen and a record of every step into a folder.

        The pictures are ``<task id>/step_0000.png`` and so on, the last one too; characters of a task id that cannot
        be in a file name are replaced. ``records.jsonl`` has a line for each picture: ``task_id``, ``step``, ``image``
        (relative to `output_dir`), ``mission``; the ``action`` that was chosen, its ``action_name``, and the
        ``reward``, ``terminated`` and ``truncated`` that it led to; and ``state``, what the agent had been shown
        before it. The last picture of an episode has no action: its ``action`` and ``action_name`` are null, its
        reward is 0, and ``terminated`` and ``truncated`` tell how the episode ended.

        Args:
            task_specs: what to play.
            output_dir: a folder that is empty or not there yet.
            policy_fn: chooses the actions; by default each task's shortest plan is played.
            seed: the seed of every episode; by default each task's own.
            max_states: where the search for a plan gives up.

        Returns:
            The records, in the order of the file.

        Raises:
            InvalidTaskError: a task cannot be.
            NoPlanError: the solver has no plan for a task and no policy is given.
            DatasetError: the folder is not empty or cannot be written, or the backend does not observe pictures.
                Nothing has been written in these cases, unless writing itself fails.
        """
        return write_observation_dataset(
            self._backend, self.run_episode, task_specs, Path(output_dir), policy_fn, seed, max_states
        )

    def _play(self, task: TaskSpecification, policy: Callable[..., Any], seed: int | None) -> EpisodeResult:
        """Play until the episode ends or the policy has no further action."""
        backend, name = self._backend, backend_name(self._backend.name)
        seed = task.seed if seed is None else seed
        with blaming(name, "before the first step"):
            backend.configure(task)
            observation, state, _ = backend.reset(seed=seed)
            known, mission = backend.get_known_state(), backend.get_mission_text()
        trajectory: list[Transition] = []
        while not (state.terminated or state.truncated):
            action, policy_info = _split(policy(observation, known, mission))
            if action is Stop.STOP:
                break
            shown = observation if self._keep_observations else None
            with blaming(name, f"at step {state.step_count + 1}"):
                observation, reward, terminated, truncated, state, info = backend.step(action)
                known = backend.get_known_state()
            step = Transition(shown, action, reward, terminated, truncated, state, info["events"], policy_info)
            trajectory.append(step)
            if self._on_transition:
                self._on_transition(step)
        return _episode_result(task, seed, mission, state, tuple(trajectory))


def _split(choice: Any) -> tuple[Any, dict[str, Any]]:
    return choice if isinstance(choice, tuple) else (choice, {})


def _episode_result(
    task: TaskSpecification, seed: int, mission: str, state: GridState, trajectory: tuple[Transition, ...]
) -> EpisodeResult:
    return EpisodeResult(
        task_id=task.task_id,
        success=state.goal_reached,
        total_reward=sum(step.reward for step in trajectory),
        steps_taken=state.step_count,
        max_steps=state.max_steps,
        terminated=state.terminated,
        truncated=state.truncated,
        trajectory=trajectory,
        final_state=state,
        seed=seed,
        mission=mission,
    )
