"""Models that play a shortest plan but for one planted weakness."""

from collections.abc import Callable
from math import cos, pi, sin

import attrs

from gridworld.actions import Action
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelOutput
from gridworld.solver import OptimalModel
from gridworld.solver.spaces import state_key
from gridworld.world.events import Moved
from gridworld.world.knowledge import Snapshot, first_snapshot, observe
from gridworld.world.rules import transition
from gridworld.world.state import NOTHING, State
from gridworld.world.topology import NO_CELL
from gridworld.world.world import Entity, World

TURNS = {Action.TURN_LEFT, Action.TURN_RIGHT}
MOVES = (*TURNS, Action.MOVE_FORWARD)


class WeakModel(OptimalModel):
    """Plays a shortest plan from each state, unless the weakness says otherwise.

    Args:
        weakness: returns another action in place of the optimal one, or None.
    """

    def __init__(self, weakness: Callable[["WeakModel", Action], Action | None]) -> None:
        super().__init__()
        self._weakness = weakness
        self._snapshot: Snapshot | None = None
        self.done: list[Action] = []
        """Actions of the episode so far."""
        self.planted: list[tuple[World, State, Action]] = []
        """Actions of all episodes that the weakness chose, and the states before them."""

    @property
    def model_name(self) -> str:
        return self._weakness.__name__

    @property
    def looks_at_pictures(self) -> bool:
        return False

    def begin_episode(self, episode: EpisodeInfo) -> None:
        super().begin_episode(episode)
        self.done, self._snapshot = [], None

    def observe(self, state: State) -> None:
        super().observe(state)
        before = self._snapshot
        self._snapshot = (
            first_snapshot(self.world) if before is None else Snapshot(state, observe(self.world, before, state))
        )

    def predict(self, input: ModelInput) -> ModelOutput:
        best = Action(self._action(self._state))
        chosen = self._weakness(self, best)
        if chosen is not None:
            self.planted.append((self.world, self.state, chosen))
        self.done.append(best if chosen is None else chosen)
        return ModelOutput(self.done[-1])

    @property
    def world(self) -> World:
        return self._world

    @property
    def state(self) -> State:
        return self._state

    def in_front_of(self, state: State) -> Entity | None:
        """The thing in front of the agent in a state."""
        cell = self.world.ahead(state)
        index = NOTHING if cell == NO_CELL else self.world.thing_at(state, cell)
        return None if index == NOTHING else self.world.entities[index]

    def faces(self, noun: str) -> bool:
        """Whether a thing with this noun is in front of the agent."""
        thing = self.in_front_of(self.state)
        return thing is not None and thing.type.noun == noun

    @property
    def faces_wall(self) -> bool:
        cell = self.world.ahead(self.state)
        return cell == NO_CELL or cell in self.world.walls

    @property
    def is_goal_behind(self) -> bool:
        """Whether the goal is in the half plane behind the agent."""
        topology, state = self.world.topology, self.state
        (x, y), (goal_x, goal_y) = topology.centres[state.cell], topology.centres[self._goal]
        angle = 2 * pi * state.heading / topology.heading_count
        return (goal_x - x) * cos(angle) + (goal_y - y) * sin(angle) < -1e-9

    @property
    def _goal(self) -> int:
        task = self.world.task
        return self.world.topology.anchor(task.goal.target or task.maze.goal)

    @property
    def next_thing(self) -> str | None:
        """Noun of the next thing that the plan uses."""
        return self._look_along_plan()[0]

    @property
    def sees_the_way(self) -> bool:
        """Whether all cells that the plan enters up to its next thing have been seen."""
        assert self._snapshot is not None
        return self._snapshot.knowledge.explored >= self._look_along_plan()[1]

    def _look_along_plan(self) -> tuple[str | None, set[int]]:
        world, state, entered = attrs.evolve(self.world, max_steps=2**62), self.state, set[int]()
        while not state.status and state_key(self.world, state) in self._actions:
            state, events = transition(world, state, self._action(state))
            for event in events:
                if event.involves is not None:
                    return world.by_id[event.involves].type.noun, entered
            entered.update(event.target for event in events if isinstance(event, Moved))
        return None, entered

    def towards(self, noun: str) -> Action:
        """The first action of a shortest walk to a place in front of such a thing; there, and without any, forward."""
        world = attrs.evolve(self.world, max_steps=2**62)
        ways: list[tuple[State, Action]] = [(self.state, Action.MOVE_FORWARD)]
        known = {self.state[:2]}
        for state, first in ways:
            thing = self.in_front_of(state)
            if thing is not None and thing.type.noun == noun:
                return first
            for action in MOVES:
                following, _ = transition(world, state, action)
                if not following.status and following[:2] not in known:
                    known.add(following[:2])
                    ways.append((following, action if state is self.state else first))
        return Action.MOVE_FORWARD


def never_toggles_doors(model: WeakModel, best: Action) -> Action | None:
    return Action.MOVE_FORWARD if best is Action.TOGGLE and model.faces("door") else None


def avoids_switches(model: WeakModel, best: Action) -> Action | None:
    return Action.TURN_LEFT if best is Action.TOGGLE and model.next_thing == "switch" else None


def turns_when_the_goal_is_behind(model: WeakModel, best: Action) -> Action | None:
    return Action.TURN_LEFT if best is Action.MOVE_FORWARD and model.is_goal_behind else None


def walks_into_walls(model: WeakModel, best: Action) -> Action | None:
    """Once before each turn."""
    has_bumped = bool(model.planted) and model.planted[-1][1][:2] == model.state[:2]
    return Action.MOVE_FORWARD if best in TURNS and model.faces_wall and not has_bumped else None


def drops_keys(model: WeakModel, best: Action) -> Action | None:
    """Three times in an episode."""
    if model.state.carried == NOTHING or best is not Action.MOVE_FORWARD or model.done.count(Action.DROP) == 3:
        return None
    return Action.DROP if model.in_front_of(model.state) is None else None


def ignores_keys(model: WeakModel, best: Action) -> Action | None:
    """Walks into the door instead of fetching its key."""
    return model.towards("door") if model.next_thing == "key" else None


def walks_into_hazards(model: WeakModel, best: Action) -> Action | None:
    return Action.MOVE_FORWARD if model.faces("hazard") else None


def pushes_blocks(model: WeakModel, best: Action) -> Action | None:
    """Whichever way, until they are against a wall."""
    pushes = model.faces("block") and best is not Action.MOVE_FORWARD
    moves = pushes and transition(model.world, model.state, Action.MOVE_FORWARD)[0].cell != model.state.cell
    return Action.MOVE_FORWARD if moves else None


def takes_any_key(model: WeakModel, best: Action) -> Action | None:
    """The nearest one first, whatever its colour."""
    if model.next_thing != "key" or model.state.carried != NOTHING or Action.PICKUP in model.done:
        return None
    return Action.PICKUP if model.faces("key") else model.towards("key")


def stops_looking(model: WeakModel, best: Action) -> Action | None:
    """Waits where it does not see the way."""
    return None if model.sees_the_way else Action.DONE
