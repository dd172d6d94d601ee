"""`OptimalModel`: the upper baseline, which plays the solver's shortest plan."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from gridworld.actions import Action
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelOutput, OracleInterface, ReplyForm
from gridworld.solver.plans import DEFAULT_MAX_STATES, optimal_solution
from gridworld.solver.search import solve
from gridworld.solver.spaces import state_key, unbudgeted
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

if TYPE_CHECKING:
    from gridworld.model_interface.steps import Step


class OptimalModel(OracleInterface):
    """Plays a shortest plan from the current state; waits if the solver finds none.

    Args:
        max_states: state limit of each search.
    """

    def __init__(self, max_states: int = DEFAULT_MAX_STATES) -> None:
        self._max_states = max_states
        self._actions: dict[Hashable, Action] = {}
        """Action in each state on the plans so far, by state key."""
        self._hopeless = False

    @property
    def model_name(self) -> str:
        """Name of the model, ``optimal``."""
        return "optimal"

    @property
    def looks_at_pictures(self) -> bool:
        """Whether a subclass overrides `predict`; this model itself uses no pictures."""
        return type(self).predict is not OptimalModel.predict

    def look_into(self, world: World) -> None:
        """Start a task."""
        self._world, self._state = world, world.start
        self._actions = {}
        self._hopeless = False

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Observe the recorded states, so that the interrupted plan is continued."""
        replay_observations(self, self._world, steps)
        return True

    def observe(self, state: State) -> None:
        """Solve the task from this state, unless an earlier plan leads through it or the task is hopeless."""
        key = state_key(self._world, state)
        if key not in self._actions and not self._hopeless:
            self._plan_from(state)
        self._state = state

    def can_reply(self, form: ReplyForm) -> bool:
        """Return True: the model can reply with any number of actions."""
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Return the planned action in the last observed state, and the following ones if several are requested."""
        if input.reply.holds_one_action:
            return ModelOutput(action=self._action(self._state), reasoning=self._reasoning())
        most = input.max_steps - input.step_number
        actions = tuple(self._rest_of_plan(min(most, input.reply.max_actions or most)))
        return ModelOutput(
            actions[0], reasoning=self._reasoning(), actions=actions, subgoal="to win by a shortest plan"
        )

    def _action(self, state: State) -> Action:
        return self._actions.get(state_key(self._world, state), Action.DONE)

    def _reasoning(self) -> str | None:
        return None if state_key(self._world, self._state) in self._actions else "no plan"

    def _rest_of_plan(self, most: int) -> Iterator[Action]:
        """Yield actions from the last observed state to the end of the episode: at least one, at most `most`."""
        state = self._state
        for _ in range(max(1, most)):
            action = self._action(state)
            yield action
            state, _ = transition(self._world, state, action)
            if state.status != Status.RUNNING:
                return

    def _plan_from(self, state: State) -> None:
        at_start = state == self._world.start
        known = optimal_solution(self._world, self._max_states) if at_start else None
        plan = (known or solve(self._world, self._max_states, state)).plan
        self._hopeless = plan is None
        unbudgeted_world = unbudgeted(self._world)
        for action in plan or ():
            self._actions[state_key(self._world, state)] = action
            state, _ = transition(unbudgeted_world, state, action)


def replay_observations(oracle: OracleInterface, world: World, steps: Sequence[Step]) -> None:
    """Show an oracle, which knows the world, the state before each recorded step."""
    state = world.start
    for step in steps:
        oracle.observe(state)
        if step.action is not None:
            state, _ = transition(world, state, step.action)
