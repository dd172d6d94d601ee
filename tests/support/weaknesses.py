"""Models that play a shortest plan but for one planted weakness."""

from collections.abc import Callable

from gridworld.actions import Action
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelOutput
from gridworld.solver import OptimalModel
from gridworld.solver.spaces import unbudgeted
from gridworld.world.rules import transition
from gridworld.world.state import NOTHING, State
from gridworld.world.topology import NO_CELL
from gridworld.world.world import Entity, World


class WeakModel(OptimalModel):
    """Plays a shortest plan from each state, unless the weakness says otherwise.

    Args:
        weakness: returns another action in place of the optimal one, or None.
    """

    def __init__(self, weakness: Callable[["WeakModel", Action], Action | None]) -> None:
        super().__init__()
        self._weakness = weakness
        self.done: list[Action] = []

    @property
    def model_name(self) -> str:
        return self._weakness.__name__

    @property
    def looks_at_pictures(self) -> bool:
        return False

    def begin_episode(self, episode: EpisodeInfo) -> None:
        super().begin_episode(episode)
        self.done = []

    def look_into(self, world: World) -> None:
        super().look_into(unbudgeted(world))  # a weakness shows to the last step

    def predict(self, input: ModelInput) -> ModelOutput:
        best = Action(self._action(self._state))
        chosen = self._weakness(self, best)
        self.done.append(best if chosen is None else chosen)
        return ModelOutput(self.done[-1])

    @property
    def world(self) -> World:
        return self._world

    @property
    def state(self) -> State:
        return self._state

    @property
    def in_front(self) -> Entity | None:
        """The thing in front of the agent."""
        cell = self.world.ahead(self.state)
        index = NOTHING if cell == NO_CELL else self.world.thing_at(self.state, cell)
        return None if index == NOTHING else self.world.entities[index]

    @property
    def faces_wall(self) -> bool:
        cell = self.world.ahead(self.state)
        return cell == NO_CELL or cell in self.world.walls

    def plan(self) -> list[Action]:
        """The shortest plan from here."""
        return [Action(each) for each in self._rest_of_plan(200)]

    def next_thing(self) -> str | None:
        """Noun of the next thing that the plan uses."""
        state = self.state
        for action in self.plan():
            state, events = transition(self.world, state, action)
            for event in events:
                if event.involves is not None:
                    return self.world.by_id[event.involves].type.noun
        return None


def never_toggles_doors(model: WeakModel, best: Action) -> Action | None:
    faces_door = model.in_front is not None and model.in_front.type.noun == "door"
    return Action.MOVE_FORWARD if best is Action.TOGGLE and faces_door else None


def avoids_switches(model: WeakModel, best: Action) -> Action | None:
    return Action.TURN_LEFT if best is Action.TOGGLE and model.next_thing() == "switch" else None


TURNS = {Action.TURN_LEFT, Action.TURN_RIGHT}


def turns_when_the_way_is_behind(model: WeakModel, best: Action) -> Action | None:
    """Turns back and forth."""
    half = model.world.headings // 2
    if len(model.plan()) > half and TURNS.issuperset(model.plan()[:half]):
        return Action.TURN_LEFT if model.state.heading % 2 else Action.TURN_RIGHT
    return None


def walks_into_walls(model: WeakModel, best: Action) -> Action | None:
    """Once before each turn."""
    if best in TURNS and model.faces_wall and (not model.done or model.done[-1] != Action.MOVE_FORWARD):
        return Action.MOVE_FORWARD
    return None


def drops_keys(model: WeakModel, best: Action) -> Action | None:
    """Three times in an episode."""
    if model.state.carried == NOTHING or best is not Action.MOVE_FORWARD or model.done.count(Action.DROP) == 3:
        return None
    return Action.DROP if model.in_front is None else None


def ignores_keys(model: WeakModel, best: Action) -> Action | None:
    """Turns around in front of doors instead of fetching their keys."""
    return Action.TURN_LEFT if model.next_thing() == "key" else None


def walks_into_hazards(model: WeakModel, best: Action) -> Action | None:
    return Action.MOVE_FORWARD if model.in_front is not None and model.in_front.type.noun == "hazard" else None


def pushes_blocks(model: WeakModel, best: Action) -> Action | None:
    """Whichever way, as long as they move, and then on against the wall."""
    return Action.MOVE_FORWARD if model.in_front is not None and model.in_front.type.noun == "block" else None


def takes_any_key(model: WeakModel, best: Action) -> Action | None:
    """The first that it meets, which it keeps."""
    if best is Action.DROP:
        return Action.DONE
    faces_key = model.in_front is not None and model.in_front.type.noun == "key"
    return Action.PICKUP if faces_key and model.state.carried == NOTHING else None


def stops_looking(model: WeakModel, best: Action) -> Action | None:
    """Waits after five steps."""
    return Action.DONE if len(model.done) >= 5 else None
