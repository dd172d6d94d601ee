"""Demonstrations: episodes played from a plan, kept step by step for others to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import GridworldError
from gridworld.plugin_types import load_object
from gridworld.plugins import get_registry
from gridworld.solver import DEFAULT_MAX_STATES
from gridworld.solver.plans import winning_plan
from gridworld.task_spec import TaskSpecification

__all__ = ["Demonstration", "DemonstrationError", "make_demonstrations"]

Plan = Sequence[int]


class DemonstrationError(GridworldError):
    """A demonstration that cannot be made or exported."""


@attrs.frozen(eq=False)
class Demonstration:
    """One played episode.

    `observations` and `infos` have one entry more than the other sequences: the first is what `reset` gave, entry
    ``i + 1`` is what action ``i`` led to.
    """

    task: TaskSpecification
    seed: int
    mission: str
    actions: tuple[int, ...]
    rewards: tuple[float, ...]
    terminations: tuple[bool, ...]
    truncations: tuple[bool, ...]
    observations: tuple[Any, ...]
    infos: tuple[dict[str, Any], ...]
    success: bool

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary, without what was observed: the task's file and the actions give that again."""
        return {
            "task_id": self.task.task_id,
            "seed": self.seed,
            "mission": self.mission,
            "success": self.success,
            "actions": list(self.actions),
            "action_names": [ACTION_SPACE[action] for action in self.actions],
            "rewards": list(self.rewards),
            "terminations": list(self.terminations),
            "truncations": list(self.truncations),
            "task": self.task.to_dict(),
        }


def make_demonstrations(
    tasks: Iterable[TaskSpecification],
    backend: AbstractGridBackend | None = None,
    plans: Mapping[str, Plan] | None = None,
    max_states: int = DEFAULT_MAX_STATES,
) -> list[Demonstration]:
    """Play a plan of each task, in order.

    Args:
        tasks: what to play.
        backend: where to play; by default the MiniGrid backend without pictures, whose ``infos`` hold MiniGrid's
            symbolic observations (``symbolic``).
        plans: task id to the actions to play, as many of them as the episode lasts; by default each task's shortest
            plan.
        max_states: where the solver gives up.

    Raises:
        InvalidTaskError: a task cannot be.
        NoPlanError: the solver has no plan for a task.
        DemonstrationError: `plans` are given, but none, or an empty one, for a task.
        InvalidAction: a plan has an action outside the seven.
        UnknownNameError: no backend is given and the MiniGrid backend is not installed.
    """
    backend = backend or _symbolic_backend()
    demonstrations = []
    for task in tasks:
        backend.configure(task)
        plan = winning_plan(backend.world, max_states) if plans is None else _given_plan(plans, task)
        demonstrations.append(_play(backend, task, plan))
    return demonstrations


def _symbolic_backend() -> AbstractGridBackend:
    backend: AbstractGridBackend = load_object(get_registry().backends.get("minigrid").target)(render_mode=None)
    return backend


def _given_plan(plans: Mapping[str, Plan], task: TaskSpecification) -> Plan:
    plan = plans.get(task.task_id, ())
    if not plan:
        raise DemonstrationError(f"no actions are given for the task '{task.task_id}'")
    return plan


def _play(backend: AbstractGridBackend, task: TaskSpecification, plan: Plan) -> Demonstration:
    observation, state, info = backend.reset(seed=task.seed)
    observations, infos, outcomes = [observation], [info], []
    for action in plan:
        observation, reward, terminated, truncated, state, info = backend.step(action)
        observations.append(observation)
        infos.append(info)
        outcomes.append((int(action), float(reward), terminated, truncated))
        if terminated or truncated:
            break
    actions, rewards, terminations, truncations = zip(*outcomes, strict=True)
    return Demonstration(
        task=task,
        seed=task.seed,
        mission=backend.get_mission_text(),
        actions=actions,
        rewards=rewards,
        terminations=terminations,
        truncations=truncations,
        observations=tuple(observations),
        infos=tuple(infos),
        success=state.goal_reached,
    )
