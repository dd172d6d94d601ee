"""Infer the causes of errors (acting, seeing or planning) from a model's transcriptions, intentions and actions.

With T the transcription, P the intended actions, a the action and A*(x) all optimal first actions in x, a wrong action
(not in A*(s)) gets the first cause that fits: *acting* if P's first is in A*(s); *seeing* if it is in A*(T); *planning*
if A*(T) = A*(s); *undetermined* otherwise, or if T is not a valid, solvable board.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from enum import StrEnum
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE, Action
from gridworld.model_interface import AnswerFault, AnswerOutcome
from gridworld.model_interface.answers import read_action, read_object
from gridworld.solver.plans import Verdict
from gridworld.solver.search import TaskSearches
from gridworld.solver.spaces import state_key, unbudgeted
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.topology import Topology
from gridworld.world.world import World
from multinet_eval.probing.probe import Unreadable
from multinet_eval.probing.transcription import ImpossibleError, imagine, read_transcription


class UnknownDistanceError(Exception):
    """The solver gave up."""


class FirstActions:
    """Optimal actions in states of a world, ignoring the step budget.

    Args:
        world: the compiled task.
        max_states: maximum number of states per search.
    """

    def __init__(self, world: World, max_states: int) -> None:
        self.world = world
        self._searches = TaskSearches(world, max_states)
        self._unbudgeted = unbudgeted(world)
        self._known: dict[Hashable, int | None] = {}

    def distance(self, state: State) -> int | None:
        """Return the fewest actions to success from a state; None if it is impossible.

        Raises:
            UnknownDistanceError: the solver gave up.
        """
        if state.status != Status.RUNNING:
            return 0 if state.status == Status.SUCCEEDED else None
        key = state_key(self.world, state)
        if key not in self._known:
            self._search(state)
        return self._known[key]

    def of(self, state: State) -> frozenset[Action]:
        """Return all actions that begin a shortest plan; empty without a plan. Raises as `distance` does."""
        best = self.distance(state)
        if best is None:
            return frozenset()
        return frozenset(action for action in Action if self.distance_after(state, action) == best - 1)

    def distance_after(self, state: State, action: int) -> int | None:
        """Return the distance after an action; raises as `distance` does."""
        return self.distance(transition(self._unbudgeted, state, action)[0])

    def _search(self, state: State) -> None:
        """Record the distance of a state and of the states along its plan, if any."""
        solution = self._searches.from_state(state)
        if solution.verdict is Verdict.GAVE_UP:
            raise UnknownDistanceError
        if solution.plan is None:
            self._known[state_key(self.world, state)] = None
            return
        for left, action in zip(range(len(solution.plan), 0, -1), solution.plan, strict=True):
            self._known[state_key(self.world, state)] = left
            state, _ = transition(self._unbudgeted, state, action)


class Cause(StrEnum):
    """Verdict on an action."""

    RIGHT = "right"
    """The action begins a shortest plan."""
    ACTING = "acting"
    """The intended action is right, but another one was taken."""
    SEEING = "seeing"
    """The intended action is right on the board as transcribed."""
    PLANNING = "planning"
    """The board as transcribed allows only the right actions, but another one was intended."""
    UNDETERMINED = "undetermined"
    HOPELESS = "hopeless"
    """Success is impossible, so no action is right or wrong."""
    UNKNOWN = "unknown"
    """The solver gave up."""
    LOST = "lost"
    """No answer was usable, so no action was taken."""


@attrs.frozen
class DiagnosedReply:
    """A model's reply at a step."""

    said: Mapping[str, Any]
    """The complete JSON object: the transcription, ``plan`` and ``action``."""
    action: int
    intended: int | None
    """The first intended action; None if it cannot be read."""


@attrs.frozen
class Diagnosed:
    """An action and its diagnosis."""

    cause: Cause
    penalized_regret: float = 0.0
    """Penalized regret, 1 + d(s') - d(s): the number of additional actions compared with an optimal one.

    At least 1 for a wrong action. If success becomes impossible, d(s') is the remaining budget; the metric
    ``regret_total`` ignores such actions.
    """
    fatal: bool = False
    """Whether success became impossible."""


def read_reply(text: str) -> DiagnosedReply:
    """Parse a reply.

    Raises:
        AnswerFault: the form is wrong or the action is missing (`UNPARSABLE`), or the action is not one of the seven
            (`ILLEGAL`).
    """
    said = read_object(text.strip())
    if said is None or "action" not in said:
        raise AnswerFault(AnswerOutcome.UNPARSABLE, 'expected a JSON object with an "action"')
    action = read_action(said["action"], ACTION_SPACE)
    plan = said.get("plan")
    return DiagnosedReply(said, action, _first(plan) if isinstance(plan, list) else None)


def _first(plan: list[Any]) -> int | None:
    try:
        return read_action(plan[0], ACTION_SPACE) if plan else None
    except AnswerFault:
        return None


class Diagnostician:
    """Diagnoses the actions of one task.

    Args:
        world: the compiled task, fully observable.
        lay_out: returns the topology for a task, on the same tiling.
        max_states: maximum number of states per search.
    """

    def __init__(self, world: World, lay_out: Callable[[TaskSpecification], Topology], max_states: int) -> None:
        self.world = world
        self._lay_out = lay_out
        self._max_states = max_states
        self._true = FirstActions(world, max_states)

    def diagnose(self, state: State, reply: DiagnosedReply) -> Diagnosed:
        """Diagnose the action of a reply in a state, whose step count includes lost steps."""
        try:
            best = self._true.of(state)
            if not best:
                return Diagnosed(Cause.HOPELESS)
            if reply.action in best:
                return Diagnosed(Cause.RIGHT)
            regret, fatal = self._penalized_regret(state, reply.action)
        except UnknownDistanceError:
            return Diagnosed(Cause.UNKNOWN)
        return Diagnosed(self._cause(state, reply, best), regret, fatal)

    def _penalized_regret(self, state: State, action: int) -> tuple[float, bool]:
        before, after = self._true.distance(state), self._true.distance_after(state, action)
        assert before is not None
        left = self.world.max_steps - state.steps
        return max(1.0, 1.0 + (left if after is None else after) - before), after is None

    def _cause(self, state: State, reply: DiagnosedReply, best: frozenset[Action]) -> Cause:
        if reply.intended in best:
            return Cause.ACTING
        try:
            world, moment = imagine(self.world, state, read_transcription(reply.said), self._lay_out)
            seen = FirstActions(world, self._max_states).of(moment)
        except (Unreadable, ImpossibleError, UnknownDistanceError):
            return Cause.UNDETERMINED
        if not seen:
            return Cause.UNDETERMINED
        if reply.intended in seen:
            return Cause.SEEING
        return Cause.PLANNING if seen == best else Cause.UNDETERMINED
