"""Episodes as metrics are given them, played by the kernel alone."""

from collections.abc import Iterable

from gridworld.actions import Action
from gridworld.runner.record import DecisionKind, EndReason, EpisodeEnd, EpisodeHeader, Step
from gridworld.solver import StateTable
from gridworld.world import World
from gridworld.world.rules import transition
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.known_tasks import KnownTask

__all__ = ["analysed", "best_from"]


def analysed(world: World, actions: Iterable[int | None], known: KnownTask | None = None) -> EpisodeAnalysis:
    """The episode of some actions, None for a lost step; what comes after its end is left out."""
    state, steps = world.start, list[Step]()
    for action in actions:
        if world.is_over(state) or len(steps) == world.max_steps:
            break
        if action is None:
            steps.append(Step(len(steps) + 1, DecisionKind.LOST))
            continue
        state, events = transition(world, state, action)
        steps.append(Step(len(steps) + 1, DecisionKind.ACTION, action, terminated=bool(state.status), events=events))
    reasons = {0: EndReason.BUDGET if len(steps) == world.max_steps else EndReason.STOPPED}
    reason = {**reasons, 1: EndReason.GOAL, 2: EndReason.DEATH}[state.status]
    header = EpisodeHeader(world.task.task_id, 1, 1, world.max_steps)
    return EpisodeAnalysis(world.task, header, tuple(steps), EpisodeEnd(reason), known or KnownTask(world))


def best_from(table: StateTable, number: int) -> list[Action]:
    """A shortest plan from a state that can be won."""
    plan = []
    while number >= 0:
        action = int(table.optimal[number].argmax())
        plan.append(Action(action))
        number = int(table.successor[number, action])
    return plan
