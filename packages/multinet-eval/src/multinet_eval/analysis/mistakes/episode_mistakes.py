"""Mistakes of an episode, the decisive one, and how the episode ended.

A mistake is a step, taken while success is possible, that wastes steps: one after which the shortest way to success is
longer than it had to be (regret above 0), one after which success is impossible whatever the budget (a losing step), or
one without an action. A losing step and one without an action waste 1, others their regret.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise, repeat

import attrs

from gridworld.runner.record import DecisionKind, EndReason, Step
from gridworld.world.events import cells_entered
from gridworld.world.knowledge import EVERYTHING_SHOWN, Snapshot, first_snapshot, observe
from gridworld.world.world import Entity
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.mistakes.needs import AFTERMATH, EXPLORED, MistakeKind

GOAL = "goal"
"""Noun for what plans without a further interaction lead to."""


class Ending(StrEnum):
    """End of an episode, as one word; of several that apply, the first."""

    SOLVED = "solved"
    DIED = "died"
    LOST = "lost"
    """Success had become impossible, whatever the budget."""
    UNANSWERED = "unanswered"
    """More than half of the steps had no action, or the episode ended for lack of a usable answer."""
    STOPPED = "stopped"
    """The model had no more actions, or a fault ended the episode."""
    CIRCLING = "circling"
    """No progress in the last third of the steps, and a state entered three times by moves meanwhile."""
    STUCK = "stuck"
    """No progress in the last third of the steps."""
    APPROACHING = "out of steps"
    """The budget was used up while the agent came nearer."""
    UNKNOWN = "unknown"
    """The distances to success are unknown."""


@attrs.frozen
class Mistake:
    """A step that wasted something."""

    step: int
    """Number of the step, from 1."""
    kind: MistakeKind
    wasted: int
    """Number of steps wasted, 1 or more."""
    is_losing: bool
    """Whether success was impossible after the step."""
    towards: str
    """Noun of the entity of the next interaction on a shortest plan, or `GOAL`."""
    towards_id: str | None
    """Id of that entity; None for the goal."""


@attrs.frozen
class MistakeCount:
    """Mistakes of one kind towards one kind of thing in an episode."""

    kind: MistakeKind
    towards: str
    """Noun of the entity of the next interaction on a shortest plan, or `GOAL`."""
    steps: int
    wasted: int
    """Number of steps wasted."""


@attrs.frozen
class EpisodeMistakes:
    """Mistakes of an episode by kind, and how it ended."""

    ending: Ending
    counts: tuple[MistakeCount, ...]
    """Mistakes by kind and by what the plan led to, in the order in which they first occurred."""
    is_known: bool
    """Whether distances are known; if not, so are neither mistakes nor wasted steps."""
    decisive: MistakeKind | None
    """Kind of the decisive mistake of a failed episode.

    None for a success, if distances are unknown, and without mistakes.
    """
    decisive_step: int | None
    """Number of the losing step, or of the first decisive mistake since the distance last reached a new minimum."""

    @property
    def wasted_steps(self) -> int | None:
        """Number of steps wasted by mistakes and by exploring; None if distances are unknown."""
        return sum(each.wasted for each in self.counts) if self.is_known else None

    @classmethod
    def of(cls, episode: EpisodeAnalysis) -> EpisodeMistakes:
        """Find the mistakes of a finished episode.

        Raises:
            DivergedError: replaying gives other states than recorded.
        """
        mistakes = find_mistakes(episode)
        ending = ending_of(episode)
        counts: dict[tuple[MistakeKind, str], list[int]] = {}
        for each in mistakes:
            counts.setdefault((each.kind, each.towards), []).append(each.wasted)
        decisive = None if ending is Ending.SOLVED else _decisive(episode, mistakes)
        return cls(
            ending=ending,
            counts=tuple(MistakeCount(*key, len(wasted), sum(wasted)) for key, wasted in counts.items()),
            is_known=episode.distances is not None,
            decisive=None if decisive is None else decisive.kind,
            decisive_step=None if decisive is None else decisive.step,
        )


def find_mistakes(episode: EpisodeAnalysis) -> list[Mistake]:
    """List the mistakes of an episode and its exploring steps, in order; none if distances are unknown.

    Raises:
        DivergedError: replaying gives other states than recorded.
    """
    numbers, distances, regrets = episode.numbers, episode.distances, episode.regrets
    if episode.known is None or numbers is None or distances is None or regrets is None:
        return []
    needs, found, erred = episode.known.needs, list[Mistake](), False
    has_replies = any(step.requests for step in episode.taken)
    sights = zip(episode.taken, regrets, pairwise(_seen(episode)), strict=False)
    for moment, (step, regret, (seen, later)) in enumerate(sights):
        if distances[moment] == math.inf:
            break
        erred = erred and has_replies and not step.requests
        if regret == 0:
            continue
        number, is_losing = numbers[moment], regret is None
        is_exploring = (
            step.action is not None and not is_losing and seen is not None and needs.are_unseen(number, *seen)
        )
        if erred and not is_losing:
            kind = AFTERMATH
        elif is_exploring and (seen != later or _has_moved(step)):
            kind = EXPLORED
        else:
            kind = needs.kind(number, step.action, regret == 1, is_exploring)
            if is_losing and seen is not None and step.action is not None:
                kind = _with_unseen(kind, needs.died_on(number, step.action), seen[1])
        thing = needs.at(number).towards
        towards = (GOAL, None) if thing is None else (thing.type.noun, thing.id)
        found.append(Mistake(step.number, kind, 1 if regret is None else int(regret), is_losing, *towards))
        erred = erred or kind != EXPLORED
    return found


def _with_unseen(kind: MistakeKind, died_on: Entity | None, seen: frozenset[int]) -> MistakeKind:
    """Say of a kind that ended the episode if the agent had not seen on what it died."""
    if died_on is None or died_on.index in seen:
        return kind
    return attrs.evolve(kind, did=attrs.evolve(kind.did, noun=f"unseen {kind.did.noun}"))


def _has_moved(step: Step) -> bool:
    return bool(cells_entered(step.events))


def _seen(episode: EpisodeAnalysis) -> Iterator[tuple[frozenset[int], frozenset[int]] | None]:
    """Yield the cells and the entities seen up to each moment, by index; None again and again if nothing is unseen."""
    world = None if episode.known is None else episode.known.world
    if world is None or (world.task.rules.observability == EVERYTHING_SHOWN and not world.hidden):
        yield from repeat(None)
        return
    states, numbers = episode.states or (), episode.numbers or ()
    snapshot, entities = first_snapshot(world), frozenset[int]()
    for moment, state in enumerate(states):
        if moment and numbers[moment] == numbers[moment - 1]:
            yield snapshot.knowledge.explored, entities
            continue
        if moment:
            snapshot = Snapshot(state, observe(world, snapshot, state))
        visible = snapshot.knowledge.visible
        new = [
            entity.index
            for entity in world.entities
            if entity.index not in entities
            and not world.is_hidden(state, entity.index)
            and not visible.isdisjoint(world.cells_of(state, entity))
        ]
        entities = entities.union(new) if new else entities
        yield snapshot.knowledge.explored, entities


def ending_of(episode: EpisodeAnalysis) -> Ending:
    """Say how a finished episode ended.

    Raises:
        DivergedError: replaying gives other states than recorded.
    """
    reason, distances, steps = episode.end.reason, episode.distances, len(episode.taken)
    lost = sum(step.kind is DecisionKind.LOST for step in episode.taken)
    if reason in (EndReason.GOAL, EndReason.DEATH):
        return Ending.SOLVED if reason is EndReason.GOAL else Ending.DIED
    if distances is not None and distances[-1] == math.inf:
        return Ending.LOST
    if reason is EndReason.ANSWER or 2 * lost > steps:
        return Ending.UNANSWERED
    if reason is not EndReason.BUDGET:
        return Ending.STOPPED
    if distances is None:
        return Ending.UNKNOWN
    last = _last_progress(distances)
    if 3 * last > 2 * steps:
        return Ending.APPROACHING
    numbers = episode.numbers or ()
    moves = [numbers[moment + 1] for moment, step in enumerate(episode.taken) if moment >= last and _has_moved(step)]
    return Ending.CIRCLING if max(Counter(moves).values(), default=0) >= 3 else Ending.STUCK


def _last_progress(distances: Sequence[float]) -> int:
    """Return the moment at which the distance last reached a new minimum."""
    return distances.index(min(distances))


def _decisive(episode: EpisodeAnalysis, mistakes: Sequence[Mistake]) -> Mistake | None:
    """Return the losing step, or the first mistake of the commonest kind since there was progress, or else of all."""
    if mistakes and mistakes[-1].is_losing:
        return mistakes[-1]
    ranked = [each for each in mistakes if each.kind.is_ranked]
    last = _last_progress(episode.distances or (0,))
    since = [each for each in ranked if each.step > last] or ranked
    counts = Counter(each.kind for each in since)
    return min(since, key=lambda each: (-counts[each.kind], each.kind), default=None)
