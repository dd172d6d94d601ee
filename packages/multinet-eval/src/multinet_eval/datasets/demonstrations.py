"""Demonstrations: episodes played from a plan, kept step by step for others to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import UnseenBackend
from gridworld.errors import GridworldError
from gridworld.plugins import get_registry
from gridworld.plugins.faults import backend_name
from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.runner.record import Decision, Step
from gridworld.runner.rollout import Rollout, kernel_of
from gridworld.solver import DEFAULT_MAX_STATES
from gridworld.solver.plans import NoPlanError, WithoutPlan, refuse_without_plan, winning_plan
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification

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
        InvalidTaskError: a task is invalid.
        NoPlanError: the solver has no plan for a task.
        DemonstrationError: `plans` are given, but none, or an empty one, for a task; or none are given, and the
            backend is not built on the kernel.
        InvalidAction: a plan has an action outside the seven.
        UnknownNameError: no backend is given and the MiniGrid backend is not installed.
    """
    backend = backend or _symbolic_backend()
    demonstrations = []
    for task in tasks:
        rollout = Rollout(backend, task)
        plan = _shortest_plan(backend, max_states) if plans is None else _given_plan(plans, task)
        demonstrations.append(_play(rollout, plan))
    return demonstrations


def plan_demonstrations(
    tasks: Iterable[TaskSpecification],
    tiling: str,
    max_states: int = DEFAULT_MAX_STATES,
    without_plan: WithoutPlan = refuse_without_plan,
) -> list[Demonstration]:
    """Play each task's shortest plan on a tiling without observing anything, for exports that observe for themselves.

    Args:
        tasks: what to play.
        tiling: the tiling to play them on.
        max_states: where the solver gives up.
        without_plan: is told of each task without a plan, which is then left out; by default it raises what it is told.

    Raises:
        UnknownNameError: no installed plugin provides the tiling.
        InvalidTaskError: a task is invalid.
        NoPlanError: the solver has no plan for a task, and nothing else is done `without_plan`.
    """
    found = find_tiling(tiling)
    demonstrations = list[Demonstration]()
    for task in tasks:
        try:
            demonstrations += make_demonstrations([task], UnseenBackend(lay_out(found, task)), max_states=max_states)
        except NoPlanError as error:
            without_plan(error)
    return demonstrations


def _shortest_plan(backend: AbstractGridBackend, max_states: int) -> Plan:
    kernel = kernel_of(backend)
    if kernel is None:
        raise DemonstrationError(f"{backend_name(backend.name)} has no solver to plan with: give plans")
    return winning_plan(kernel.world, max_states)


def _symbolic_backend() -> AbstractGridBackend:
    backend: AbstractGridBackend = load_object(get_registry().backends.get("minigrid").target)(render_mode=None)
    return backend


def _given_plan(plans: Mapping[str, Plan], task: TaskSpecification) -> Plan:
    plan = plans.get(task.task_id, ())
    if not plan:
        raise DemonstrationError(f"no actions are given for the task '{task.task_id}'")
    return plan


def _play(rollout: Rollout, plan: Plan) -> Demonstration:
    observations, infos, steps = [rollout.observation], [rollout.info], list[Step]()
    for action in plan:
        steps.append(rollout.take(Decision.act(action)))
        observations.append(rollout.observation)
        infos.append(rollout.info)
        if rollout.question is None:
            break
    return Demonstration(
        task=rollout.task,
        seed=rollout.header.seed,
        mission=rollout.header.mission,
        actions=tuple(step.action for step in steps if step.action is not None),
        rewards=tuple(step.reward for step in steps),
        terminations=tuple(step.terminated for step in steps),
        truncations=tuple(step.truncated for step in steps),
        observations=tuple(observations),
        infos=tuple(infos),
        success=rollout.state.goal_reached,
    )
