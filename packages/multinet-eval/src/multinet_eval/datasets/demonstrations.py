"""Demonstrations: episodes that follow a plan, recorded step by step."""

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
    """A demonstration cannot be made or exported."""


@attrs.frozen(eq=False)
class Demonstration:
    """One demonstrated episode.

    `observations` has one entry more than the other sequences: entry 0 is from `reset`, entry ``i + 1`` from action
    ``i``.
    """

    task: TaskSpecification
    seed: int
    mission: str
    actions: tuple[int, ...]
    rewards: tuple[float, ...]
    terminations: tuple[bool, ...]
    truncations: tuple[bool, ...]
    observations: tuple[Any, ...]
    success: bool

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary without observations, which the task and the actions reproduce."""
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
        tasks: the tasks.
        backend: the backend that observes; by default the observations are MiniGrid's symbolic ones.
        plans: actions by task id, played until the episode ends; by default each task's shortest plan.
        max_states: state limit of the solver.

    Raises:
        InvalidTaskError: a task is invalid.
        NoPlanError: the solver has no plan for a task.
        DemonstrationError: `plans` lacks a task or has an empty plan; or the backend is not built on the kernel and no
            plans are given.
        InvalidAction: a plan has an action outside the seven.
        UnknownNameError: no backend is given and the MiniGrid backend is not installed.
    """
    symbolic: Any = None if backend else load_object(get_registry().backends.get("minigrid").target)(render_mode=None)
    demonstrations = []
    for task in tasks:
        rollout = Rollout(backend or symbolic, task)
        plan = _shortest_plan(rollout.backend, max_states) if plans is None else _given_plan(plans, task)
        demonstrations.append(_play(rollout, plan, symbolic))
    return demonstrations


def plan_demonstrations(
    tasks: Iterable[TaskSpecification],
    tiling: str,
    max_states: int = DEFAULT_MAX_STATES,
    without_plan: WithoutPlan = refuse_without_plan,
) -> list[Demonstration]:
    """Play each task's shortest plan on a tiling without observations, for exports that make their own.

    Args:
        tasks: the tasks.
        tiling: the tiling.
        max_states: state limit of the solver.
        without_plan: called with the error of each task without a plan, which is then skipped; the default raises it.

    Raises:
        UnknownNameError: no installed plugin provides the tiling.
        InvalidTaskError: a task is invalid.
        NoPlanError: the solver has no plan for a task.
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
        raise DemonstrationError(f"{backend_name(backend.name)} has no solver to plan with: pass plans")
    return winning_plan(kernel.world, max_states)


def _given_plan(plans: Mapping[str, Plan], task: TaskSpecification) -> Plan:
    plan = plans.get(task.task_id, ())
    if not plan:
        raise DemonstrationError(f"no actions are given for the task '{task.task_id}'")
    return plan


def _play(rollout: Rollout, plan: Plan, symbolic: Any) -> Demonstration:
    """Play a plan; if the MiniGrid backend `symbolic` is given, with its symbolic observations."""

    def observe() -> Any:
        return rollout.observation if symbolic is None else symbolic.env.gen_obs()

    observations, steps = [observe()], list[Step]()
    for action in plan:
        steps.append(rollout.take(Decision.act(action)))
        observations.append(observe())
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
        success=rollout.state.goal_reached,
    )
