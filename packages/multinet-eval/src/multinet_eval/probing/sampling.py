"""Choosing the moments of a task that are asked about: along a shortest plan, and along a random walk."""

from __future__ import annotations

import random
from collections.abc import Sequence

from gridworld.actions import ACTION_SPACE, Action
from gridworld.errors import ArgumentError
from gridworld.plugins.faults import backend_name
from gridworld.runner.rollout import kernel_of
from gridworld.solver import DEFAULT_MAX_STATES
from gridworld.solver.plans import NoPlanError, winning_plan
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import transition
from gridworld.world.world import World
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.probing.probe import Scene

OPTIMAL = "optimal"
"""The walk along a shortest plan."""
RANDOM = "random"
"""The walk of random actions."""
WALKED = 30
"""The most steps of a random walk."""


def sample_scenes(
    runner: EpisodeFactory,
    task: TaskSpecification,
    tiling: str | None,
    count: int,
    seed: int,
    max_states: int = DEFAULT_MAX_STATES,
) -> list[Scene]:
    """Moments of a task, in order, no two of them of the same state.

    Half of them, rounded up, lie along a shortest plan if there is one, the others along a walk of random actions that
    have an effect; where on them is drawn by chance.

    Args:
        runner: shows the task.
        task: the task.
        tiling: the tiling that was asked for.
        count: how many, at least 1; there are fewer where the walks are short.
        seed: decides what is drawn, together with the task's id and the tiling.
        max_states: where the solver gives up.

    Raises:
        ArgumentError: the backend is not built on the kernel.
    """
    kernel = kernel_of(runner.backend)
    if kernel is None:
        raise ArgumentError(
            f"{backend_name(runner.backend.name)} is not built on the kernel, so it is not known what it shows: "
            "choose another --backend"
        )
    kernel.configure(task)
    world = kernel.world
    try:
        plan: Sequence[Action] = winning_plan(world, max_states)
    except NoPlanError:
        plan = ()
    scenes: list[Scene] = []
    for walk in (OPTIMAL, RANDOM):
        dice = random.Random(f"{seed}/{task.task_id}/{tiling}/{walk}")
        actions = _random_walk(world, dice) if walk == RANDOM else plan
        wanted = count - len(scenes) if walk == RANDOM else (count + 1) // 2
        met = {scene.state.key for scene in scenes}
        passed = []
        for step, question in enumerate(runner.questions_along(task, actions)):
            assert question.snapshot is not None
            if question.snapshot.state.key not in met:
                met.add(question.snapshot.state.key)
                passed.append(Scene(kernel.world, question.snapshot, question.input, tiling, walk, step))
        scenes += sorted(dice.sample(passed, min(wanted, len(passed))), key=lambda scene: scene.step)
    return scenes


def _random_walk(world: World, dice: random.Random) -> list[Action]:
    """Random actions that have an effect, up to the one that ends the episode."""
    state, actions = world.start, list[Action]()
    while len(actions) < WALKED and not world.is_over(state):
        outcomes = [(Action(action), *transition(world, state, action)) for action in ACTION_SPACE]
        action, state, _ = dice.choice([each for each in outcomes if each[2] and each[2][0].effective])
        actions.append(action)
    return actions
