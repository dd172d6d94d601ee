"""A scripted model for rehearsals of studies: it plans, and errs in known ways.

multinet experiment run examples/studies/order.toml --plugin examples/studies/scripted.py -o order
"""

from __future__ import annotations

import random
from collections import deque

from gridworld.hookspecs import Action, ModelInfo
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelOutput, OracleInterface
from gridworld.solver import OptimalModel
from gridworld.world import State, Status, World, transition

MOVES = (Action.MOVE_FORWARD, Action.TURN_LEFT, Action.TURN_RIGHT)


class Scripted(OracleInterface):
    """Follows a shortest plan, except for a share of its steps, which are random moves and turns.

    Args:
        slip: share of random steps.
        slip_after_key: share of random steps once a key has been used up or is carried, if it is another.
        walks_around: take a way without mechanisms if there is one.
        seed: of the random steps.
    """

    def __init__(
        self, slip: float = 0.0, slip_after_key: float | None = None, walks_around: bool = False, seed: int = 1
    ) -> None:
        self._slip = slip
        self._slip_after_key = slip if slip_after_key is None else slip_after_key
        self._walks_around = walks_around
        self._seed = seed
        self._planner = OptimalModel()

    @property
    def model_name(self) -> str:
        """Name of the model."""
        return "scripted"

    @property
    def looks_at_pictures(self) -> bool:
        """False: it knows the world."""
        return False

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Note which episode it is, for the random steps."""
        self._episode = f"{self._seed} {episode.task_id} {episode.seed}"

    def look_into(self, world: World) -> None:
        """Receive the world."""
        self._world = world
        self._planner.look_into(world)

    def observe(self, state: State) -> None:
        """Receive the state."""
        self._state = state
        self._planner.observe(state)

    def predict(self, input: ModelInput) -> ModelOutput:
        """Follow the plan, or slip."""
        dice = random.Random(f"{self._episode} {input.step_number}")
        has_key = self._state.places != self._world.start.places  # it is in the hand, or used up
        if dice.random() < (self._slip_after_key if has_key else self._slip):
            return ModelOutput(action=int(dice.choice(MOVES)), reasoning="slipped")
        way = walk(self._world, self._state) if self._walks_around else None
        return ModelOutput(action=int(way)) if way is not None else self._planner.predict(input)


def walk(world: World, start: State) -> Action | None:
    """The first action of a shortest plan that only moves and turns, or None."""
    first: dict[object, Action] = {}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for action in MOVES:
            after, _ = transition(world, state, action)
            if after.key in first or after.key == start.key:
                continue
            first[after.key] = first.get(state.key, action)
            if after.status == Status.SUCCEEDED:
                return first[after.key]
            if not world.is_over(after):
                queue.append(after)
    return None


SCRIPTED = ModelInfo("scripted", "Plans, and errs in known ways.", f"{__name__}:Scripted")
