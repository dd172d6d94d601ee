"""What certificates of tasks say and is not so, found by a search that shares no code with the solver."""

from collections.abc import Iterator, Sequence

import attrs

from gridworld.actions import Action
from gridworld.generation.certificate import Certificate
from gridworld.plugins.tilings import compile_on
from gridworld.task.validation import LABEL_DISTRACTOR
from gridworld.task_spec import TaskSpecification
from gridworld.world import Status, World
from gridworld.world.rules import transition
from plain_claims import can_come_first, can_do_without, can_lose_by_touching, quickest_touch
from plain_search import Explored, explore_plainly, explore_to_success

__all__ = ["PROVED", "TOO_LARGE", "UNTOUCHED", "refuted"]

PROVED, UNTOUCHED, TOO_LARGE = "proved", "touches not proved", "too large"
"""What a plain search can find out of a certificate: all; all but what comes of touching decoys; or nothing."""


def refuted(tiling: str, task: TaskSpecification, certificate: Certificate, max_states: int) -> tuple[str, list[str]]:
    """How much could be found out of what a certificate says of a tiling, and what of it is not so."""
    world, said = compile_on(tiling, task), _claims_of(certificate, tiling)
    wrong = [*_wrong_plan(world, said)]
    if said.needs_all_states:
        plain = explore_plainly(world, max_states)
        if plain is not None:
            wrong += [*_wrong_optimum(world, plain, said), *_wrong_touches(world, plain, said)]
            return PROVED, wrong
    plain = explore_to_success(world, max_states)
    if plain is None:
        return TOO_LARGE, wrong
    return UNTOUCHED if said.needs_all_states else PROVED, [*wrong, *_wrong_optimum(world, plain, said)]


@attrs.frozen
class _Claims:
    """What a certificate says of one tiling."""

    length: int
    plan: tuple[Action, ...]
    necessary: tuple[str, ...]
    safe: tuple[str, ...]
    lost_share: float | None
    """Of all states, those that are lost; None if they were not counted."""

    @property
    def needs_all_states(self) -> bool:
        """Whether something is said that states on the way to success do not tell."""
        return bool(self.safe) or self.lost_share is not None


def _claims_of(certificate: Certificate, tiling: str) -> _Claims:
    """What a certificate says of a tiling."""
    return _Claims(
        certificate.optimal_length[tiling],
        certificate.plan[tiling],
        certificate.necessary[tiling],
        certificate.safe[tiling],
        certificate.difficulty[tiling].irreversibility,
    )


def _wrong_plan(world: World, said: _Claims) -> Iterator[str]:
    """Play the plan: it has to win with its last action."""
    state = world.start
    for action in said.plan:
        if state.status != Status.RUNNING:
            yield "the plan goes on after its end"
            return
        state, _ = transition(world, state, action)
    if state.status != Status.SUCCEEDED:
        yield "the plan does not win"
    if len(said.plan) != said.length:
        yield f"the plan has {len(said.plan)} actions, and says {said.length}"


def _wrong_optimum(world: World, plain: Explored, said: _Claims) -> Iterator[str]:
    """What is said of shortest plans, and of what they need, and is not so."""
    if plain.length == said.length:
        yield from _wrong_chain(world, plain, said.necessary)
        yield from _wrong_distractors(world, plain, said.safe)
    else:
        yield f"won by {plain.length} actions, and says {said.length}"


def _wrong_chain(world: World, plain: Explored, necessary: Sequence[str]) -> Iterator[str]:
    chain = world.task.dependency_chain
    steps = chain.sequence if chain else ()
    opened_by = {step.unlocks: step.element for step in reversed(steps) if step.unlocks in world.by_id}
    if {*necessary} != {*opened_by, *(step.element for step in steps)}:
        yield f"{necessary} are not all of the chain"
    for name in necessary:
        if can_do_without(world, plain, world.by_id[name].index):
            yield f"'{name}' is not necessary"
    for barrier, opener in opened_by.items():
        if can_come_first(world, plain, world.by_id[barrier].index, world.by_id[opener].index):
            yield f"'{barrier}' need not wait for '{opener}'"


def _wrong_distractors(world: World, plain: Explored, safe: Sequence[str]) -> Iterator[str]:
    if {*safe} != {each.element_id for each in world.task.distractors if each.type != LABEL_DISTRACTOR}:
        yield f"{safe} are not all of the distractors"
    for name in safe:
        if not can_do_without(world, plain, world.by_id[name].index):
            yield f"'{name}' is no distractor"


def _wrong_touches(world: World, plain: Explored, said: _Claims) -> Iterator[str]:
    """What is said of how the task is lost, and is not so."""
    lost_share = len(plain.lost) / len(plain.states)
    if said.lost_share is not None and not world.goal_type.timed and abs(said.lost_share - lost_share) > 1e-12:
        yield f"of all states {lost_share} are lost, and says {said.lost_share}"
    for name in said.safe:
        entity = world.by_id[name].index
        touch = quickest_touch(world, plain, entity)
        if said.lost_share is not None and can_lose_by_touching(world, plain, entity):
            yield f"'{name}' is not safe: touching it can lose the task"
        elif touch is not None and plain.distance[touch] is None:
            yield f"'{name}' is not safe: its quickest touch loses the task"
